import {
  findEntry,
  type FoundEntry,
  framePath,
  type Frame,
  isList,
  isObject,
  type Json,
  nodePath,
  ReadWatcher,
  type Rec,
  type Ref,
  type Request,
  type RunPrograms,
  type Scope,
  State,
  strandName,
  type StoryEvent,
  topOf,
} from '../kernel/index.ts'
import { linesOf, type StoryLine } from './trace.ts'

/** An entry of a board: its key, its value, the record that wrote it, and the frame whose board it is. */
export interface Origin {
  readonly key: string
  readonly value: Json
  readonly record: number
  readonly frame: Ref
}

/** One record, with what its step read. */
export interface Moment {
  readonly n: number
  readonly record: Rec
  /** The path of the frame before it. */
  readonly path: string
  /** What its frame is called: the path of a branch, else its program. */
  readonly called: string
  /** It is the first step of its frame. */
  readonly first: boolean
  /** The record of the same frame before this one. */
  readonly before: number | undefined
  readonly lines: readonly StoryLine[]
  /** Entries that the step read, without the book-keeping of its kind. */
  readonly reads: readonly Origin[]
  /** Entries that whoever decided says to have seen. */
  readonly saw: readonly Origin[]
}

/** A journal read once more, with every step decided again, so that it can be asked where things come from. */
export class Chronology {
  readonly moments: Moment[] = []
  readonly #state = new State()
  readonly #definitions: RunPrograms
  readonly #watcher: ReadWatcher
  /** Entries that were copied from another board: out of a call, or from a strand that was taken over. */
  readonly #copies = new Map<string, Origin>()
  readonly #ends = new Map<Ref, number>()
  /** The last record of each frame so far. */
  readonly #latest = new Map<Ref, number>()
  readonly #requests = new Map<Ref, Request>()

  /** Throws `R5003` and `R9001` as a replay of the records does. */
  constructor(records: readonly Rec[], definitionsFor: (state: State) => RunPrograms) {
    this.#definitions = definitionsFor(this.#state)
    this.#watcher = new ReadWatcher(this.#state, this.#definitions)
    for (const record of records) this.#take(record)
  }

  get lines(): StoryLine[] {
    return this.moments.flatMap(({ lines }) => lines)
  }

  at(n: number): Moment {
    const moment = this.moments[n - 1]
    if (moment === undefined) throw new RangeError(`no record ${n}`)
    return moment
  }

  /** The entry that is read under a key where the run stands: at the top of its stack, else at its root, else where it still is. */
  find(key: string): Origin | undefined {
    const { root } = this.#state
    const frames = [topOf(root), root, ...[...this.#state.frames.values()].map(topOf)]
    for (const frame of frames) {
      const entry = findEntry(frame, key)
      if (entry !== undefined) return originOf(entry)
    }
    return undefined
  }

  /** Everything that can be asked for by name. */
  names(): string[] {
    const keys = topOf(this.#state.root).reader().keys()
    return [...new Set([...keys, ...this.lines.flatMap(({ place, event }) => [place, event.node ?? place])])]
  }

  /** The entry that another one was copied from. */
  carried({ frame, key, record }: Origin): Origin | undefined {
    return this.#copies.get(copyName(frame, key, record))
  }

  /** The record with which a frame or a strand ended. */
  endOf(frame: Ref): number | undefined {
    return this.#ends.get(frame)
  }

  requestOf(effect: Ref): Request | undefined {
    return this.#requests.get(effect)
  }

  #take(record: Rec): void {
    const state = this.#state
    const n = state.n + 1
    const frame = state.frames.get(record.frame)
    const before = frame?.position
    const reads = this.#watcher.readsOf(record)
    const path = frame === undefined ? '' : framePath(frame, this.#definitions)
    const adopted = frame === undefined ? [] : adoptedBy(frame, record)
    const replaced = frame === undefined ? [] : overwritten(frame, record)
    state.apply(record)
    state.dropped.length = 0
    record.requests?.forEach((request, i) => this.#requests.set(i === 0 ? n : `${n}.${i}`, request))
    if (frame !== undefined) this.#copied(frame, record, n, adopted)
    const stepped = frame ?? state.root
    const { def, name, kind } = this.#definitions.program(stepped.pin)
    const stepper = this.#definitions.kind(kind)
    const change = { n, at: state.time, record, state, frame: stepped, def, before }
    const lines = frame === undefined ? [] : linesOf(change, this.#definitions)
    this.moments.push({
      n,
      record,
      path,
      called: strandName(stepped, this.#definitions) === undefined ? programId(name) : nodePath(stepped, undefined, this.#definitions),
      first: record.input === undefined && before === undefined,
      before: this.#latest.get(record.frame),
      lines,
      reads: reads.filter(({ key }) => stepper.own?.(key) !== true).flatMap((entry) => originOf(entry) ?? []),
      saw: frame === undefined ? [] : lines.flatMap(({ event }) => seenKeys(event)).flatMap((key) => seenIn(frame, key, n, replaced) ?? []),
    })
    this.#latest.set(record.frame, n)
  }

  /** Remembers where values come from that a return map or a taken over strand has brought. */
  #copied(frame: Frame, record: Rec, n: number, adopted: readonly (readonly [key: string, from: Origin])[]): void {
    for (const [key, from] of adopted) this.#copies.set(copyName(frame.id, key, n), from)
    const ending = record.more?.return?.[0]
    if (ending === undefined) return
    this.#ends.set(frame.id, n)
    const { link } = frame
    if (ending !== 'done' || link?.role !== 'call') return
    for (const [parentKey, childKey] of link.map) {
      const from = latest(frame.scope, frame.id, childKey)
      if (from !== undefined) this.#copies.set(copyName(link.caller.id, parentKey, n), from)
    }
  }
}

function copyName(frame: Ref, key: string, record: number): string {
  return `${String(frame)} ${key} @${record}`
}

function originOf({ key, value, record, frame }: FoundEntry): Origin | undefined {
  return value === undefined ? undefined : { key, value, record, frame }
}

function latest(scope: Scope, frame: Ref, key: string): Origin | undefined {
  const place = scope.find(key, Number.POSITIVE_INFINITY)
  return place < 0 ? undefined : originOf({ ...scope.entryAt(place), frame })
}

function adoptedBy(frame: Frame, { more }: Rec): [string, Origin][] {
  return (more?.adopt ?? []).flatMap((id): [string, Origin][] => {
    const kid = frame.kids?.get(id)
    if (kid === undefined) return []
    return [...kid.scope.live()].flatMap(([key, entry]) => {
      const origin = originOf({ ...entry, frame: id })
      return origin === undefined ? [] : [[key, origin] as [string, Origin]]
    })
  })
}

/** The keys that an event says to have been read, or shown to whoever decided. */
function seenKeys({ facts }: StoryEvent): string[] {
  const { keys, cut } = isObject(facts?.saw) ? facts.saw : {}
  return [keys, cut].flatMap((list) => (isList(list) ? list : [])).filter((key) => typeof key === 'string')
}

/** Entries that a record is about to write over, as they can still be read. */
function overwritten(frame: Frame, { writes = [] }: Rec): readonly Origin[] {
  return writes.flatMap((key, i): Origin[] => {
    const entry = i % 2 === 0 && typeof key === 'string' ? findEntry(frame, key) : undefined
    const origin = entry === undefined ? undefined : originOf(entry)
    return origin === undefined ? [] : [origin]
  })
}

/** The entry that could be read before a record under a key, or under what a path in a value begins with. */
function seenIn(frame: Frame, path: string, record: number, replaced: readonly Origin[]): Origin | undefined {
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

function programId(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}
