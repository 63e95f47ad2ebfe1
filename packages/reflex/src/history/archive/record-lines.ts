import { createHash } from 'node:crypto'
import { type Chain, PART_SIZE } from './format.ts'
import { RecentBlobs } from './blobs.ts'
import { historyFaults } from '../faults.ts'
import { changeStart, withoutLocalSettings } from './change-start.ts'
import type { ExportedPart } from './exported-part.ts'
import {
  blobsOf,
  decodeBatch,
  faults as kernelFaults,
  type Json,
  type Pin,
  type Rec,
  type Store,
  type StoredState,
} from '../../kernel/index.ts'

export interface StoredRecord {
  readonly n: number
  /** The format of the record. */
  readonly v: number
  readonly row: readonly Json[]
}

/** The lines of records with the values and programs that they need. A value is written once while it is remembered. */
export class RecordLines {
  readonly #store: Store
  readonly #run: string
  readonly #chain: Chain
  readonly #last: number
  readonly #programs = new Set<string>()
  readonly #blobs = new RecentBlobs()

  /** `last`: the last record of the archive. */
  constructor(store: Store, run: string, chain: Chain, last: number) {
    this.#store = store
    this.#run = run
    this.#chain = chain
    this.#last = last
  }

  /** Returns the line that opens the first segment of a run without its first records, after the programs and the state that it needs. */
  async *openingOf({ opens, number, snapshot = '', chain, archive }: ExportedPart): AsyncGenerator<string> {
    const state = JSON.parse(snapshot) as StoredState
    for (const pin of state.pins) if (!this.#programs.has(pin[3])) yield await this.#program(pin)
    const text = JSON.stringify({ ...state, start: withoutLocalSettings(state.start, this.#last) })
    const hash = createHash('sha256').update(text, 'utf8').digest('hex')
    yield* this.#blob(hash, text)
    this.#blobs.forget()
    yield this.#chain.add({
      segment: number,
      at: opens,
      ...(chain === undefined ? {} : { chain }),
      ...(archive === undefined ? {} : { archive }),
      snapshot: hash,
    })
  }

  /** Returns the line after a sealed segment. `segment` is the number of the next one. */
  sealOf(segment: number, at: number): string {
    return this.#chain.add({ segment, at })
  }

  /** Returns the lines of a record, after the lines that it needs. */
  async *linesOf({ n, v, row }: StoredRecord): AsyncGenerator<string> {
    const blobs = new Map<string, string>()
    for (const hash of blobsOf(`[${JSON.stringify(row)}]`)) blobs.set(hash, this.#blobs.get(hash) ?? (await this.#read(hash)))
    const exported = n === 1 ? changeStart({ v, row, blobs }, (start) => withoutLocalSettings(start, this.#last)) : { v, row, blobs }
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
