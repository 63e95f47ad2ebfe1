import {
  findEntry,
  type FrameEntry,
  type Frame,
  isList,
  isObject,
  type Json,
  ReadWatcher,
  type Rec,
  type Ref,
  type State,
} from '../kernel/index.ts'
import type { StoryEvent } from '../programs/kind-view.ts'
import type { StoryLine } from './trace.ts'
import type { ViewedPrograms } from '../programs/kinds.ts'

/** An entry of a board: its key, its value, the record that wrote it, and the frame of the board. */
export interface Origin {
  readonly key: string
  readonly value: Json
  readonly record: number
  readonly frame: Ref
}

/** Records of a run in order, and everything that folds them. */
export interface FoldedRecords {
  readonly records: readonly Rec[]
  /** Returns the state before the first of them. Each call returns another object. */
  readonly opening: () => State
  readonly definitionsFor: (state: State) => ViewedPrograms
}

/** The number of steps that are decided together when the first of them is asked for; it doubles each time. */
const WINDOW = 1_000

/**
 * The entries that the steps of a journal read. Records do not hold them, so a step that is asked for is decided again, together with the
 * steps before it, because causes are searched backwards. A question about the end of a long run decides only a few steps.
 */
export class StepReads {
  readonly #records: readonly Rec[]
  readonly #opening: () => State
  readonly #definitionsFor: (state: State) => ViewedPrograms
  readonly #lines: (n: number) => readonly StoryLine[]
  readonly #known = new Map<number, readonly Origin[]>()
  #window = WINDOW

  /** `lines` returns the story of a record. */
  constructor({ records, opening, definitionsFor }: FoldedRecords, lines: (n: number) => readonly StoryLine[]) {
    this.#records = records
    this.#opening = opening
    this.#definitionsFor = definitionsFor
    this.#lines = lines
  }

  /** Returns the entries that the agent of a record saw, and the entries that its step read, without the internal keys of its kind. */
  readsOf(n: number): readonly Origin[] {
    if (!this.#known.has(n)) this.#decide(n - this.#window + 1, n)
    return this.#known.get(n) ?? []
  }

  #decide(from: number, to: number): void {
    this.#window *= 2
    const state = this.#opening()
    const before = state.n
    const definitions = this.#definitionsFor(state)
    const watcher = new ReadWatcher(state, definitions)
    for (const record of this.#records.slice(0, to - before)) {
      const n = state.n + 1
      const frame = state.frames.get(record.frame)
      if (frame === undefined || n < from || this.#known.has(n)) state.apply(record)
      else {
        const reads = watcher.readsOf(record)
        const replaced = overwrittenEntries(frame, record)
        state.apply(record)
        const stepper = definitions.kind(definitions.program(frame.pin).kind)
        const seen = this.#lines(n).flatMap(({ event }) => seenKeys(event))
        this.#known.set(n, [
          ...seen.flatMap((key) => seenEntry(frame, key, n, replaced) ?? []),
          ...reads.filter(({ key }) => stepper.isInternal?.(key) !== true).flatMap((entry) => originOf(entry) ?? []),
        ])
      }
      state.droppedEffects.length = 0
    }
  }
}

/** Returns an entry as an origin; undefined for a removed entry. */
export function originOf({ key, value, record, frame }: FrameEntry): Origin | undefined {
  return value === undefined ? undefined : { key, value, record, frame }
}

/** Returns the keys that an event reports as read or shown to the agent. */
function seenKeys({ facts }: StoryEvent): string[] {
  const { keys, cut } = isObject(facts?.saw) ? facts.saw : {}
  return [keys, cut].flatMap((list) => (isList(list) ? list : [])).filter((key) => typeof key === 'string')
}

/** Returns the current values of entries that a record will overwrite. */
function overwrittenEntries(frame: Frame, { writes = [] }: Rec): readonly Origin[] {
  return writes.flatMap((key, i): Origin[] => {
    const entry = i % 2 === 0 && typeof key === 'string' ? findEntry(frame, key) : undefined
    const origin = entry === undefined ? undefined : originOf(entry)
    return origin === undefined ? [] : [origin]
  })
}

/** Returns the entry that could be read before a record, under a key or under a prefix of a path. */
function seenEntry(frame: Frame, path: string, record: number, replaced: readonly Origin[]): Origin | undefined {
  const steps = path.split('.')
  for (let length = steps.length; length > 0; length--) {
    const key = steps.slice(0, length).join('.')
    const before = replaced.find((origin) => origin.key === key)
    if (before !== undefined) return before
    const entry = findEntry(frame, key)
    if (entry !== undefined && entry.record < record) return originOf(entry)
  }
  return undefined
}
