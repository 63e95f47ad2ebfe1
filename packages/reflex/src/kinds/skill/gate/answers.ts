import { copyJson, type Json, thrownMessage } from '../../../kernel/index.ts'
import { redactSecretShapes } from '../../../policy/index.ts'
import { type ExpressionFunction, printable } from '../../../text/index.ts'
import type { FunctionResult } from '../model/decision.ts'
import { hashOf } from './sha256.ts'

/** Calls of functions in one decision. More are an error of their expression: the work of a decision is bounded. */
const MOST_CALLS = 1_000
const LONGEST_ERROR = 200
/** Why a call that no record answers has none. */
const UNRECORDED = 'there is no recorded answer'

/** True if a decision called a function of the host that was not asked before: its arguments were not known then. */
export function lacksAnswers(results: readonly FunctionResult[]): boolean {
  return results.some((one) => 'error' in one && one.error === UNRECORDED)
}

/** The answers that the functions of the host give in one decision. */
export interface FunctionAnswers {
  /** The answers that were used, in the order of their first use. */
  readonly results: readonly FunctionResult[]
  /** Returns the answer to a call. The same call has the same answer within a decision. Throws why there is none. */
  answer(fn: string, args: readonly Json[]): Json
}

/** Returns the key of a call in a record: the SHA-256 of the canonical JSON of its arguments. */
export function argsHash(args: readonly Json[]): string {
  return hashOf(args)
}

abstract class MemoizedAnswers implements FunctionAnswers {
  readonly results: FunctionResult[] = []
  readonly #known = new Map<string, FunctionResult>()
  #calls = 0

  answer(fn: string, args: readonly Json[]): Json {
    if (++this.#calls > MOST_CALLS) throw new Error(`one decision calls functions at most ${MOST_CALLS} times`)
    const hash = argsHash(args)
    const key = `${fn} ${hash}`
    const known = this.#known.get(key)
    const result = known ?? this.find(fn, hash, args)
    if (known === undefined) {
      this.#known.set(key, result)
      this.results.push(result)
    }
    if ('error' in result) throw new Error(result.error)
    return result.result
  }

  protected abstract find(fn: string, args_hash: string, args: readonly Json[]): FunctionResult
}

/** Answers from a record: a decision calls no function of the host, so a replay needs none. What was not recorded is an error. */
export class RecordedAnswers extends MemoizedAnswers {
  readonly #recorded: readonly FunctionResult[]

  constructor(recorded: readonly FunctionResult[]) {
    super()
    this.#recorded = recorded
  }

  protected override find(fn: string, args_hash: string): FunctionResult {
    const found = this.#recorded.find((one) => one.fn === fn && one.args_hash === args_hash)
    return found ?? { fn, args_hash, error: UNRECORDED }
  }
}

/** Answers of the functions themselves, each called once for the same arguments. A throw is recorded as the reason why there is no answer. */
export class LiveAnswers extends MemoizedAnswers {
  readonly #functions: ReadonlyMap<string, ExpressionFunction>

  constructor(functions: readonly ExpressionFunction[]) {
    super()
    this.#functions = new Map(functions.map((one) => [one.name, one]))
  }

  protected override find(fn: string, args_hash: string, args: readonly Json[]): FunctionResult {
    const known = this.#functions.get(fn)
    if (known === undefined) return { fn, args_hash, error: 'the host does not have it' }
    try {
      const result: unknown = known.call(...args)
      if (!(result instanceof Promise)) return { fn, args_hash, result: copyJson(result, `${fn}()`) }
      // The promise is never awaited. An unhandled rejection would end the process.
      result.catch(() => undefined)
      return { fn, args_hash, error: 'it returned a promise, not a value' }
    } catch (thrown) {
      return { fn, args_hash, error: reasonOf(thrown) }
    }
  }
}

/** Returns the message of what a host has thrown, short, on one line and without secrets. Never throws. */
function reasonOf(thrown: unknown): string {
  try {
    return redactSecretShapes(printable(thrownMessage(thrown))).slice(0, LONGEST_ERROR)
  } catch {
    return 'a value that cannot be shown'
  }
}
