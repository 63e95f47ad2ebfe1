import { historyFaults } from '../faults.ts'
import { archiveOf } from './export.ts'
import { splitLine } from './format.ts'
import type { ImportWorld } from './import.ts'
import { ArchiveReader } from './read.ts'
import type { RunRow, Segment } from '../../kernel/index.ts'

/** The options of forgetting records. */
export interface ForgetOptions {
  /** The number of the last sealed segment that is forgotten. */
  readonly through: number
}

/** The records that only an archive has now. */
export interface ForgottenRecords {
  readonly run: string
  readonly through: number
  /** The first and the last of them. */
  readonly first: number
  readonly last: number
  /** The hash of the archive: that of its last line. */
  readonly archive: string
}

/**
 * Removes the records up to the end of a sealed segment from a store, if an archive has exactly these records: its lines must be those that
 * an export of this part writes now, and form a valid archive. A crash at any point leaves all records in the store, or the removal
 * complete. Throws `R2144` for another archive, and `R2070` to `R2146` as an export and an import; then nothing is removed.
 */
export async function forgetArchived(
  world: Omit<ImportWorld, 'worker' | 'now'>,
  row: RunRow,
  lines: Iterable<string> | AsyncIterable<string>,
  { through }: ForgetOptions,
): Promise<ForgottenRecords> {
  const { store, programs } = world
  const { id: run } = row
  const reader = new ArchiveReader(programs.copyKinds(), undefined)
  for await (const _ of reader.parts(equalLines(run, archiveOf(store, row, { through }), lines)));
  const removed = (await store.segments(run)).filter(({ number, place }) => number <= through && place !== 'gone')
  for (const { number, place } of removed) if (place === 'rows') await store.pack(run, number)
  await store.forget(run, through, reader.head)
  return { run, through, archive: reader.head, ...spanOf(removed) }
}

function spanOf(segments: readonly Segment[]): { readonly first: number; readonly last: number } {
  return { first: segments[0]?.first ?? 0, last: segments.at(-1)?.last ?? 0 }
}

/** Returns the lines of an archive. Throws `R2144` at the first line that is not the expected one. The archive can be signed. */
async function* equalLines(
  run: string,
  expected: AsyncIterable<string>,
  given: Iterable<string> | AsyncIterable<string>,
): AsyncGenerator<string> {
  const lines = expected[Symbol.asyncIterator]()
  let number = 0
  const fault = (what: string): Error => historyFaults.make('R2144', `line ${number}: ${what}`, { run, line: number })
  try {
    for await (const line of given) {
      number++
      const next = await lines.next()
      if (next.done === true) throw fault('the archive has more lines than an export of these records')
      if (!areEqual(line, next.value)) throw fault('it is not the line that an export of these records writes')
      yield line
    }
    number++
    if ((await lines.next()).done !== true) throw fault('the archive ends before the records do')
  } finally {
    await lines.return?.()
  }
}

function areEqual(line: string, expected: string): boolean {
  if (line === expected) return true
  const [one, other] = [splitLine(line), splitLine(expected)]
  return one !== undefined && other !== undefined && one.signature !== undefined && one.content === other.content && one.hash === other.hash
}
