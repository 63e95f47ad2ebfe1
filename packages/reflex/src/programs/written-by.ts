import type { Fault } from '../kernel/index.ts'
import { quote } from '../text/index.ts'
import { programFaults } from './faults.ts'
import { isModule } from './kinds.ts'

/** The origin of a file that a run wrote: the trust level of its text, and the run, if known. */
export interface WrittenBy {
  readonly level: string
  readonly run?: string
}

/**
 * Returns the origin of a file with this text if a run wrote it; undefined for a file of the operator. With `known`, only
 * labels count; with `tools`, only files written by tools and commands: the runtime itself writes such files.
 */
export type FindProvenance = (file: string, text: string, only?: 'known' | 'tools') => Promise<WrittenBy | undefined>

/** Returns the warning that a program runs with the lowest trust because a run wrote its text. */
export function untrustedWarning(file: string, written: WrittenBy): Fault {
  return programFaults.make('R1096', `${originText(file, written)}, so the program runs as untrusted`, {
    file,
    fix: `read the file; then name a level to run it with, such as --trust probationary, or change it, and it is yours`,
  })
}

/**
 * Returns the fault of a file that would run with all permissions of the person who names it: a module, or a file that grants
 * permissions.
 */
export function writtenByRun(file: string, written: WrittenBy): Fault {
  const what = isModule(file)
    ? 'and a module does all that you may do as soon as it is loaded'
    : 'and it would say what later runs may do or have done'
  const fix = isModule(file)
    ? 'read the file; then run it with --trust trusted, or change it, and it is yours'
    : 'read the file; then change it, and it is yours'
  return programFaults.make('R1097', `${originText(file, written)}, ${what}`, { file, fix })
}

function originText(file: string, { level, run }: WrittenBy): string {
  return `${run === undefined ? 'a run' : `run ${run}`} wrote ${quote(file)} from ${level === 'derived' ? "a model's text" : `${level} text`}`
}
