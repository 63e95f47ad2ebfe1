import type { WrittenLabels } from '../policy/written-labels.ts'
import { ledgerPlace } from '../tools/capability.ts'
import { levelOf, TRUSTED } from '../policy/label.ts'
import type { FindProvenance, WrittenBy } from '../programs/written-by.ts'
import { isBelow, realPath } from '../tools/paths.ts'

interface ProvenancePlaces {
  /** The folder that contains the run folders. */
  readonly runs: string
  readonly workdir: string
  /** True if a program can be read from a file at this path. */
  readonly isProgram: (path: string) => boolean
  /** Asks the labels of the user's other stores around a file. */
  readonly outer: (file: string, ask: (labels: WrittenLabels) => WrittenBy | undefined) => Promise<WrittenBy | undefined>
}

/**
 * Finds the origin of files by the labels that runs store. All files in the folder of runs were written by runs. A text that a
 * person has changed since belongs to the person: labels are stored by path and text. The texts of files without a program name
 * are not tracked, so a command may have written any of them in the work folder.
 */
export function programProvenance(labels: WrittenLabels, { runs, workdir, isProgram, outer }: ProvenancePlaces): FindProvenance {
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
    // Any command may have written other files.
    const unknown = only === 'known' || isProgram(real) || !isBelow(real, workdir) ? TRUSTED : labels.ofAnyCommand()
    return isBelow(real, realPath(runs)) || unknown.level > 0 ? { level: 'derived' } : undefined
  }
}
