import { type StepContext, isList, isObject, type Json, type BoardReader } from '../../../kernel/index.ts'
import { isGood, type Outcome, type Status } from './outcome.ts'

/**
 * The engine's own keys on the board. They begin with `#`, which no handler may write and no condition can read. What holds for
 * one lap alone says so in its value: a run of many laps has no more keys than one of a single lap.
 */
export const INTERNAL = '#'

/** The worst label of what programs that store no labels had read in the run when this pipeline began. */
export const OUTSIDE = '#outside'
/** What the first node that is given a whole conversation must know: the conversation is gone (reference pipeline 3.13). */
export const RESUMED = '#resumed'
const REPEATED = '#repeated'
const RESTARTS = '#restarts'
/** What a stage came to, while the hook behind it runs. */
const FINISHED = '#finished'

/** Programs that run on when their node is left. */
const DETACHED = '#detached'

/** A stage that is over, before it is kept: what counts of it, after how many attempts, and the changed pipeline that it brings. */
export interface FinishedStage {
  readonly outcome: Outcome
  readonly attempts: number
  readonly dot?: string
}

/** The last failure of its kind, without what differs from time to time, and how often in a row it has come. */
export type RepeatCount = readonly [signature: string, times: number]

/** A step, as far as book-keeping needs it. */
type Board = Pick<StepContext, 'get' | 'set'>

/** A node's last outcome in this lap, as it is kept. */
export interface StoredOutcome {
  readonly status: Status
  /** The lap that it belongs to; absent in the first. */
  readonly lap?: number
  /** Which completion of the frame it was, from 1. */
  readonly n: number
  /** How often it has been completed in this lap. */
  readonly v: number
  readonly preferred_label?: string
  readonly suggested_next_ids?: readonly string[]
  readonly failure_reason?: string
  readonly notes?: string
  readonly edge?: number
  readonly join?: string
  /** Attempts after the first, where they did not help. */
  readonly retries?: number
  /** A goal gate was jumped back over: it is open until it is executed again (reference pipeline 3.7). */
  readonly recheck?: true
  /** A branch completed it, not this frame: its place among the goal gates of that block. */
  readonly branch?: number
  /** It is that of a checkpoint: the node has not been executed since the resume. */
  readonly held?: true
}

/** The engine's book-keeping of one frame: what a step reads and writes of it. */
export class EngineBoard {
  readonly #read: (key: string) => Json | undefined
  readonly #round: number

  constructor(read: (key: string) => Json | undefined, lap = 0) {
    this.#read = read
    this.#round = lap
  }

  static in(x: Board, lap = 0): EngineBoard {
    return new EngineBoard((key) => x.get(key), lap)
  }

  static of(reader: BoardReader, lap = 0): EngineBoard {
    return new EngineBoard((key) => reader.get(key), lap)
  }

  outcome(node: string): StoredOutcome | undefined {
    return storedOutcomeIn(this.#read(outcomeKey(node)), this.#round)
  }

  /** Whether a goal gate that was reached lets the run out. */
  isSatisfied(node: string): boolean {
    const kept = this.outcome(node)
    return kept === undefined || (isGood(kept.status) && kept.recheck !== true)
  }

  count(key: string): number {
    const value = this.#read(countKey(key))
    return typeof value === 'number' ? value : 0
  }

  /** The hash of what the last successful execution of a node depended on, in whatever lap that was. */
  hash(node: string): string | undefined {
    const value = this.#read(hashKey(node))
    return typeof value === 'string' ? value : undefined
  }

  /** What was last given up for the same reason, and how often in a row. */
  get repeated(): RepeatCount {
    return repeatedOf(this.#read(REPEATED))
  }

  /** The failure after which the run was restarted last, and how many restarts in a row it has had. */
  get restarts(): RepeatCount {
    return repeatedOf(this.#read(RESTARTS))
  }

  /** The strands of programs that their nodes have left running, by name. */
  get detached(): readonly string[] {
    const value = this.#read(DETACHED)
    return isList(value) ? value.map(String) : []
  }

  get finished(): FinishedStage | undefined {
    return (this.#read(FINISHED) ?? undefined) as unknown as FinishedStage | undefined
  }

  answer(i: number): Json | undefined {
    return this.#read(answerKey(i))
  }
}

export function storeOutcome(x: Board, lap: number, node: string, kept: StoredOutcome): void {
  x.set(outcomeKey(node), { ...kept, ...(lap === 0 ? {} : { lap }) })
}

export function storeCount(x: Board, key: string, count: number): void {
  x.set(countKey(key), count)
}

export function storeHash(x: Board, node: string, hash: string): void {
  x.set(hashKey(node), hash)
}

export function storeDetached(x: Board, strands: readonly string[]): void {
  x.set(DETACHED, strands)
}

export function storeFinished(x: Board, finished: FinishedStage | null): void {
  x.set(FINISHED, finished)
}

export function storeRepeated(x: Board, signature: string, times: number): void {
  x.set(REPEATED, { s: signature, n: times })
}

export function storeRestarts(x: Board, signature: string, times: number): void {
  x.set(RESTARTS, { s: signature, n: times })
}

/** Reads what `storeRepeated` and `storeRestarts` write. */
export function repeatedOf(value: Json | undefined): RepeatCount {
  const { s, n } = isObject(value) ? value : {}
  return typeof s === 'string' && typeof n === 'number' ? [s, n] : ['', 0]
}

/** Keeps what came for the i-th ask of an execution; `part`, where it asked for several things at once. */
export function storeAnswer(x: Board, i: number, answer: Json, part = 0): void {
  x.set(answerKey(i, part), answer)
}

/** The outcome as handlers, checkpoints and preambles see it. */
export function outcomeOf({
  n: _n,
  v: _v,
  recheck: _recheck,
  retries: _retries,
  branch: _branch,
  held: _held,
  lap: _lap,
  ...outcome
}: StoredOutcome): Outcome {
  return outcome
}

/** Where the last outcome of a node is kept. */
export function outcomeKey(node: string): string {
  return `#o/${node}`
}

/** The outcome that is kept of a node, if it is one of this lap. */
export function storedOutcomeIn(value: Json | undefined, lap: number): StoredOutcome | undefined {
  const kept = value as unknown as StoredOutcome | undefined
  return (kept?.lap ?? 0) === lap ? kept : undefined
}

function hashKey(node: string): string {
  return `#h/${node}`
}

/** The count of the ways that failures took from one node to another. */
export function jumpKey(edge: string): string {
  return `jump/${edge}`
}

/** What one of the engine's keys holds: an outcome, a hash or a count by its name, or something of the frame by its key. */
export interface InternalKey {
  readonly contains: 'outcome' | 'hash' | 'jump' | 'label' | 'repeated' | 'restarts' | 'other'
  readonly name: string
}

const CONTENTS: Readonly<Record<string, InternalKey['contains']>> = { o: 'outcome', h: 'hash', n: 'jump', t: 'label' }

/** Reads a key that begins with `#`. */
export function internalKeyOf(key: string): InternalKey {
  if (key === REPEATED) return { contains: 'repeated', name: key }
  if (key === RESTARTS) return { contains: 'restarts', name: key }
  const [, letter = '', name = ''] = /^#([ohnt])\/([^]*)$/.exec(key) ?? []
  const jump = jumpKey('')
  if (letter === 'n') return name.startsWith(jump) ? { contains: 'jump', name: name.slice(jump.length) } : { contains: 'other', name: key }
  return { contains: CONTENTS[letter] ?? 'other', name }
}

function countKey(key: string): string {
  return `#n/${key}`
}

export function answerKey(i: number, part = 0): string {
  return part === 0 ? `#a/${i}` : `#a/${i}.${part}`
}
