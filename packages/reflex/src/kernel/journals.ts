import { blobsOf, decodeBatch } from './codec.ts'
import { faults } from './faults.ts'
import type { Json } from './json.ts'
import { RunPrograms } from './pinned.ts'
import type { Programs } from './programs.ts'
import type { Rec } from './record.ts'
import { loadState, type StoredState } from './snapshot.ts'
import { State } from './state.ts'
import type { RunRow, Store, StoredBatch, StoredRun } from './store.ts'

/** A run as a store has it, without the right to go on with it. */
export interface Peek {
  readonly row: RunRow
  readonly state: State
  readonly definitions: RunPrograms
}

/** A journal read from a store, without the right to go on with it. */
export interface History extends Peek {
  /** Every record from the first; `records[0]` is number 1. */
  readonly records: readonly Rec[]
}

/** Reads journals: batches into records, records into a state, pins into programs. */
export class Journals {
  readonly #store: Store
  readonly #programs: Programs

  constructor(store: Store, programs: Programs) {
    this.#store = store
    this.#programs = programs
  }

  /** The state after record `until`, or after the last. */
  async peek(id: string, until?: number): Promise<Peek> {
    const stored = await this.#store.read(id, until)
    if (stored === undefined) throw noRun(id)
    if (stored.row.last === 0) throw faults.make('R5010', `${id} has no record yet`, { run: id })
    const state = await this.#fold(stored, until)
    return { row: stored.row, state, definitions: await this.#definitions(state) }
  }

  async records(id: string): Promise<Rec[]> {
    return this.#decode(id, await this.#store.journal(id))
  }

  async #fold(stored: StoredRun, until = Number.POSITIVE_INFINITY): Promise<State> {
    const { snapshot, row } = stored
    const state = snapshot === undefined ? new State() : loadState(JSON.parse(snapshot.body) as StoredState)
    let next = (stored.batches[0]?.first ?? state.n + 1) - 1
    for (const record of await this.#decode(row.id, stored.batches)) {
      next++
      if (next <= state.n || next > until) continue
      if (next !== state.n + 1)
        throw faults.make('R5003', `${row.id}: record ${state.n + 1} is missing`, { run: row.id, data: { record: state.n + 1 } })
      state.apply(record)
    }
    if (state.start === undefined) throw faults.make('R5003', `${row.id} has no first record`, { run: row.id })
    return state
  }

  async #decode(run: string, batches: readonly StoredBatch[]): Promise<Rec[]> {
    const records: Rec[] = []
    for (const { version, body } of batches) {
      const blobs = new Map<string, string>()
      for (const hash of blobsOf(body)) blobs.set(hash, (await this.#store.blob(hash)) ?? missingBlob(run, hash))
      for (const record of decodeBatch(version, body, (hash) => blobs.get(hash) ?? missingBlob(run, hash))) records.push(record)
    }
    return records
  }

  /** Makes the programs of a run known by their hashes: from the registry, else from the store. */
  async #definitions(state: State): Promise<RunPrograms> {
    for (const pin of state.pins) {
      const [pinned, kindName, rev, hash] = pin
      if (this.#programs.kind(kindName).rev < rev)
        throw faults.make('R5004', `${pinned} needs revision ${rev} of ${kindName}`, { run: state.start?.run })
      if (this.#programs.byHash(hash) !== undefined) continue
      const stored = await this.#store.program(hash)
      if (stored === undefined) throw faults.make('R5006', `${pinned}@${hash.slice(0, 6)} is not in the store`, { run: state.start?.run })
      this.#programs.restore(pin, JSON.parse(stored.source) as Json)
    }
    return new RunPrograms(this.#programs, state, this.#store.durable)
  }
}

export function noRun(id: string): Error {
  return faults.make('R2016', `the store has no run ${id}`, { run: id, fix: 'reflex runs' })
}

function missingBlob(run: string, hash: string): never {
  throw faults.make('R5003', `${run}: the value ${hash.slice(0, 8)} is not in the store`, { run })
}
