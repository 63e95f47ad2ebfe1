import { faults } from '../runs/faults.ts'
import {
  type Batch,
  type Definitions,
  differingParts,
  dumpState,
  type Fault,
  isFault,
  isList,
  Journals,
  loadState,
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
import { type ReplayDifference, describeDifference } from './replaying-difference.ts'
import { firstDifference } from '../history/first-difference.ts'
import { readSettings } from '../policy/index.ts'
import { pathText } from '../text/index.ts'

/** The result of a replay. */
export interface Replayed {
  readonly row: RunRow
  /** `noted`: a changed program decides the same, and some records have other notes. */
  readonly result: 'equal' | 'noted' | 'differs'
  /** The number of records of the run. */
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
 * and changes nothing. Compares snapshots, the row and the state of a resume with the fold of the records (architecture,
 * invariants 2 and 5); with changed programs, compares only decisions. Throws `R5003` for a journal that cannot be read,
 * `R5006` for a program that the store lacks, `R5011` for a run that only an older release can step.
 */
export async function replayRun(world: ReplayWorld, row: RunRow, changed?: ChangedPrograms): Promise<Replayed> {
  return new Replay(world, row, changed).run()
}

class Replay {
  readonly #world: ReplayWorld
  readonly #row: RunRow
  readonly #changed: ChangedPrograms | undefined
  readonly #journals: Journals
  readonly #replayer: Replayer
  /** The programs that the run has pinned. */
  readonly #pinned: ViewedPrograms
  readonly #counts = { equal: 0, decisions: 0, snapshots: 0, noted: 0 }
  #firstNoted: ReplayDifference | undefined

  constructor(world: ReplayWorld, row: RunRow, changed: ChangedPrograms | undefined) {
    const { programs } = world.runtime
    this.#world = world
    this.#row = row
    this.#changed = changed
    this.#journals = new Journals(world.store, programs)
    this.#replayer = new Replayer(programs, changed === undefined ? undefined : (name) => changed.find(name))
    this.#pinned = world.programsOf(this.#replayer.state)
  }

  get #position(): Parameters<typeof describeDifference>[1] {
    const { state, definitions } = this.#replayer
    const { kinds } = this.#world
    return { state, pinned: this.#pinned, now: kinds.viewed(definitions), language: (kind) => kinds.language(kind) }
  }

  async run(): Promise<Replayed> {
    const { id, last } = this.#row
    const snapshots = this.#changed === undefined ? await snapshotsOf(this.#world.store, id, last) : []
    for await (const records of this.#journals.batches(id)) {
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

  /** Decides a record again and applies the recorded one. Returns the difference if it ends the replay. */
  async #next(record: Rec): Promise<ReplayDifference | undefined> {
    const pins = record.more?.start?.pins ?? record.more?.pin
    if (isList(pins)) {
      await this.#journals.requireSupportedRevision(pins, this.#row.id)
      await this.#journals.loadPrograms(pins, this.#row.id)
      if (this.#changed === undefined) this.#journals.requireFunctions(pins, this.#row.id)
    }
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
      records: this.#row.last,
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

/** Returns the numbers of the records after which there are snapshots, in order. */
async function snapshotsOf(store: Store, run: string, until: number): Promise<number[]> {
  const found: number[] = []
  for (let at = (await store.read(run, until))?.snapshot?.at; at !== undefined; at = (await store.read(run, at - 1))?.snapshot?.at)
    found.unshift(at)
  return found
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
