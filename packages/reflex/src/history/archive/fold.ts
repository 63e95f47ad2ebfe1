import { pinsOf } from './record-lines.ts'
import { type LineOf, time } from './format.ts'
import { historyFaults } from '../faults.ts'
import { readOpening } from './opening.ts'
import {
  dumpState,
  faults as kernelFaults,
  type Json,
  loadState,
  type Pin,
  type Programs,
  type Rec,
  RunPrograms,
  type RunRow,
  type Start,
  State,
  type StoredState,
  summary,
} from '../../kernel/index.ts'

/** The size of records in characters after which a state is reduced to the parts that can still be read, as in a snapshot. */
const COMPACT_SIZE = 4_000_000
/** The maximum size of the state of a sealed run in characters. */
const MAX_STATE_SIZE = 100_000_000

/**
 * The run of an archive up to the last line that was read: its state and its programs. Of a run that was never sealed, it leaves out the
 * values on boards, because the state of a run does not depend on them, and they can be larger than the memory. A sealed run is stored with
 * its state after each segment, so the values are needed, and their size is limited.
 */
export class ArchiveFold {
  readonly #kinds: Programs
  readonly #header: LineOf<'archive'>
  readonly #sources = new Map<string, { readonly kind: string; readonly source: Json }>()
  readonly #unusedPrograms = new Set<string>()
  #state = new State()
  #definitions: RunPrograms
  #sinceCompacted = 0
  /** True if it began with permissions of people. */
  #beganPermitted = false
  /** The size of the state in characters when it was compacted last. */
  #size = 0

  /** Adds the programs of the archive to `kinds`, by their hashes. */
  constructor(kinds: Programs, header: LineOf<'archive'>) {
    this.#kinds = kinds
    this.#header = header
    this.#definitions = new RunPrograms(kinds, this.#state)
  }

  get state(): State {
    return this.#state
  }

  /** Returns the row of the run for lists. An open run is suspended: no process holds it here. */
  summary(): ReturnType<typeof summary> {
    return summary(this.#state, this.#definitions, statusOf(this.#state))
  }

  /** True if it claims that people have given it permissions. */
  get claimsPermissions(): boolean {
    return this.#beganPermitted || claimsPermissions(this.#state)
  }

  get #hasValues(): boolean {
    return this.#header.archive > 1
  }

  /** Returns the state as the text of a snapshot, with a changed start. */
  snapshot(change: (start: Start) => Start): string {
    const dumped = dumpState(this.#state, this.#hasHistory)
    return JSON.stringify({ ...dumped, start: change(dumped.start) })
  }

  /** Begins with the state after a record, from the text of a snapshot. Returns what is wrong with it, as far as the archive can tell. */
  open(text: string, at: number): 'another run' | 'a stray program' | undefined {
    const state = readOpening(text)
    const { run, trace, program } = this.#header
    const { start, pins, n } = state
    const isOfRun = start?.run === run && start.trace === trace && JSON.stringify(pins[0]) === JSON.stringify(program)
    if (!isOfRun || n !== at || state.ended !== undefined) return 'another run'
    for (const pin of pins) {
      if (this.#sources.get(pin[3])?.kind !== pin[1]) throw new TypeError(`it uses ${pin[0]}, which no line before it has`)
      this.#restoreProgram(pin)
    }
    if (this.#unusedPrograms.size > 0) return 'a stray program'
    this.#state = state
    this.#beganPermitted = claimsPermissions(state)
    this.#size = text.length
    this.#definitions = new RunPrograms(this.#kinds, state)
    return undefined
  }

  /** Adds a program that the next record must use. */
  addProgram(hash: string, kind: string, source: Json): void {
    this.#sources.set(hash, { kind, source })
    this.#unusedPrograms.add(hash)
  }

  hasProgram(hash: string): boolean {
    return this.#sources.has(hash)
  }

  /** Returns the first program that a record uses and no line has added. */
  missingProgram(record: Rec): Pin | undefined {
    return pinsOf(record).find(([, kind, , hash]) => this.#sources.get(hash)?.kind !== kind)
  }

  /**
   * Adds the next record; `size` is its size in characters. Returns what is wrong with it, as far as the archive can tell. Throws what a
   * record from another program breaks, and `R5004` for a kind with an older revision here.
   */
  add(record: Rec, size: number): 'another run' | 'a start' | 'a stray program' | undefined {
    const { start } = record.more ?? {}
    if ((start === undefined) === (this.#state.n === 0)) return 'a start'
    const { run, trace, program } = this.#header
    if (start !== undefined && (start.run !== run || start.trace !== trace || JSON.stringify(start.pins[0]) !== JSON.stringify(program)))
      return 'another run'
    for (const pin of pinsOf(record)) this.#restoreProgram(pin)
    if (this.#unusedPrograms.size > 0) return 'a stray program'
    this.#state.apply(this.#hasValues ? record : withoutValues(record))
    this.#state.droppedEffects.length = 0
    if (usedPins(record).some((pin) => pin >= this.#state.pins.length)) throw new TypeError('it uses a program that no record has pinned')
    if (!time.safeParse(this.#state.time).success) throw new TypeError('the time is out of range')
    this.#compact(size)
    return undefined
  }

  #restoreProgram(pin: Pin): void {
    const [name, kind, rev, hash] = pin
    const found = this.#sources.get(hash)
    if (found === undefined) return
    if (this.#kinds.kind(kind).rev < rev)
      throw kernelFaults.make('R5004', `${name} needs revision ${rev} of ${kind}`, { run: this.#header.run })
    this.#unusedPrograms.delete(hash)
    // An archive can be read without the functions of its run.
    if (this.#kinds.byHash(hash) === undefined) this.#kinds.restore([name, kind, rev, hash], found.source)
  }

  readonly #hasHistory = (pin: number): boolean => this.#definitions.kind(this.#definitions.program(pin).kind).board?.history === true

  /** Ends a segment. Throws `R2146` if its state is too large for a snapshot. */
  seal(): void {
    this.#compact(Number.POSITIVE_INFINITY)
  }

  #compact(size: number): void {
    this.#sinceCompacted += size
    if (this.#sinceCompacted < Math.max(COMPACT_SIZE, this.#size)) return
    this.#sinceCompacted = 0
    const dumped = dumpState(this.#state, this.#hasHistory)
    if (this.#hasValues) this.#size = sizeOf(dumped)
    this.#state = loadState(dumped)
    this.#definitions = new RunPrograms(this.#kinds, this.#state)
  }
}

function claimsPermissions({ decisions, uses, frames }: State): boolean {
  return decisions.size > 0 || uses.size > 0 || frames.values().some(({ grants }) => grants !== undefined)
}

/** Returns the size of a state in characters. Throws `R2146` if it is too large. */
function sizeOf(dumped: StoredState): number {
  let size = 0
  for (const frame of dumped.frames) size += JSON.stringify(frame).length
  if (size <= MAX_STATE_SIZE) return size
  throw historyFaults.make('R2146', `after record ${dumped.n}, the state has ${size} characters; the limit is ${MAX_STATE_SIZE}`)
}

/** Returns the numbers of the pins that frames use after a record. */
function usedPins({ more: { call, spawn = [], become } = {} }: Rec): readonly number[] {
  return [call?.pin, become, ...spawn.map(({ pin }) => pin)].filter((pin) => pin !== undefined)
}

function statusOf({ ended }: State): RunRow['status'] {
  return ended === undefined ? 'suspended' : ended.status === 'done' ? 'completed' : ended.status
}

/** Returns a record with its keys and without its values. */
function withoutValues(record: Rec): Rec {
  const { writes, more } = record
  const blank = (flat: readonly Json[]): readonly Json[] => flat.map((item, i) => (i % 2 === 0 ? item : 0))
  if (more === undefined) return writes === undefined ? record : { ...record, writes: blank(writes) }
  const { root, sub } = more
  return {
    ...record,
    writes: writes === undefined ? undefined : blank(writes),
    more: {
      ...more,
      ...(root === undefined ? {} : { root: blank(root) }),
      ...(sub === undefined ? {} : { sub: sub.map(([id, flat]) => [id, blank(flat)] as const) }),
    },
  }
}
