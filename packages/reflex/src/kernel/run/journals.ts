import { faults } from '../journal/faults.ts'
import type { Json } from '../journal/json.ts'
import { RunPrograms } from '../step/run-programs.ts'
import type { Programs } from '../step/programs.ts'
import type { Pin, Rec } from '../journal/record.ts'
import type { OpeningSnapshot, Segment } from '../ports/segment.ts'
import { applyChecked } from '../state/apply-checked.ts'
import { State } from '../state/state.ts'
import { decodeStored, loadSnapshot, missingRecord, openingState } from './read-records.ts'
import type { RunRow, Store, StoredBatch, StoredRun } from '../ports/store.ts'

/** A stored run, read without a lease. */
export interface Peek {
  readonly row: RunRow
  readonly state: State
  readonly definitions: RunPrograms
}

/** A stored journal, read without a lease. */
export interface History extends Peek {
  readonly records: readonly Rec[]
  /** The number of `records[0]`: 1, or that of the first record of a run that began with a snapshot. */
  readonly first: number
  /** Returns the state before `records[0]`, each time a new one: it is empty unless the run began with a snapshot. */
  readonly opening: () => State
}

/** A part of a journal that is folded alone. */
export interface JournalSegment {
  readonly segment: Segment
  /** Absent if it begins with the first record of the run. */
  readonly snapshot?: OpeningSnapshot | undefined
  readonly records: readonly Rec[]
  /** Returns the state before its first record, each time a new one. Throws `R5003` for a snapshot that cannot be read. */
  readonly opening: () => State
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

  /** Returns the state of a run after its last record. `known`, read earlier, is read again only if something was recorded since. */
  async latest({ id, trace, last }: RunRow, known: Peek | undefined): Promise<Pick<Peek, 'state' | 'definitions'>> {
    const isLatest = known !== undefined && known.row.trace === trace && known.state.n === last
    if (!isLatest) return this.peek(id)
    const { state } = known
    return { state, definitions: await this.definitions(state) }
  }

  /** Returns the programs that a run has pinned, without loading one of them. */
  async pins(id: string): Promise<readonly Pin[]> {
    const stored = await this.#store.read(id)
    if (stored === undefined) throw noRun(id)
    return (await this.#fold(stored)).pins
  }

  async records(id: string): Promise<Rec[]> {
    return this.#decode(id, await this.#store.journal(id))
  }

  /** Returns all records of a run and the state with which it ends. Throws as `peek` and `Store.journal`. */
  async history(id: string): Promise<History> {
    const peek = await this.peek(id)
    const records = await this.records(id)
    const [first] = await this.#store.segments(id)
    const snapshot = first === undefined || first.opens === 0 ? undefined : (await this.#store.segment(id, first.number))?.snapshot
    return { ...peek, records, first: (first?.opens ?? 0) + 1, opening: () => openingState(id, snapshot) }
  }

  /**
   * Yields the current records of a run in batches, for callers that need not keep all of them. `from`: the first record of a segment;
   * default: that of the first one.
   */
  async *batches(id: string, from?: number, until?: number): AsyncGenerator<readonly Rec[]> {
    let number = from
    for await (const batch of this.#store.batches(id, from, until)) {
      number ??= batch.first === 1 ? 1 : ((await this.#store.segments(id))[0]?.first ?? 1)
      const records = await this.#decode(id, [batch])
      if (batch.first !== number) throw missingRecord(id, number)
      number += records.length
      yield records
    }
  }

  /** Returns the segments of a run in order, the open one last. */
  async segments(id: string): Promise<readonly Segment[]> {
    return this.#store.segments(id)
  }

  /** Reads a segment. Undefined if there is none; throws `R5054` if it is gone. */
  async segment(id: string, number: number): Promise<JournalSegment | undefined> {
    const stored = await this.#store.segment(id, number)
    if (stored === undefined) return undefined
    const { segment, snapshot, batches } = stored
    return { segment, snapshot, records: await this.#decode(id, batches), opening: () => openingState(id, snapshot) }
  }

  /** Reads the snapshot that a seal has made: it opens the next segment. Undefined if it is not what was written. */
  async seal(id: string, { last, chain }: Segment): Promise<Pick<JournalSegment, 'snapshot' | 'opening'> | undefined> {
    const stored = await this.#store.read(id, last)
    if (stored?.snapshot?.at !== last) return undefined
    const snapshot = { ...stored.snapshot, chain }
    return { snapshot, opening: () => openingState(id, snapshot) }
  }

  /** Reads the segments of a run from the one with record `from` back to the first. Throws `R5054` at one that is gone. */
  async *backwards(id: string, from = Number.POSITIVE_INFINITY): AsyncGenerator<JournalSegment> {
    for (const { number, first } of [...(await this.segments(id))].reverse()) {
      const found = first > from ? undefined : await this.segment(id, number)
      if (found !== undefined) yield found
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
    for (const batch of batches) records.push(...(await decodeStored(this.#store, run, batch)))
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

  /** Throws `R5014` where this process does not have a function that the programs of a run have pinned. Their sources are loaded before. */
  requireFunctions(pins: readonly Pin[], run: string | undefined): void {
    for (const pin of pins) {
      if (pin[4] !== undefined) this.#programs.exact(pin, run)
    }
  }

  /** A reader of a run may have other versions of its functions: a program says the same of itself with them. */
  #restore(pin: Pin, source: Json, run: string | undefined): void {
    const [name, kind, rev, hash, functions] = pin
    try {
      this.#programs.restore(pin, source, run)
    } catch (thrown) {
      if (functions === undefined) throw thrown
      try {
        this.#programs.restore([name, kind, rev, hash], source)
      } catch {
        throw thrown
      }
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
      this.#restore(pin, JSON.parse(stored.source) as Json, run)
    }
  }
}

export function noRun(id: string): Error {
  return faults.make('R2016', `the store has no run ${id}`, { run: id, fix: 'reflex runs' })
}
