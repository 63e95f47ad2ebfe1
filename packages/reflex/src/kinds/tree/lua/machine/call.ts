import type { Json } from '../../../../kernel/index.ts'
import { Abort, type AbortKind } from './abort.ts'
import { NotJson } from './read-value.ts'
import type { Sandbox } from './sandbox.ts'
import type { Refusal, Write } from './script-board.ts'

/** What went wrong in a call of Lua, as data: the host makes a fault of it. */
export interface LuaFailure {
  /** `value`: what is returned is no JSON. */
  readonly kind: AbortKind | 'syntax' | 'error' | 'value'
  readonly message: string
  readonly line?: number
  readonly traceback?: string
  /** The refused write whose error ended the script. */
  readonly refusal?: Refusal
}

/** The end of a call. */
export type LuaAnswer =
  | {
      readonly ok: true
      readonly value: Json
      readonly writes: readonly Write[]
      readonly printed: readonly string[]
      readonly steps: number
    }
  | { readonly ok: false; readonly failure: LuaFailure; readonly printed: readonly string[]; readonly steps: number }

/** Ends a call with a failure of the user's text. */
export class LuaError extends Error {
  readonly failure: LuaFailure

  constructor(failure: LuaFailure) {
    super(failure.message)
    this.failure = failure
  }
}

/** Runs a call, and describes its end. Errors of the engine itself are thrown: the worker is replaced then. */
export function describeEnd(sandbox: Sandbox, call: () => Json): LuaAnswer {
  const { machine } = sandbox
  let seen: Pick<LuaFailure, 'line' | 'traceback'> = {}
  const look = (from: number): void => {
    const line = machine.stack.userLine(machine.L)
    const traceback = machine.stack.traceback(machine.L, sandbox.file, from)
    // A limit can end the call after the stack was unwound by an error.
    if (traceback === undefined) return
    seen = { ...(line === 0 ? {} : { line }), traceback }
  }
  machine.onAbort = () => look(0)
  // The handler itself is the innermost call.
  sandbox.onError = () => look(1)
  try {
    const value = call()
    return { ok: true, value, writes: sandbox.board.writes, printed: sandbox.printed.lines, steps: machine.steps }
  } catch (thrown) {
    return { ok: false, failure: { ...seen, ...failureOf(thrown) }, printed: sandbox.printed.lines, steps: machine.steps }
  }
}

/** The longest message of a failure in characters. A script may raise an error of many megabytes. */
const MOST_MESSAGE = 2_000

function failureOf(thrown: unknown): LuaFailure {
  if (thrown instanceof LuaError) {
    const { message, refusal, ...failure } = thrown.failure
    const cause = refusal === undefined ? {} : { refusal: { ...refusal, message: cut(refusal.message) } }
    return { ...failure, message: cut(message), ...cause }
  }
  if (thrown instanceof NotJson) return { kind: 'value', message: cut(thrown.message) }
  if (!(thrown instanceof Abort)) throw thrown
  const { kind, message, line } = thrown
  return { kind, message: cut(message), ...(line === undefined ? {} : { line }) }
}

function cut(text: string): string {
  return text.length <= MOST_MESSAGE ? text : `${text.slice(0, MOST_MESSAGE).toWellFormed()}… (${text.length} characters)`
}
