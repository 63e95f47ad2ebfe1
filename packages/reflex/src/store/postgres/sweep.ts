import type { SweepOptions, Swept } from '../../kernel/store.ts'
import type { Ask, PostgresConnection } from './connection.ts'
import { readJournal } from './reading.ts'
import { checkedRow, type StoredRunRow } from '../rows.ts'
import { addHashes, FORK, Needed, parentsOf, sweptRow, unneededRuns } from '../unneeded.ts'

interface Known {
  readonly needed: Needed
  /** The last entry of each ledger that was read. */
  readonly ledgers: Map<string, number>
}

interface Unneeded extends Omit<Swept, 'runs'> {
  readonly runs: readonly StoredRunRow[]
}

/**
 * Takes away what nothing needs, as `sweepStore` does it for SQLite. Commits insert programs that are there already
 * without a trace, so none may be under way while it is decided which ones go: the transaction that takes away locks
 * the table of runs, and reads only what has been committed since.
 */
export async function sweepPostgres(connection: PostgresConnection, options: SweepOptions): Promise<Swept> {
  const known: Known = { needed: new Needed(), ledgers: new Map() }
  const found = await connection.read((ask) => unneeded(ask, known, options))
  if (options.dry === true) return sweptOf(found)
  let first: Swept | undefined
  return connection.write(async (ask) => {
    const gone = await transaction(ask, async () => {
      const gone = await unneeded(ask, known, options)
      // Told before it is done: if the connection is lost now, the next try may find that it was.
      first ??= sweptOf(gone)
      await ask('dropRuns', [gone.runs.map(({ seq }) => seq)])
      await ask('dropPrograms', [gone.programs])
      await ask('dropBlobs', [gone.blobs])
      return sweptOf(gone)
    })
    return joined(first ?? gone, gone)
  })
}

async function transaction<T>(ask: Ask, work: () => Promise<T>): Promise<T> {
  await ask('begin', [])
  try {
    await ask('hold', [])
    const result = await work()
    await ask('keep', [])
    return result
  } catch (thrown) {
    // The first error is the one to report; a lost connection ends the transaction too.
    await ask('undo', []).catch(() => undefined)
    throw thrown
  }
}

async function unneeded(ask: Ask, { needed, ledgers }: Known, { now, before }: SweepOptions): Promise<Unneeded> {
  const rows = await ask('all', [])
  for (const row of rows) checkedRow(row)
  const swept = rows.map((row) => sweptRow(row, now))
  const gone = unneededRuns(swept, parentsOf(await ask('forks', [FORK])), before)
  for (const row of rows) {
    const from = gone.has(row.id) ? undefined : needed.from(row)
    if (from !== undefined) needed.add(row, await readJournal(ask, row.id, from))
  }
  for (const { name, seq, value } of await ask('ledgers', [JSON.stringify(Object.fromEntries(ledgers))])) {
    addHashes(value, needed.hashes)
    ledgers.set(name, seq)
  }
  return {
    runs: rows.filter(({ id }) => gone.has(id)),
    programs: needed.without(await ask('programs', [])),
    blobs: needed.without(await ask('blobs', [])),
  }
}

function sweptOf({ runs, programs, blobs }: Unneeded): Swept {
  return { runs: runs.map(({ id }) => id), programs, blobs }
}

function joined(one: Swept, other: Swept): Swept {
  const both = (a: readonly string[], b: readonly string[]): string[] => [...new Set([...a, ...b])]
  return { runs: both(one.runs, other.runs), programs: both(one.programs, other.programs), blobs: both(one.blobs, other.blobs) }
}
