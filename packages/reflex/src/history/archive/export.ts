import { ARCHIVE, type ArchiveSecret, Chain, checkedSecret, signedLine } from './format.ts'
import { type ExportedPart, partOf } from './exported-part.ts'
import { RecordLines, type StoredRecord } from './record-lines.ts'
import { faults as kernelFaults, type Json, type Message, type RunRow, type Store } from '../../kernel/index.ts'

/** The settings of an export. */
export interface ExportOptions {
  /** The secret that signs the archive: HMAC-SHA-256 over the hash of all lines. */
  readonly secret?: ArchiveSecret | undefined
  /** The number of the last segment that is exported, a sealed one. Absent: the whole run, as far as the store has it. */
  readonly through?: number | undefined
}

/**
 * Returns the lines of the archive of a run, without line ends: a header; for a run without its first records, the state before the first
 * one that the store has; each record up to the current last one, after the programs and large values that it is the first to need; a line
 * after each sealed segment; the messages that no record has taken; and a line that counts the records. An archive that ends with a sealed
 * segment has no messages, and it is always the same. Holds one record, the latest large values and at most one state at a time. Throws
 * `R5003` for a journal that cannot be read, `R5010` for a run without records, `R2016` for a missing run, `R2085` for a run with a program
 * that is not in the store, `R2088` for an empty secret, `R2140` if there is no such sealed segment, `R2145` if the store has no record of
 * the run, and `R5054` for a segment that is in an archive.
 */
export async function* archiveOf(store: Store, { id }: Pick<RunRow, 'id'>, options: ExportOptions = {}): AsyncGenerator<string> {
  const secret = checkedSecret(options.secret)
  const { row, inbox } = await rowAndInbox(store, id)
  if (row.last === 0) throw kernelFaults.make('R5010', `${id} has no record yet`, { run: id })
  const part = await partOf(store, row, options.through)
  const chain = new Chain()
  const lines = new RecordLines(store, id, chain, part.last)
  yield chain.add(headerOf(row, part, options.through))
  if (part.opens > 0) yield* lines.openingOf(part)
  const seals = new Map(part.seals.map(({ last, number }) => [last, number + 1]))
  for await (const record of storedRecords(store, id, part)) {
    yield* lines.linesOf(record)
    const segment = seals.get(record.n)
    if (segment !== undefined) yield lines.sealOf(segment, record.n)
  }
  if (options.through === undefined)
    for (const { id: message, type, to, body, by, reason, at } of inbox)
      yield chain.add({ message, type, to, body, ...(by === undefined ? {} : { by }), ...(reason === undefined ? {} : { reason }), at })
  const end = chain.add({ end: part.last, lines: chain.lines + 1 })
  yield secret === undefined ? end : signedLine(end, chain.head, secret)
}

/** A run that was never sealed is written as earlier releases wrote it. */
function headerOf({ id, trace, program, started }: RunRow, { seals, opens, last }: ExportedPart, through: number | undefined): object {
  const archive = seals.length === 0 && opens === 0 ? 1 : ARCHIVE
  return { archive, run: id, trace, program, started, ...(through === undefined ? {} : { through: last }) }
}

/**
 * Returns the row of a run and the messages that no record up to it has taken. Reads again if the run has moved between the two reads,
 * because a message that is taken between them would be in neither.
 */
async function rowAndInbox(store: Store, run: string): Promise<{ readonly row: RunRow; readonly inbox: readonly Message[] }> {
  for (;;) {
    const row = await rowOf(store, run)
    const inbox = await store.inbox(run)
    const damaged = inbox.find(({ fault }) => fault !== undefined)?.fault
    if (damaged !== undefined) throw damaged
    if ((await rowOf(store, run)).last === row.last) return { row, inbox }
  }
}

async function rowOf(store: Store, run: string): Promise<RunRow> {
  const stored = await store.read(run, 0)
  if (stored === undefined) throw kernelFaults.make('R2016', `the store has no run ${run}`, { run })
  return stored.row
}

async function* storedRecords(store: Store, run: string, { opens, last }: ExportedPart): AsyncGenerator<StoredRecord> {
  let n = opens
  for await (const batch of store.batches(run, opens + 1, last)) {
    // It also checks that the batch can be read.
    const rows = JSON.parse(batch.body) as readonly (readonly Json[])[]
    for (const row of rows) {
      if (n === last) return
      n++
      yield { n, v: batch.version, row }
    }
    if (batch.first + rows.length !== n + 1) throw missingRecord(run, n)
  }
  if (n < last) throw missingRecord(run, n + 1)
}

function missingRecord(run: string, record: number): Error {
  return kernelFaults.make('R5003', `${run}: record ${record} is missing`, { run, data: { record } })
}
