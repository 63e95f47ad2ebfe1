import {
  findEntry,
  framePath,
  type Frame,
  isList,
  nodePath,
  type Rec,
  type Ref,
  type Request,
  type RunPrograms,
  type Scope,
  State,
  strandName,
  topOf,
} from '../kernel/index.ts'
import { type Origin, originOf, StepReads } from './step-reads.ts'
import { linesOf, type StoryLine } from './trace.ts'
import { edgeOf } from './record-text.ts'

/** One record, and what the story tells of it. */
export interface Moment {
  readonly n: number
  readonly record: Rec
  /** The path of the frame before it. */
  readonly path: string
  /** What its frame is called: the path of a branch, else its program. */
  readonly frameName: string
  /** It is the first step of its frame. */
  readonly isFirst: boolean
  /** The record of the same frame before this one. */
  readonly previous: number | undefined
  readonly lines: readonly StoryLine[]
  /** A way was taken in it where there were several. */
  readonly isChoice: boolean
}

/** A journal folded once more, so that it can be asked where things come from. */
export class Chronology {
  readonly moments: Moment[] = []
  readonly #state = new State()
  readonly #definitions: RunPrograms
  readonly #reads: StepReads
  /** Entries that were copied from another board: out of a call, or from a strand that was taken over. */
  readonly #copies = new Map<string, Origin>()
  readonly #ends = new Map<Ref, number>()
  /** The last record of each frame so far. */
  readonly #latest = new Map<Ref, number>()
  readonly #requests = new Map<Ref, Request>()
  /** For records that were asked about, the last choice or answer at or before them; 0 where there is none. */
  readonly #decisions = new Map<number, number>()

  /** Throws `R5003` and `R9001` as a replay of the records does. */
  constructor(records: readonly Rec[], definitionsFor: (state: State) => RunPrograms) {
    this.#definitions = definitionsFor(this.#state)
    this.#reads = new StepReads(records, definitionsFor, (n) => this.at(n).lines)
    for (const record of records) this.#add(record)
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

  /** The entries that a record's step read, and that whoever decided says to have seen. */
  readBy(n: number): readonly Origin[] {
    return this.#reads.readsOf(n)
  }

  /** The entry that another one was copied from. */
  copySource({ frame, key, record }: Origin): Origin | undefined {
    return this.#copies.get(copyName(frame, key, record))
  }

  /** The record with which a frame or a strand ended. */
  endOf(frame: Ref): number | undefined {
    return this.#ends.get(frame)
  }

  requestOf(effect: Ref): Request | undefined {
    return this.#requests.get(effect)
  }

  /** The last choice among several ways, or the last answer, that led to a record, in its frame or below: possibly the record itself. */
  decisionBefore(n: number): number | undefined {
    const visited: number[] = []
    let at = n
    while (at > 1 && !this.#decisions.has(at) && !this.#isDecision(at)) {
      visited.push(at)
      at = this.#previous(at)
    }
    const decision = at > 1 ? (this.#decisions.get(at) ?? at) : 0
    for (const one of visited) this.#decisions.set(one, decision)
    return decision === 0 ? undefined : decision
  }

  #isDecision(n: number): boolean {
    const { record, isChoice } = this.at(n)
    return isChoice || record.input?.[0] === 'answer'
  }

  /** The record that a record goes back to: the one before it in its frame, or the one that asked for its input or began its frame. */
  #previous(n: number): number {
    const { record, isFirst, previous = 0 } = this.at(n)
    if (record.input?.[0] === 'kernel' || (record.input === undefined && !isFirst)) return previous
    const ref = isFirst ? record.frame : record.input?.[1]
    const asked = Number.parseInt(typeof ref === 'number' || typeof ref === 'string' ? String(ref) : '', 10)
    return asked > 0 && asked < n ? asked : 0
  }

  #add(record: Rec): void {
    const state = this.#state
    const n = state.n + 1
    const frame = state.frames.get(record.frame)
    const before = frame?.position
    const path = frame === undefined ? '' : framePath(frame, this.#definitions)
    const adopted = frame === undefined ? [] : adoptedEntries(frame, record)
    state.apply(record)
    state.droppedEffects.length = 0
    record.requests?.forEach((request, i) => this.#requests.set(i === 0 ? n : `${n}.${i}`, request))
    if (frame !== undefined) this.#trackCopies(frame, record, n, adopted)
    const stepped = frame ?? state.root
    const { def, name } = this.#definitions.program(stepped.pin)
    const change = { n, at: state.time, record, state, frame: stepped, def, before }
    const lines = frame === undefined ? [] : linesOf(change, this.#definitions)
    this.moments.push({
      n,
      record,
      path,
      frameName: strandName(stepped, this.#definitions) === undefined ? programId(name) : nodePath(stepped, undefined, this.#definitions),
      isFirst: record.input === undefined && before === undefined,
      previous: this.#latest.get(record.frame),
      lines,
      isChoice: lines.some(isChoice),
    })
    this.#latest.set(record.frame, n)
  }

  /** Remembers where values come from that a return map or a taken over strand has brought. */
  #trackCopies(frame: Frame, record: Rec, n: number, adopted: readonly (readonly [key: string, from: Origin])[]): void {
    for (const [key, from] of adopted) this.#copies.set(copyName(frame.id, key, n), from)
    const ending = record.more?.return?.[0]
    if (ending === undefined) return
    this.#ends.set(frame.id, n)
    const { link } = frame
    if (ending !== 'done' || link?.role !== 'call') return
    for (const [parentKey, childKey] of link.map) {
      const from = latestOrigin(frame.scope, frame.id, childKey)
      if (from !== undefined) this.#copies.set(copyName(link.caller.id, parentKey, n), from)
    }
  }
}

/** A way was taken where there were several. */
export function isChoice(line: StoryLine): boolean {
  const { mark, facts = {} } = line.event
  return mark === 'decide' || (isList(facts.open) && facts.open.length > 1 && edgeOf(line.event) !== undefined)
}

function copyName(frame: Ref, key: string, record: number): string {
  return `${String(frame)} ${key} @${record}`
}

function latestOrigin(scope: Scope, frame: Ref, key: string): Origin | undefined {
  const place = scope.find(key, Number.POSITIVE_INFINITY)
  return place < 0 ? undefined : originOf({ ...scope.entryAt(place), frame })
}

function adoptedEntries(frame: Frame, { more }: Rec): [string, Origin][] {
  return (more?.adopt ?? []).flatMap((id): [string, Origin][] => {
    const strand = frame.strandResults?.get(id)
    if (strand === undefined) return []
    return [...strand.scope.liveEntries()].flatMap(([key, entry]) => {
      const origin = originOf({ ...entry, frame: id })
      return origin === undefined ? [] : [[key, origin] as [string, Origin]]
    })
  })
}

function programId(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}
