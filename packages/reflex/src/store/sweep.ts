import type { SweepOptions, Swept } from '../kernel/store.ts'
import type { Connection } from './connection.ts'
import { readJournal } from './reading.ts'
import { checkedRow, type StoredRunRow } from './rows.ts'
import type { Statements } from './statements.ts'
import { addHashes, FORK, Needed, parentsOf, sweptRow, unneededRuns } from './unneeded.ts'

const ALL = [null, null, null, null, null, ''] as const

/**
 * Takes away what nothing needs. Journals are read before anybody has to wait: the transaction that takes away reads only
 * what has been committed since.
 */
export function sweepStore(connection: Connection, options: SweepOptions): Swept {
  const known: Known = { needed: new Needed(), ledgers: 0 }
  const found = connection.read((sql) => unneeded(sql, known, options))
  if (options.dry === true) return sweptOf(found)
  return connection.write((sql) => {
    const gone = unneeded(sql, known, options)
    for (const { seq } of gone.runs) for (const table of [sql.dropJournal, sql.dropSnapshots, sql.dropMessages, sql.dropRun]) table.run(seq)
    for (const hash of gone.programs) sql.dropProgram.run(hash)
    for (const hash of gone.blobs) sql.dropBlob.run(hash)
    return sweptOf(gone)
  })
}

interface Known {
  readonly needed: Needed
  /** The last row of the ledgers that was read. */
  ledgers: number
}

interface Unneeded extends Omit<Swept, 'runs'> {
  readonly runs: readonly StoredRunRow[]
}

function unneeded(sql: Statements, known: Known, { now, before }: SweepOptions): Unneeded {
  const { needed } = known
  const rows = sql.runs.all(...ALL)
  for (const row of rows) checkedRow(row)
  const swept = rows.map((row) => sweptRow(row, now))
  const gone = unneededRuns(swept, parentsOf(sql.forks.all(FORK)), before)
  for (const row of rows) {
    const from = gone.has(row.id) ? undefined : needed.from(row)
    if (from !== undefined) needed.add(row, readJournal(sql, row.id, from))
  }
  for (const { row, value } of sql.ledgers.all(known.ledgers)) {
    addHashes(value, needed.hashes)
    known.ledgers = row
  }
  return {
    runs: rows.filter(({ id }) => gone.has(id)),
    programs: needed.without(sql.programs.all()),
    blobs: needed.without(sql.blobs.all()),
  }
}

function sweptOf({ runs, programs, blobs }: Unneeded): Swept {
  return { runs: runs.map(({ id }) => id), programs, blobs }
}
