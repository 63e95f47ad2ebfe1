import {
  findEntry,
  framePath,
  type Frame,
  isList,
  nodePath,
  type Rec,
  type Ref,
  type Request,
  type Scope,
  type State,
  strandName,
  topOf,
} from '../kernel/index.ts'
import { type FoldedRecords, type Origin, originOf, StepReads } from './step-reads.ts'
import { linesOf, type StoryLine } from './trace.ts'
import { edgeOf } from './record-text.ts'
import type { ViewedPrograms } from '../programs/kinds.ts'

/** A record and its story. */
export interface Moment {
  readonly n: number
  readonly record: Rec
  /** The path of the frame before the record. */
  readonly path: string
  /** The name of the frame: the path of a branch, otherwise its program. */
  readonly frameName: string
  /** True if it is the first step of its frame. */
  readonly isFirst: boolean
  /** The previous record of the same frame. */
  readonly previous: number | undefined
  readonly lines: readonly StoryLine[]
  /** True if the record took one of several open edges. */
  readonly isChoice: boolean
}

/** A part of a journal that is folded again to find the origins of its values. */
export class Chronology {
  readonly moments: Moment[] = []
  /** The number of its first record. */
  readonly first: number
  readonly #state: State
  readonly #definitions: ViewedPrograms
  readonly #reads: StepReads
  /** Entries that were copied from another board, by the return of a call or from a strand that was adopted. */
  readonly #copies = new Map<string, Origin>()
  readonly #ends = new Map<Ref, number>()
  /** The last record of each frame so far. */
  readonly #latest = new Map<Ref, number>()
  readonly #requests = new Map<Ref, Request>()
  /** For records that were asked about: the last choice, answer or message at or before them; 0 if there is none. */
  readonly #decisions = new Map<number, number>()

  /** Throws `R5003` and `R9001`, as a replay of the records. */
  constructor(folded: FoldedRecords) {
    this.#state = folded.opening()
    this.first = this.#state.n + 1
    this.#definitions = folded.definitionsFor(this.#state)
    this.#reads = new StepReads(folded, (n) => this.at(n).lines)
    // The records that made these frames and effects are not here: a search that reaches them stops before the first record.
    for (const id of this.#state.frames.keys()) this.#latest.set(id, this.#state.n)
    for (const { id, port, args, requestedKey } of this.#state.pendingEffects())
      this.#requests.set(id, [port, args ?? null, requestedKey ?? ''])
    for (const record of folded.records) this.#add(record)
  }

  get start(): State['start'] {
    return this.#state.start
  }

  get lines(): StoryLine[] {
    return this.moments.flatMap(({ lines }) => lines)
  }

  at(n: number): Moment {
    const moment = this.moments[n - this.first]
    if (moment === undefined) throw new RangeError(`no record ${n}`)
    return moment
  }

  /**
   * Returns the entry of a key in the current state: at the top of the root's stack, otherwise at the root, otherwise in any other frame.
   */
  find(key: string): Origin | undefined {
    const { root } = this.#state
    const frames = [topOf(root), root, ...[...this.#state.frames.values()].map(topOf)]
    for (const frame of frames) {
      const entry = findEntry(frame, key)
      if (entry !== undefined) return originOf(entry)
    }
    return undefined
  }

  /** Returns all names that can be explained. */
  names(): string[] {
    const keys = topOf(this.#state.root).reader().keys()
    return [...new Set([...keys, ...this.lines.flatMap(({ place, event }) => [place, event.node ?? place])])]
  }

  /** Returns the entries that the step of a record read, and the entries that the agent saw. */
  readBy(n: number): readonly Origin[] {
    return this.#reads.readsOf(n)
  }

  /** Returns the entry that another entry was copied from. */
  copySource({ frame, key, record }: Origin): Origin | undefined {
    return this.#copies.get(copyName(frame, key, record))
  }

  /** Returns the record in which a frame or a strand ended. */
  endOf(frame: Ref): number | undefined {
    return this.#ends.get(frame)
  }

  requestOf(effect: Ref): Request | undefined {
    return this.#requests.get(effect)
  }

  /**
   * Returns the last choice among several edges, or the last answer or message, that led to a record, in its frame or in a caller. It can be the
   * record itself, or a record before the first one here.
   */
  decisionBefore(n: number): number | undefined {
    const visited: number[] = []
    let at = n
    while (at > 1 && at >= this.first && !this.#decisions.has(at) && !this.#isDecision(at)) {
      visited.push(at)
      at = this.#previous(at)
    }
    const decision = at > 1 ? (this.#decisions.get(at) ?? at) : 0
    for (const one of visited) this.#decisions.set(one, decision)
    return decision === 0 ? undefined : decision
  }

  #isDecision(n: number): boolean {
    const { record, isChoice } = this.at(n)
    return isChoice || record.input?.[0] === 'answer' || record.input?.[0] === 'message'
  }

  /**
   * Returns the record before a record: the previous one in its frame, or the one that requested its input or began its frame; 0 if there
   * is none.
   */
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

  /** Remembers the origins of values that a return map or an adopted strand has copied. */
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

/** True if a line took one of several open edges. */
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
