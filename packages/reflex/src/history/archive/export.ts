import { ARCHIVE, type ArchiveSecret, Chain, checkedSecret, PART_SIZE, signedLine } from './format.ts'
import { RecentBlobs } from './blobs.ts'
import { historyFaults } from '../faults.ts'
import { changeStart, withoutProof } from './change-start.ts'
import {
  blobsOf,
  decodeBatch,
  faults as kernelFaults,
  type Json,
  type Message,
  type Pin,
  type Rec,
  type RunRow,
  type Store,
} from '../../kernel/index.ts'

/** The settings of an export. */
export interface ExportOptions {
  /** The secret that signs the archive: HMAC-SHA-256 over the hash of all lines. */
  readonly secret?: ArchiveSecret | undefined
}

/**
 * Returns the lines of the archive of a run, without line ends: a header; each record up to the current last one, after the programs and
 * large values that it is the first to need; the messages that no record has taken; and a line that counts them. Holds one record and the
 * latest large values at a time. Throws `R5003` for a journal that cannot be read, `R5010` for a run without records, `R2016` for a missing
 * run, `R2085` for a run with a program that is not in the store, and `R2088` for an empty secret.
 */
export async function* archiveOf(store: Store, { id }: Pick<RunRow, 'id'>, options: ExportOptions = {}): AsyncGenerator<string> {
  const secret = checkedSecret(options.secret)
  const { row, inbox } = await rowAndInbox(store, id)
  const { trace, program, started, last } = row
  if (last === 0) throw kernelFaults.make('R5010', `${id} has no record yet`, { run: id })
  const chain = new Chain()
  yield chain.add({ archive: ARCHIVE, run: id, trace, program, started })
  const recordLines = new RecordLines(store, id, chain)
  for await (const record of storedRecords(store, id, last)) yield* recordLines.linesOf(record)
  for (const { id: message, type, to, body, by, at } of inbox)
    yield chain.add({ message, type, to, body, ...(by === undefined ? {} : { by }), at })
  const end = chain.add({ end: last, lines: chain.lines + 1 })
  yield secret === undefined ? end : signedLine(end, chain.head, secret)
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

interface StoredRecord {
  readonly n: number
  /** The format of the record. */
  readonly v: number
  readonly row: readonly Json[]
}

async function* storedRecords(store: Store, run: string, last: number): AsyncGenerator<StoredRecord> {
  let n = 0
  for await (const batch of store.batches(run, 1, last)) {
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

/** The lines of records with the values and programs that they need. A value is written once while it is remembered. */
class RecordLines {
  readonly #store: Store
  readonly #run: string
  readonly #chain: Chain
  readonly #programs = new Set<string>()
  readonly #blobs = new RecentBlobs()

  constructor(store: Store, run: string, chain: Chain) {
    this.#store = store
    this.#run = run
    this.#chain = chain
  }

  /** Returns the lines of a record, after the lines that it needs. */
  async *linesOf({ n, v, row }: StoredRecord): AsyncGenerator<string> {
    const blobs = new Map<string, string>()
    for (const hash of blobsOf(`[${JSON.stringify(row)}]`)) blobs.set(hash, this.#blobs.get(hash) ?? (await this.#read(hash)))
    const exported = n === 1 ? changeStart({ v, row, blobs }, withoutProof) : { v, row, blobs }
    for (const [hash, text] of exported.blobs) if (!this.#blobs.has(hash)) yield* this.#blob(hash, text)
    const read = (hash: string): string => exported.blobs.get(hash) ?? 'null'
    const [record] = decodeBatch(exported.v, `[${JSON.stringify(exported.row)}]`, read, { run: this.#run, first: n })
    for (const pin of pinsOf(record)) if (!this.#programs.has(pin[3])) yield await this.#program(pin)
    this.#blobs.forget()
    yield this.#chain.add({ record: n, v: exported.v, row: exported.row })
  }

  async #read(hash: string): Promise<string> {
    const text = await this.#store.blob(hash)
    if (text !== undefined) return text
    throw kernelFaults.make('R5003', `${this.#run}: the value ${hash.slice(0, 8)} is not in the store`, { run: this.#run })
  }

  *#blob(hash: string, text: string): Generator<string> {
    this.#blobs.add(hash, text)
    const count = Math.ceil(text.length / PART_SIZE)
    for (let part = 0; part < count; part++)
      yield this.#chain.add({ blob: hash, part: part + 1, of: count, text: text.slice(part * PART_SIZE, (part + 1) * PART_SIZE) })
  }

  async #program([name, kind, , hash]: Pin): Promise<string> {
    const stored = await this.#store.program(hash)
    if (stored === undefined)
      throw historyFaults.make('R2085', `${this.#run} cannot be archived: ${name}@${hash.slice(0, 6)} is not in the store`, {
        run: this.#run,
      })
    this.#programs.add(hash)
    return this.#chain.add({ program: hash, kind, source: JSON.parse(stored.source) as Json })
  }
}

/** Returns the programs that a record is the first to use. */
export function pinsOf(record: Rec | undefined): readonly Pin[] {
  return [...(record?.more?.start?.pins ?? []), ...(record?.more?.pin ?? [])]
}
