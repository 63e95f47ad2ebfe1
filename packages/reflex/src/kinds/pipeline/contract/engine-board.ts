import { type StepContext, isList, isObject, type Json, type BoardReader } from '../../../kernel/index.ts'
import { isGood, type Outcome, type Status } from './outcome.ts'

/**
 * The prefix of the engine's keys on the board. No handler may write them and no condition can read them. Values that belong to
 * one round contain its number, so a run of many rounds has no more keys than a run of one.
 */
export const INTERNAL = '#'

/** The worst label of what programs that store no labels had read in the run when this pipeline began. */
export const OUTSIDE = '#outside'
/** Set until the first node with full fidelity runs after a resume: its conversation is lost (reference pipeline 3.13). */
export const RESUMED = '#resumed'
const REPEATED = '#repeated'
const RESTARTS = '#restarts'
/** The result of a stage while its post hook runs. */
const FINISHED = '#finished'

/** Programs that continue after their node. */
const DETACHED = '#detached'

/** A finished stage before it is stored: its outcome, the number of attempts, and the changed pipeline that it returns. */
export interface FinishedStage {
  readonly outcome: Outcome
  readonly attempts: number
  readonly dot?: string
}

/** The signature of the last failure, without its variable parts, and the number of times it has occurred in a row. */
export type RepeatCount = readonly [signature: string, times: number]

/** The part of a step that the bookkeeping uses. */
type Board = Pick<StepContext, 'get' | 'set'>

/** The stored last outcome of a node in a round. */
export interface StoredOutcome {
  readonly status: Status
  /** The round that it belongs to; absent in the first. */
  readonly round?: number
  /** The number of this completion in the frame, from 1. */
  readonly n: number
  /** The number of completions of this node in the round. */
  readonly v: number
  readonly preferred_label?: string
  readonly suggested_next_ids?: readonly string[]
  readonly failure_reason?: string
  readonly notes?: string
  readonly edge?: number
  readonly join?: string
  /** The number of failed attempts after the first. */
  readonly retries?: number
  /** A goal gate sent the run back: the gate is open until the node is executed again (reference pipeline 3.7). */
  readonly recheck?: true
  /** Set if a branch completed it, not this frame: its position among the goal gates of that block. */
  readonly branch?: number
  /** True if it comes from a checkpoint: the node has not been executed since the resume. */
  readonly restored?: true
}

/** The engine's bookkeeping of one frame. */
export class EngineBoard {
  readonly #read: (key: string) => Json | undefined
  readonly #round: number

  constructor(read: (key: string) => Json | undefined, round = 0) {
    this.#read = read
    this.#round = round
  }

  static in(x: Board, round = 0): EngineBoard {
    return new EngineBoard((key) => x.get(key), round)
  }

  static of(reader: BoardReader, round = 0): EngineBoard {
    return new EngineBoard((key) => reader.get(key), round)
  }

  outcome(node: string): StoredOutcome | undefined {
    return storedOutcomeIn(this.#read(outcomeKey(node)), this.#round)
  }

  /** True if a goal gate allows the run to end. */
  isSatisfied(node: string): boolean {
    const kept = this.outcome(node)
    return kept === undefined || (isGood(kept.status) && kept.recheck !== true)
  }

  count(key: string): number {
    const value = this.#read(countKey(key))
    return typeof value === 'number' ? value : 0
  }

  /** Returns the hash of the inputs of the last successful execution of a node, in any round. */
  hash(node: string): string | undefined {
    const value = this.#read(hashKey(node))
    return typeof value === 'string' ? value : undefined
  }

  /** The last failure that ended all attempts, and how often it has occurred in a row. */
  get repeated(): RepeatCount {
    return repeatedOf(this.#read(REPEATED))
  }

  /** The failure that caused the last restart, and the number of restarts in a row. */
  get restarts(): RepeatCount {
    return repeatedOf(this.#read(RESTARTS))
  }

  /** The names of the strands that continue after their nodes. */
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

/** A stored outcome in which absent fields may be undefined. */
type OutcomeToStore = { readonly [Field in keyof StoredOutcome]: StoredOutcome[Field] | undefined }

export function storeOutcome(x: Board, round: number, node: string, kept: OutcomeToStore): void {
  x.set(outcomeKey(node), round === 0 ? kept : { ...kept, round })
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

/** Reads a value that `storeRepeated` or `storeRestarts` wrote. */
export function repeatedOf(value: Json | undefined): RepeatCount {
  const { s, n } = isObject(value) ? value : {}
  return typeof s === 'string' && typeof n === 'number' ? [s, n] : ['', 0]
}

/** Stores the answer to the i-th request of an execution. `part` counts the parts of a request for several effects. */
export function storeAnswer(x: Board, i: number, answer: Json, part = 0): void {
  x.set(answerKey(i, part), answer)
}

/** Returns the outcome as handlers, checkpoints and preambles see it. */
export function outcomeOf({
  n: _n,
  v: _v,
  recheck: _recheck,
  retries: _retries,
  branch: _branch,
  restored: _restored,
  round: _round,
  ...outcome
}: StoredOutcome): Outcome {
  return outcome
}

/** Returns the key of the last outcome of a node. */
export function outcomeKey(node: string): string {
  return `#o/${node}`
}

/** Returns the stored outcome of a node if it belongs to this round. */
export function storedOutcomeIn(value: Json | undefined, round: number): StoredOutcome | undefined {
  const kept = value as unknown as StoredOutcome | undefined
  return (kept?.round ?? 0) === round ? kept : undefined
}

function hashKey(node: string): string {
  return `#h/${node}`
}

/** Returns the counter key of jumps that failures take from one node to another. */
export function jumpKey(edge: string): string {
  return `jump/${edge}`
}

/** The content of an engine key: an outcome, hash or count by its name, or a value of the frame by its key. */
export interface InternalKey {
  readonly contains: 'outcome' | 'hash' | 'jump' | 'label' | 'repeated' | 'restarts' | 'other'
  readonly name: string
}

const CONTENTS: Readonly<Record<string, InternalKey['contains']>> = { o: 'outcome', h: 'hash', n: 'jump', t: 'label' }

/** Parses a key that begins with `#`. */
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
