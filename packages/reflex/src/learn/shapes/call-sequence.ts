import type { Json } from '../../kernel/index.ts'

/**
 * The calls of one strand of one ended run, as mining reads them: columns with one item for each call, in the order of the requests.
 * Arguments and results are not in it: they lie behind `leaves`, and only those of survivors are read.
 */
export interface CallSequence {
  /** The base frame of the strand. */
  readonly strand: string
  /** The symbol of each call: its tool and operation shape, or `skill:ID`. */
  readonly symbols: readonly string[]
  /** 1: the call succeeded; 0: it failed, was dropped, or never ended; 2: unknown. */
  readonly ok: readonly number[]
  /** The reply of a model that issued the call, as an index of `replies`; -1 if no model did. Calls of one reply share it. */
  readonly group: readonly number[]
  /** US dollars of the tool itself. */
  readonly cost: readonly number[]
  /** Milliseconds from the request to the result. */
  readonly ms: readonly number[]
  /** The record that requested the call. */
  readonly record: readonly number[]
  /** The line of each call in the part of the file with arguments and results. */
  readonly leaves: readonly number[]
  readonly replies: readonly ModelReplyCost[]
  /** The texts of users, each with the number of calls before it. */
  readonly texts: readonly (readonly [before: number, text: string])[]
  /** The facts of the blackboard, each with the number of calls before it: a path such as `ctx.app`, and a scalar. */
  readonly facts: readonly (readonly [before: number, path: string, value: Json])[]
}

/** What one reply of a model took. */
export interface ModelReplyCost {
  /** Absent if a part of it has no price. */
  readonly usd?: number
  /** Absent if it is unknown. */
  readonly tokens?: number
  readonly ms: number
}

/** The arguments and the result of a call. */
export interface CallLeaves {
  readonly tool: string
  readonly args: Json
  readonly result: Json
}

/** Everything that mining reads of one ended run. */
export interface RunShape {
  readonly run: string
  /** The last record: with the run it is the key of the shape. */
  readonly last: number
  /** Milliseconds since the epoch. */
  readonly started: number
  /** True if the run completed and no call failed after the last one that succeeded, or if its label `outcome` is `ok`. */
  readonly succeeded: boolean
  /** The facts that compatibility is matched against, such as `env`. */
  readonly labels: Readonly<Record<string, string>>
  readonly sequences: readonly CallSequence[]
  /** The texts of the result of the run. */
  readonly final: string
}

/** A shape and the arguments and results of its calls. */
export interface RunRead {
  readonly shape: RunShape
  readonly leaves: readonly CallLeaves[]
}
