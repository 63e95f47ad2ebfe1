import { WrittenLabels } from '../policy/written-labels.ts'
import { ledgerPlace } from '../tools/capability.ts'
import { levelOf, TRUSTED } from '../policy/label.ts'
import type { FindProvenance, WrittenBy } from '../programs/written-by.ts'
import { isBelow, realPath } from '../tools/paths.ts'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { openKnown } from './home.ts'
import type { KnownStores } from './known-stores.ts'

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

/**
 * Asks the labels of the user's other stores in the folder of a file and above it, the nearest first: a run of one of them may
 * have written the file. Returns the first answer. Each store is open only for its question. Throws `R5030` for a store that is
 * not the one on the list.
 */
export async function askOuterLabels<Answer>(
  file: string,
  { own, stores }: { readonly own: string; readonly stores: KnownStores },
  ask: (labels: WrittenLabels) => Answer | undefined,
): Promise<Answer | undefined> {
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    const path = join(folder, '.reflex', 'reflex.db')
    const identity = dirname(path) === own || !existsSync(path) ? undefined : stores.identityAt(path)
    if (identity !== undefined) {
      const store = openKnown(path, identity)
      try {
        const labels = new WrittenLabels(store)
        await labels.refresh()
        const answer = ask(labels)
        if (answer !== undefined) return answer
      } finally {
        await store.close()
      }
    }
    if (dirname(folder) === folder) return undefined
  }
}
