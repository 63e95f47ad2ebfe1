import { blobsOf, decodeBatch } from '../journal/codec.ts'
import { toFault } from '../journal/fault.ts'
import { faults } from '../journal/faults.ts'
import type { Json } from '../journal/json.ts'
import { RunPrograms } from '../step/run-programs.ts'
import type { Programs } from '../step/programs.ts'
import type { Pin, Rec } from '../journal/record.ts'
import { loadState, type StoredState } from '../state/snapshot.ts'
import { applyChecked } from '../state/apply-checked.ts'
import { State } from '../state/state.ts'
import type { RunRow, Store, StoredBatch, StoredRun } from '../ports/store.ts'

/** A stored run, read without a lease. */
export interface Peek {
  readonly row: RunRow
  readonly state: State
  readonly definitions: RunPrograms
}

/** A stored journal, read without a lease. */
export interface History extends Peek {
  /** All records from the first; `records[0]` is number 1. */
  readonly records: readonly Rec[]
}

/** Reads journals: batches to records, records to a state, pins to programs. */
export class Journals {
  readonly #store: Store
  readonly #programs: Programs

  constructor(store: Store, programs: Programs) {
    this.#store = store
    this.#programs = programs
  }

  /** Returns the state after record `until`, or after the last. */
  async peek(id: string, until?: number): Promise<Peek> {
    const stored = await this.#store.read(id, until)
    if (stored === undefined) throw noRun(id)
    if (stored.row.last === 0) throw faults.make('R5010', `${id} has no record yet`, { run: id })
    const state = await this.#fold(stored, until)
    return { row: stored.row, state, definitions: await this.definitions(state) }
  }

  async records(id: string): Promise<Rec[]> {
    return this.#decode(id, await this.#store.journal(id))
  }

  /** Yields the current records of a run in batches, for callers that need not keep all of them. */
  async *batches(id: string): AsyncGenerator<readonly Rec[]> {
    const stored = [...(await this.#store.journal(id))].reverse()
    let number = 1
    for (let next = stored.pop(); next !== undefined; next = stored.pop()) {
      const records = await this.#decode(id, [next])
      if (next.first !== number) throw missingRecord(id, number)
      number += records.length
      yield records
    }
  }

  async #fold(stored: StoredRun, until = Number.POSITIVE_INFINITY): Promise<State> {
    const { snapshot, row } = stored
    const loaded = snapshot === undefined ? undefined : loadSnapshot(row.id, snapshot)
    const batches = loaded === undefined && snapshot !== undefined ? await this.#store.journal(row.id) : stored.batches
    const state = loaded ?? new State()
    let next = (batches[0]?.first ?? state.n + 1) - 1
    for (const record of await this.#decode(row.id, batches)) {
      next++
      if (next <= state.n || next > until) continue
      if (next !== state.n + 1) throw missingRecord(row.id, state.n + 1)
      applyChecked(state, record)
    }
    if (state.start === undefined) throw faults.make('R5003', `${row.id} has no first record`, { run: row.id })
    return state
  }

  async #decode(run: string, batches: readonly StoredBatch[]): Promise<Rec[]> {
    const records: Rec[] = []
    for (const { version, body, first } of batches) {
      const blobs = new Map<string, string>()
      for (const hash of blobsOf(body)) blobs.set(hash, (await this.#store.blob(hash)) ?? missingBlob(run, hash))
      const blob = (hash: string) => blobs.get(hash) ?? missingBlob(run, hash)
      for (const record of decodeBatch(version, body, blob, { run, first })) records.push(record)
    }
    return records
  }

  /** Returns the programs that a state has pinned. Throws `R5004` and `R5006`. */
  async definitions(state: State): Promise<RunPrograms> {
    await this.loadPrograms(state.pins, state.start?.run)
    return new RunPrograms(this.#programs, state, this.#store.durable)
  }

  /** Rejects with `R5011` where the programs of a run were begun by a revision of their kind that this one does not step. */
  async requireSupportedRevision(pins: readonly Pin[], run: string | undefined): Promise<void> {
    for (const [name, kindName, rev] of pins) {
      const { oldestRev = 1, rev: now } = await this.#programs.load(kindName)
      if (rev >= oldestRev) continue
      throw faults.make(
        'R5011',
        `${name} was begun by revision ${rev} of ${kindName}; this release continues revisions ${oldestRev} to ${now}`,
        {
          run,
          fix: run === undefined ? 'start the program again' : `look at it: reflex show ${run}, reflex trace ${run}`,
        },
      )
    }
  }

  /** Loads the kinds of pins and makes their programs known by their hashes: from the registry, else from the store. Throws `R5004` and `R5006`. */
  async loadPrograms(pins: readonly Pin[], run: string | undefined): Promise<void> {
    for (const pin of pins) {
      const [pinned, kindName, rev, hash] = pin
      if ((await this.#programs.load(kindName)).rev < rev)
        throw faults.make('R5004', `${pinned} needs revision ${rev} of ${kindName}`, { run })
      if (this.#programs.byHash(hash) !== undefined) continue
      const stored = await this.#store.program(hash)
      if (stored === undefined) throw faults.make('R5006', `${pinned}@${hash.slice(0, 6)} is not in the store`, { run })
      this.#programs.restore(pin, JSON.parse(stored.source) as Json)
    }
  }
}

function missingRecord(run: string, record: number): Error {
  return faults.make('R5003', `${run}: record ${record} is missing`, { run, data: { record } })
}

/** Undefined for a snapshot of an earlier release, which has no meter: the journal is then folded from the start. */
function loadSnapshot(run: string, { at, body }: NonNullable<StoredRun['snapshot']>): State | undefined {
  try {
    const stored = JSON.parse(body) as StoredState
    const state = loadState(stored)
    return stored.meter === undefined ? undefined : state
  } catch (thrown) {
    throw toFault(thrown, (message) => faults.make('R5003', `${run}: the snapshot after record ${at} cannot be read: ${message}`, { run }))
  }
}

export function noRun(id: string): Error {
  return faults.make('R2016', `the store has no run ${id}`, { run: id, fix: 'reflex runs' })
}

function missingBlob(run: string, hash: string): never {
  throw faults.make('R5003', `${run}: the value ${hash.slice(0, 8)} is not in the store`, { run })
}
