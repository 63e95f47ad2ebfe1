import type { Fault } from '../kernel/index.ts'
import { quote } from '../text/index.ts'
import { programFaults } from './faults.ts'
import { isModule } from './kinds.ts'

/** The origin of a file that a run wrote: from what level of trust its text came, and which run wrote it, if that is known. */
export interface WrittenBy {
  readonly level: string
  readonly run?: string
}

/**
 * Finds out whether a run wrote a file with this text; undefined for a file that its operator vouches for. With `known`, only what the labels show counts; with `tools`, only what tools and commands wrote: the runtime itself writes such a file.
 */
export type FindProvenance = (file: string, text: string, only?: 'known' | 'tools') => Promise<WrittenBy | undefined>

/** Reports that a program runs at the lowest trust, because a run wrote its text. */
export function untrustedWarning(file: string, written: WrittenBy): Fault {
  return programFaults.make('R1096', `${originText(file, written)}, so the program runs as untrusted`, {
    file,
    fix: `read the file; then name a level to run it with, such as --trust probationary, or change it, and it is yours`,
  })
}

/** Refuses a file that would get all rights of the person who names it: a module, or a file that grants rights. */
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
