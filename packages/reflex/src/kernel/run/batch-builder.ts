import { encodeRecord } from '../journal/codec.ts'
import type { Definitions } from '../step/decide.ts'
import type { Program } from '../step/program.ts'
import { FORMAT, type Rec } from '../journal/record.ts'
import { summary } from './row.ts'
import { dumpState, shrinkState } from '../state/snapshot.ts'
import type { State } from '../state/state.ts'
import type { StoredForm } from './stored-form.ts'
import type { Batch, Lease, Message, RunStatus, StoredProgram } from '../ports/store.ts'

/** The size of a journal up to which it needs no snapshot. */
export const FIRST_SNAPSHOT = 64_000
const LARGEST_SNAPSHOT_GAP = 4_000_000

/** Collects the decisions of a run that are not stored yet, with the data for the next batch. */
export class BatchBuilder {
  readonly #state: State
  readonly #definitions: Definitions
  readonly #form: StoredForm
  readonly #programs: StoredProgram[]
  readonly #takenRows: number[] = []
  readonly #delivered: Message[] = []
  /** The batches that end a segment and are not stored yet. */
  readonly #sealed: Batch[] = []
  #last: number
  #sinceSnapshot = 0
  #lastSnapshot = 0

  constructor(state: State, definitions: Definitions, programs: readonly StoredProgram[], form: StoredForm) {
    this.#state = state
    this.#definitions = definitions
    this.#form = form
    this.#programs = [...programs]
    this.#last = state.n
  }

  /** Adds a program that the next batch stores. */
  addProgram(program: Program): void {
    this.#programs.push(storedProgram(program))
  }

  /** Takes a record before it is applied. */
  addRecord(record: Rec): void {
    this.#form.add(record)
  }

  /** Adds an inbox message that the last record took. */
  addTakenRow(row: number): void {
    this.#takenRows.push(row)
  }

  /** A message that the last record took and that the inbox does not hold. */
  addDelivered(message: Message): void {
    this.#delivered.push(this.#form.message(message))
  }

  /** Returns the next batch: the rest of a segment, else everything since the last batch. `records` end with the last record. */
  batch(lease: Lease, records: readonly Rec[], status: RunStatus): Batch | undefined {
    const sealed = this.#sealed.shift()
    if (sealed !== undefined || this.#state.n === this.#last) return sealed
    return { ...this.#collect(lease, records, status), ...this.#snapshot() }
  }

  /** Returns the state after the record that seals it now, as text. Undefined if there can be none, or if it is too large for a text. */
  sealText(): string | undefined {
    return this.#form.hidesContents ? undefined : snapshotText(this.#state, this.#definitions, true)
  }

  /** Ends the segment with the last record; `snapshot` is the state after it. Later records are in a later batch. */
  seal(lease: Lease, records: readonly Rec[], status: RunStatus, snapshot: string): void {
    this.#sealed.push({ ...this.#collect(lease, records, status), snapshot, seal: true })
    this.#sinceSnapshot = 0
    this.#lastSnapshot = snapshot.length
    shrinkState(this.#state, hasHistory(this.#definitions))
  }

  #collect(lease: Lease, records: readonly Rec[], status: RunStatus): Batch {
    const { n } = this.#state
    const first = this.#last + 1
    const { body, blobs } = encodeBatch(records.slice(this.#last - n).map((record) => this.#form.record(record)))
    this.#last = n
    this.#sinceSnapshot += body.length
    return {
      lease,
      first,
      count: n - first + 1,
      version: FORMAT,
      body,
      row: this.#form.row(summary(this.#state, this.#definitions, status)),
      ...(this.#programs.length > 0 ? { programs: this.#programs.splice(0) } : {}),
      ...(blobs === undefined ? {} : { blobs }),
      ...(this.#takenRows.length > 0 ? { taken: this.#takenRows.splice(0) } : {}),
      ...(this.#delivered.length > 0 ? { delivered: this.#delivered.splice(0) } : {}),
    }
  }

  /** A snapshot is smaller than the journal since the last one, so all snapshots together are smaller than the journal. */
  #snapshot(): { snapshot: string } | undefined {
    if (this.#form.hidesContents) return undefined
    if (this.#sinceSnapshot < Math.min(Math.max(FIRST_SNAPSHOT, 2 * this.#lastSnapshot), LARGEST_SNAPSHOT_GAP)) return undefined
    this.#sinceSnapshot = 0
    const snapshot = snapshotText(this.#state, this.#definitions)
    shrinkState(this.#state, hasHistory(this.#definitions))
    if (snapshot === undefined) return undefined
    this.#lastSnapshot = snapshot.length
    return { snapshot }
  }
}

/** Encodes records as the body of a batch, with the separately stored values. */
export function encodeBatch(records: readonly Rec[]): { readonly body: string; readonly blobs: Map<string, string> | undefined } {
  const texts: string[] = []
  let all: Map<string, string> | undefined
  for (const record of records) {
    const { text, blobs } = encodeRecord(record)
    texts.push(text)
    if (blobs === undefined) continue
    all ??= new Map()
    for (const [hash, blob] of blobs) all.set(hash, blob)
  }
  return { body: `[${texts.join(',\n')}]`, blobs: all }
}

/**
 * Returns a state as snapshot text, or the state after the record that seals it now. Undefined if it is too large for a text: the run then
 * continues without a snapshot.
 */
export function snapshotText(state: State, definitions: Definitions, seals = false): string | undefined {
  try {
    const { n, sealed, ...rest } = dumpState(state, hasHistory(definitions))
    return JSON.stringify(seals ? { n: n + 1, sealed: n + 1, ...rest } : { n, ...(sealed === undefined ? {} : { sealed }), ...rest })
  } catch (thrown) {
    if (thrown instanceof RangeError) return undefined
    throw thrown
  }
}

function hasHistory(definitions: Definitions): (pin: number) => boolean {
  return (pin) => definitions.kind(definitions.program(pin).kind).board?.history === true
}

/** Returns a program in its stored form. */
export function storedProgram(program: Program): StoredProgram {
  return { hash: program.hash, kind: program.kind, source: JSON.stringify(program.source) }
}
