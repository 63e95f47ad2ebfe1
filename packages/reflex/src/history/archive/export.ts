import { ARCHIVE, type ArchiveSecret, Chain, PART, signedLine, withoutProof } from './format.ts'
import { RecentBlobs } from './blobs.ts'
import { historyFaults } from '../faults.ts'
import { blobsOf, decodeBatch, faults as kernelFaults, type Json, type Pin, type Rec, type RunRow, type Store } from '../../kernel/index.ts'

/** How a run is exported. */
export interface ExportOptions {
  /** Signs the archive: HMAC-SHA-256 over the hash of all lines. */
  readonly secret?: ArchiveSecret | undefined
}

/**
 * The lines of the archive of a run, without line ends: a header, then each record up to the last of `row`, with the programs and large values
 * that it is the first to need before it, then messages that no record has taken, then a line that counts them. Holds one
 * record and the latest large values at a time. Throws `R5003` for a journal that cannot be read, `R2085` for a run with
 * a program that the store does not keep.
 */
export async function* archiveOf(store: Store, row: RunRow, { secret }: ExportOptions = {}): AsyncGenerator<string> {
  const { id, trace, program, started, last } = row
  if (last === 0) throw kernelFaults.make('R5010', `${id} has no record yet`, { run: id })
  const chain = new Chain()
  yield chain.add({ archive: ARCHIVE, run: id, trace, program, started })
  const needs = new Needs(store, id, chain)
  for await (const { n, v, row: stored } of storedRecords(store, id, last)) {
    const kept = n === 1 ? withoutProof(stored) : stored
    yield* needs.before(kept, n, v)
    yield chain.add({ record: n, v, row: kept })
  }
  for (const { id: message, type, to, body, by, at } of await store.inbox(id))
    yield chain.add({ message, type, to, body, ...(by === undefined ? {} : { by }), at })
  const end = chain.add({ end: last, lines: chain.lines + 1 })
  yield secret === undefined ? end : signedLine(end, chain.head, secret)
}

interface StoredRecord {
  readonly n: number
  /** The format of the record. */
  readonly v: number
  readonly row: readonly Json[]
}

async function* storedRecords(store: Store, run: string, last: number): AsyncGenerator<StoredRecord> {
  let n = 0
  const batches = [...(await store.journal(run))].reverse()
  for (let batch = batches.pop(); batch !== undefined && n < last; batch = batches.pop()) {
    // Also checks that it can be read.
    const rows = JSON.parse(batch.body) as readonly (readonly Json[])[]
    for (const row of rows) {
      if (n === last) return
      n++
      yield { n, v: batch.version, row }
    }
    if (batch.first + rows.length !== n + 1) throw missing(run, n)
  }
  if (n < last) throw missing(run, n + 1)
}

function missing(run: string, record: number): Error {
  return kernelFaults.make('R5003', `${run}: record ${record} is missing`, { run, data: { record } })
}

/** What records need beside themselves, each written once while it is remembered. */
class Needs {
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

  /** The lines that stand before a record. */
  async *before(row: readonly Json[], n: number, v: number): AsyncGenerator<string> {
    const body = `[${JSON.stringify(row)}]`
    for (const hash of blobsOf(body)) if (!this.#blobs.has(hash)) yield* this.#blob(hash)
    const read = (hash: string): string => this.#blobs.get(hash) ?? 'null'
    const [record] = decodeBatch(v, body, read, { run: this.#run, first: n })
    for (const pin of pinsOf(record)) if (!this.#programs.has(pin[3])) yield await this.#program(pin)
    this.#blobs.forget()
  }

  async *#blob(hash: string): AsyncGenerator<string> {
    const text = await this.#store.blob(hash)
    if (text === undefined)
      throw kernelFaults.make('R5003', `${this.#run}: the value ${hash.slice(0, 8)} is not in the store`, { run: this.#run })
    this.#blobs.add(hash, text)
    const of = Math.ceil(text.length / PART)
    for (let part = 0; part < of; part++)
      yield this.#chain.add({ blob: hash, part: part + 1, of, text: text.slice(part * PART, (part + 1) * PART) })
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

/** The programs that a record is the first to use. */
export function pinsOf(record: Rec | undefined): readonly Pin[] {
  return [...(record?.more?.start?.pins ?? []), ...(record?.more?.pin ?? [])]
}
