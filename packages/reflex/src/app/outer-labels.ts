import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { WrittenLabels } from '../policy/written-labels.ts'
import { openKnown } from './home.ts'
import type { KnownStores } from './known-stores.ts'

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
