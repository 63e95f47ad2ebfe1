import { encodeRecord } from './codec.ts'
import type { Definitions } from './decide.ts'
import type { Program } from './program.ts'
import { FORMAT, type Rec } from './record.ts'
import { summary } from './row.ts'
import { dumpState, type StoredState } from './snapshot.ts'
import type { State } from './state.ts'
import type { Batch, Lease, RunStatus, StoredProgram } from './store.ts'

const FIRST_SNAPSHOT = 64_000
const LARGEST_SNAPSHOT_GAP = 4_000_000

/** What a run has decided and no store has yet, and what goes with it into the next batch. */
export class Tail {
  readonly #state: State
  readonly #definitions: Definitions
  readonly #programs: StoredProgram[]
  readonly #taken: number[] = []
  #from: number
  #sinceSnapshot = 0
  #lastSnapshot = 0

  constructor(state: State, definitions: Definitions, programs: readonly StoredProgram[]) {
    this.#state = state
    this.#definitions = definitions
    this.#programs = [...programs]
    this.#from = state.n
  }

  /** Programs that the next batch stores. */
  addProgram(program: Program): void {
    this.#programs.push(storedProgram(program))
  }

  /** A message of the inbox that the last record took. */
  take(row: number): void {
    this.#taken.push(row)
  }

  /** Everything since the last batch, as one. `records` end with the last record. */
  batch(lease: Lease, records: readonly Rec[], status: RunStatus): Batch | undefined {
    const { n } = this.#state
    if (n === this.#from) return undefined
    const encoded = records.slice(this.#from - n).map(encodeRecord)
    const first = this.#from + 1
    const blobs = new Map(encoded.flatMap(({ blobs: own }) => [...(own ?? [])]))
    const body = `[${encoded.map(({ text }) => text).join(',\n')}]`
    this.#from = n
    this.#sinceSnapshot += body.length
    return {
      lease,
      first,
      count: encoded.length,
      version: FORMAT,
      body,
      row: summary(this.#state, this.#definitions, status),
      ...(this.#programs.length > 0 ? { programs: this.#programs.splice(0) } : {}),
      ...(blobs.size > 0 ? { blobs } : {}),
      ...(this.#taken.length > 0 ? { taken: this.#taken.splice(0) } : {}),
      ...this.#snapshot(),
    }
  }

  /** A snapshot costs less than the journal since the last one, so together they cost less than the journal. */
  #snapshot(): { snapshot: string } | undefined {
    if (this.#sinceSnapshot < Math.min(Math.max(FIRST_SNAPSHOT, 2 * this.#lastSnapshot), LARGEST_SNAPSHOT_GAP)) return undefined
    const keepsHistory = (pin: number) => this.#definitions.kind(this.#definitions.program(pin).kind).board?.history === true
    this.#sinceSnapshot = 0
    const snapshot = textOf(dumpState(this.#state, keepsHistory))
    if (snapshot === undefined) return undefined
    this.#lastSnapshot = snapshot.length
    return { snapshot }
  }
}

/** Undefined for a state that is larger than a text can be: its run goes on without a snapshot. */
function textOf(state: StoredState): string | undefined {
  try {
    return JSON.stringify(state)
  } catch (thrown) {
    if (thrown instanceof RangeError) return undefined
    throw thrown
  }
}

/** A program as a store keeps it. */
export function storedProgram(program: Program): StoredProgram {
  return { hash: program.hash, kind: program.kind, source: JSON.stringify(program.source) }
}
