import { faults } from '../runs/faults.ts'
import {
  type Batch,
  type Definitions,
  differingParts,
  dumpState,
  type Fault,
  hidesContents,
  isFault,
  isList,
  Journals,
  loadState,
  type Pin,
  type Rec,
  Replayer,
  type RunRow,
  type Runtime,
  type State,
  type Store,
  type StoredState,
  summary,
} from '../kernel/index.ts'
import type { Library } from '../programs/library.ts'
import { isModule, type Kinds, type ProgramViewer, type ViewedPrograms } from '../programs/kinds.ts'
import { ChangedPrograms } from './replaying-changed.ts'
import { rangeOf, type ReplayRange, snapshotsIn } from './replaying-range.ts'
import { type ReplayDifference, describeDifference } from './replaying-difference.ts'
import { firstDifference } from '../history/first-difference.ts'
import { readSettings } from '../policy/index.ts'
import { pathText } from '../text/index.ts'

/** The options of a replay. */
export interface ReplayOptions {
  /** A file whose program replaces that of the run. */
  readonly against?: string
  /** The kind of the program in that file, if its name does not show it. */
  readonly kind?: string
  /** The segment of a run that never ends, from 1. Absent: the whole run. */
  readonly segment?: number
}

/** The result of a replay. */
export interface Replayed {
  readonly row: RunRow
  /** `noted`: a changed program decides the same, and some records have other notes. */
  readonly result: 'equal' | 'noted' | 'differs'
  /** The segment that was replayed alone. */
  readonly segment?: number
  /** The run keeps no contents: its decisions were made again from what the records have read out of them. */
  readonly replayable?: 'decisions'
  /** The number of records of the run that are in the replay. */
  readonly records: number
  /** The number of records that were decided again and are equal, up to the first that differs. */
  readonly equal: number
  /** The number of agent decisions that were applied again. */
  readonly decisions: number
  /** The number of snapshots that match the fold of their records. */
  readonly snapshots: number
  /** The number of records of a changed program that differ only in their notes. */
  readonly noted: number
  /** The difference, with the place in the program: `R5041` for a record, `R5042` for a state in the store. Absent: everything is equal. */
  readonly fault?: Fault
  /** Both sides of the differing record; of several that differ only in notes, the first. */
  readonly difference?: ReplayDifference
}

/** The parts that a replay needs: journals, programs, and the files of programs. */
export interface ReplayWorld extends ProgramViewer {
  readonly store: Store
  readonly runtime: Pick<Runtime, 'programs'>
  readonly library: Library
  readonly kinds: Kinds
}

/**
 * Repeats every decision of a stored run, up to the last record of its row, and compares it with the records. Performs nothing
 * and changes nothing. Compares snapshots, those at seals too, the row and the state of a resume with the fold of the records
 * (architecture, invariants 2 and 5); with changed programs, compares only decisions. `segment`: only this segment, from the snapshot that
 * opens it. A run that began with a snapshot is replayed from there. Throws `R5003` for a journal that cannot be read, `R5006` for a program
 * that the store lacks, `R5011` for a run that only an older release can step, `R5048` if there is no such segment, `R5054` for records
 * that are gone.
 */
export async function replayRun(world: ReplayWorld, row: RunRow, changed?: ChangedPrograms, segment?: number): Promise<Replayed> {
  const journals = new Journals(world.store, world.runtime.programs)
  return new Replay(world, row, await rangeOf(journals, row, segment), changed).run()
}

class Replay {
  readonly #world: ReplayWorld
  readonly #row: RunRow
  readonly #range: ReplayRange
  readonly #changed: ChangedPrograms | undefined
  readonly #journals: Journals
  readonly #replayer: Replayer
  /** The programs that the run has pinned. */
  readonly #pinned: ViewedPrograms
  readonly #counts = { equal: 0, decisions: 0, snapshots: 0, noted: 0 }
  #firstNoted: ReplayDifference | undefined

  constructor(world: ReplayWorld, row: RunRow, range: ReplayRange, changed: ChangedPrograms | undefined) {
    const { programs } = world.runtime
    this.#world = world
    this.#row = row
    this.#range = range
    this.#changed = changed
    this.#journals = new Journals(world.store, programs)
    this.#replayer = new Replayer(programs, changed === undefined ? undefined : (name) => changed.find(name), range.state)
    this.#pinned = world.programsOf(this.#replayer.state)
  }

  get #position(): Parameters<typeof describeDifference>[1] {
    const { state, definitions } = this.#replayer
    const { kinds } = this.#world
    return { state, pinned: this.#pinned, now: kinds.viewed(definitions), language: (kind) => kinds.language(kind) }
  }

  async run(): Promise<Replayed> {
    const { id } = this.#row
    const { first, last, state } = this.#range
    await this.#loadPrograms(state.pins)
    const snapshots = this.#changed === undefined ? await snapshotsIn(this.#world.store, id, this.#range) : []
    for await (const records of this.#journals.batches(id, first, last)) {
      for (const record of records) {
        if (this.#replayer.state.n >= last) break
        const difference = await this.#next(record)
        if (difference !== undefined) return this.#result(difference)
        if (snapshots[0] !== this.#replayer.state.n) continue
        snapshots.shift()
        const wrong = await this.#compareSnapshot()
        if (wrong !== undefined) return this.#result(undefined, wrong)
        this.#counts.snapshots++
      }
    }
    return this.#result(this.#firstNoted, this.#changed === undefined ? await this.#compareEnd() : undefined)
  }

  async #loadPrograms(pins: readonly Pin[]): Promise<void> {
    await this.#journals.requireSupportedRevision(pins, this.#row.id)
    await this.#journals.loadPrograms(pins, this.#row.id)
    if (this.#changed === undefined) this.#journals.requireFunctions(pins, this.#row.id)
  }

  /** Decides a record again and applies the recorded one. Returns the difference if it ends the replay. */
  async #next(record: Rec): Promise<ReplayDifference | undefined> {
    const pins = record.more?.start?.pins ?? record.more?.pin
    if (isList(pins)) await this.#loadPrograms(pins)
    const found = this.#replayer.decide(record)
    if (found === undefined) this.#counts.equal++
    else {
      const isNoted = this.#changed !== undefined && differingParts(found).every(({ part }) => part === 'note')
      if (!isNoted || this.#firstNoted === undefined) {
        const difference = describeDifference(this.#row.id, this.#position, found, this.#changed ?? (await this.#ownFiles()))
        if (!isNoted) return difference
        this.#firstNoted = difference
      }
      this.#counts.noted++
    }
    this.#replayer.apply(record)
    if (record.input?.[0] === 'ok' && record.more?.wait === undefined) this.#counts.decisions++
    return undefined
  }

  /** Returns the current programs of the file that the run was started with: some may still be those of the run. */
  async #ownFiles(): Promise<ChangedPrograms | undefined> {
    const file = fileOfRun(this.#replayer.state)
    if (file === undefined || isModule(file)) return undefined
    const files = new ChangedPrograms(this.#world.runtime.programs, this.#world.library)
    try {
      await files.add(file)
    } catch (thrown) {
      if (!isFault(thrown)) throw thrown
    }
    return files
  }

  async #compareSnapshot(): Promise<Fault | undefined> {
    const { state } = this.#replayer
    const { id } = this.#row
    const read = await this.#world.store.read(id, state.n)
    // The snapshot was deleted in the meantime: no resume begins with it.
    if (read?.snapshot?.at !== state.n) return undefined
    const what = `the snapshot after record ${state.n}`
    let restored: State
    try {
      const stored = JSON.parse(read.snapshot.body) as StoredState
      restored = loadState(stored)
      // A snapshot of an earlier release: no resume begins with it.
      if (stored.meter === undefined) return undefined
    } catch (cause) {
      return faults.make('R5042', `${id}: ${what} cannot be read`, { run: id, cause, data: { record: state.n } })
    }
    return stateFault(id, what, dumpForCompare(restored, this.#pinned), dumpForCompare(state, this.#pinned))
  }

  async #compareEnd(): Promise<Fault | undefined> {
    const { state } = this.#replayer
    // The snapshot at its seal is the end of a segment.
    if (this.#range.last < this.#row.last) return undefined
    const { row, state: stored, definitions } = await this.#journals.peek(this.#row.id, this.#row.last)
    const resumed = stateFault(
      row.id,
      'the state that a resume begins with',
      dumpForCompare(stored, definitions),
      dumpForCompare(state, definitions),
    )
    if (resumed !== undefined || row.last !== state.n) return resumed
    // Records do not state whether effects are in flight, so the statuses running and suspended are not distinguished.
    const status = state.ended !== undefined ? ENDED[state.ended.status] : row.status === 'running' ? 'running' : 'suspended'
    return stateFault(row.id, 'what lists show of the run', listedRow(row), listedRow(summary(state, definitions, status)))
  }

  #result(difference: ReplayDifference | undefined, wrong: Fault | undefined = difference?.fault): Replayed {
    return {
      row: this.#row,
      result: wrong === undefined ? 'equal' : difference !== undefined && difference === this.#firstNoted ? 'noted' : 'differs',
      ...(this.#range.segment === undefined ? {} : { segment: this.#range.segment }),
      ...(hidesContents(this.#replayer.state) ? { replayable: 'decisions' } : {}),
      records: this.#range.last - this.#range.first + 1,
      ...this.#counts,
      ...(wrong === undefined ? {} : { fault: wrong }),
      ...(difference === undefined ? {} : { difference }),
    }
  }
}

const ENDED = { done: 'completed', failed: 'failed', cancelled: 'cancelled' } as const

function listedRow({ status, updated, due, waits, value = null }: Batch['row']): object {
  return { status, updated, due, value, waits: waits.map(({ id, type, name, number }) => ({ id, type, name, number })) }
}

/** Returns the file that a run was started with, according to its journal, which is not trusted. */
export function fileOfRun({ start }: State): string | undefined {
  return readSettings(start?.by)?.file
}

/** Returns the tool modules that a run was started with, according to its journal. */
export function toolsOfRun({ start }: State): readonly string[] {
  return readSettings(start?.by)?.tools ?? []
}

function dumpForCompare(state: State, definitions: Definitions): StoredState {
  return dumpState(state, (pin) => definitions.kind(definitions.program(pin).kind).board?.history === true)
}

function stateFault(run: string, what: string, stored: object, folded: object): Fault | undefined {
  const found = firstDifference(stored, folded)
  if (found === undefined) return undefined
  const { one, other } = found
  const path = pathText(found.path)
  return faults.make('R5042', `${run}: ${what} is not what the records give: ${path} is ${one} there, and ${other} by the records`, {
    run,
    path,
  })
}
