import { faults } from '../runs/faults.ts'
import { isModule, isProgram } from './formats.ts'
import type { Fault } from '../kernel/index.ts'
import type { WrittenLabels } from '../kinds/pipeline/operations/memory/written-labels.ts'
import { ledgerPlace } from '../kinds/pipeline/operations/memory/file-changes.ts'
import { levelOf, TRUSTED } from '../kinds/pipeline/contract/label.ts'
import { quote } from '../text/index.ts'
import { isBelow, realPath } from '../tools/paths.ts'

/** The origin of a file that a run wrote: from what level of trust its text came, and which run wrote it, if that is known. */
export interface WrittenBy {
  readonly level: string
  readonly run?: string
}

/**
 * Finds out whether a run wrote a file with this text; undefined for a file that its operator vouches for. With `known`, only what the labels show counts; with `tools`, only what tools and commands wrote: the runtime itself writes such a file.
 */
export type FindProvenance = (file: string, text: string, only?: 'known' | 'tools') => Promise<WrittenBy | undefined>

interface ProvenancePlaces {
  /** The folder of the folders of runs. */
  readonly runs: string
  readonly workdir: string
  /** Asks the labels of the user's other stores around a file. */
  readonly outer: (file: string, ask: (labels: WrittenLabels) => WrittenBy | undefined) => Promise<WrittenBy | undefined>
}

/**
 * Finds the origin of files by the labels that runs leave. Every file in the folder of runs was written by one. A text that a
 * person has changed since is the person's: labels are kept by path and text. The texts of files whose names are not those of
 * programs are unknown, so a command may have written any of them in the work folder.
 */
export function programProvenance(labels: WrittenLabels, { runs, workdir, outer }: ProvenancePlaces): FindProvenance {
  return async (file, text, only) => {
    await labels.refresh()
    const real = realPath(file)
    const written = (of: WrittenLabels): WrittenBy | undefined => {
      const { label, run } = of.ofProgram(ledgerPlace(real), text, { logs: only !== 'tools' })
      return label.level > 0 ? { level: levelOf(label), ...(run === undefined ? {} : { run }) } : undefined
    }
    const known = written(labels) ?? (await outer(real, written))
    if (known !== undefined) return known
    if (only === 'tools') return undefined
    // Of other files, commands may have written any.
    const unknown = only === 'known' || isProgram(real) || !isBelow(real, workdir) ? TRUSTED : labels.ofAnyCommand()
    return isBelow(real, realPath(runs)) || unknown.level > 0 ? { level: 'derived' } : undefined
  }
}

/** Reports that a program runs at the lowest trust, because a run wrote its text. */
export function untrustedWarning(file: string, written: WrittenBy): Fault {
  return faults.make('R1096', `${originText(file, written)}, so the program runs as untrusted`, {
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
  return faults.make('R1097', `${originText(file, written)}, ${what}`, { file, fix })
}

function originText(file: string, { level, run }: WrittenBy): string {
  return `${run === undefined ? 'a run' : `run ${run}`} wrote ${quote(file)} from ${level === 'derived' ? "a model's text" : `${level} text`}`
}
