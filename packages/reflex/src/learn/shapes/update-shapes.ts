import { digest, type RunRow, type Store, thrownMessage } from '../../kernel/index.ts'
import type { RunRead, RunShape } from './call-sequence.ts'
import type { ReadOptions } from './journal-reader.ts'
import { withoutReplaced } from './imported-runs.ts'
import { hasEnded, readRun } from './read-run.ts'
import { readIn, shapeIn, shapeText } from './shape-file.ts'

type Awaitable<T> = T | Promise<T>

/** The place of shape files. They can all be dropped: the next update makes them again from the journals. */
export interface ShapeFiles {
  names(): Awaitable<readonly string[]>
  /** Returns undefined if there is no such file. */
  read(name: string): Awaitable<string | undefined>
  write(name: string, text: string): Awaitable<void>
  remove(name: string): Awaitable<void>
}

/** The result of an update: the runs that were read, those that were known already, and files that nothing needs any more. */
export interface ShapeUpdate {
  readonly read: number
  readonly known: number
  readonly removed: number
  /** Runs that cannot be read, with the reason. They are left out, and tried again by the next update. */
  readonly unreadable: readonly { readonly run: string; readonly reason: string }[]
}

/** Marks a run that has no shape, such as a simulated one, so that it is not read again. */
const NOTHING = 'reflex-shape nothing\n'

/** Returns the name of the shape file of a run as of its last record. */
export function shapeName({ id, last }: Pick<RunRow, 'id' | 'last'>): string {
  return `${digest(`${id}\n${last}`).slice(0, 32)}.shape`
}

/**
 * Reads every ended run of a store that has no shape file yet, and removes the files of runs that are gone or have continued. A run is read
 * once. A run that cannot be read stops nothing. A transcript that a later import replaces has no shape.
 */
export async function updateShapes(store: Store, files: ShapeFiles, options: ReadOptions = {}): Promise<ShapeUpdate> {
  const present = new Set(await files.names())
  const rows = withoutReplaced((await store.runs()).filter(hasEnded))
  const needed = new Set(rows.map(shapeName))
  const unreadable: { readonly run: string; readonly reason: string }[] = []
  let [read, known, removed] = [0, 0, 0]
  for (const name of present) {
    if (needed.has(name)) continue
    await files.remove(name)
    removed++
  }
  for (const row of rows) {
    const name = shapeName(row)
    if (present.has(name)) known++
    else
      try {
        const found = await readRun(store, row, options)
        await files.write(name, found === undefined ? NOTHING : shapeText(found))
        read++
      } catch (thrown) {
        unreadable.push({ run: row.id, reason: thrownMessage(thrown) })
      }
  }
  return { read, known, removed, unreadable }
}

/** A shape, and how the whole file is read again: a miner keeps no shape in memory. */
export interface StoredShape {
  readonly shape: RunShape
  /** Returns undefined if the file is gone or damaged. */
  read(): Promise<RunRead | undefined>
}

/** Yields the shapes in the files, in any order. A damaged file is removed: the next update makes it again. */
export async function* storedShapes(files: ShapeFiles): AsyncGenerator<StoredShape> {
  for (const name of await files.names()) {
    const text = await files.read(name)
    if (text === undefined || text === NOTHING) continue
    const shape = shapeIn(text)
    if (shape === undefined) await files.remove(name)
    else yield { shape, read: async () => readIn((await files.read(name)) ?? '') }
  }
}

/** Returns a place for shape files in memory. */
export function shapesInMemory(): ShapeFiles {
  const texts = new Map<string, string>()
  return {
    names: () => [...texts.keys()],
    read: (name) => texts.get(name),
    write: (name, text) => void texts.set(name, text),
    remove: (name) => void texts.delete(name),
  }
}
