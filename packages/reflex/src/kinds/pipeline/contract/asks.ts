import { type FaultData, faultData, type Json, type JsonObject } from '../../../kernel/index.ts'
import type { ModelReply, ModelRequest } from '../../../models/index.ts'
import type { Question } from '../../../people/index.ts'
import { pipelineFaults } from './faults.ts'
import { isGood, type Outcome, readOutcome, reasonOf } from './outcome.ts'
import type { Answer, Ask, BranchResult, EffectAsk, ForkAsk, Observation, Settled } from './handler.ts'

/** A step of a handler that returns a value of this type. */
type AskStep<Value> = Generator<Ask, Value, Answer>

/** Performs one effect. */
export function* perform(effect: string, args: Json): AskStep<Settled> {
  return (yield { effect, args }) as Settled
}

/** Performs several effects in parallel. Returns the results in the order of the effects. */
export function* performAll(all: readonly EffectAsk[]): AskStep<readonly Settled[]> {
  return all.length === 0 ? [] : ((yield { all }) as readonly Settled[])
}

/** Calls the model. If a backend of the host answers with an outcome that is not a success, returns an error. */
export function* askModel(request: ModelRequest): AskStep<{ readonly reply: ModelReply } | { readonly error: FaultData }> {
  const settled = yield* perform('model', request as unknown as JsonObject)
  if (settled.error !== undefined) return { error: settled.error }
  const reply = settled.ok as unknown as ModelReply
  const outcome = outcomeIn(reply)
  return outcome === undefined || isGood(outcome.status) ? { reply } : { error: refusedBy(outcome) }
}

/** Returns the outcome with which a backend of the host answers instead of a text. */
export function outcomeIn(reply: ModelReply): Outcome | undefined {
  return 'outcome' in reply ? readOutcome(reply.outcome) : undefined
}

function refusedBy(outcome: Outcome): FaultData {
  const fault = faultData(pipelineFaults.make('R2210', reasonOf(outcome)))
  return outcome.retryable === false ? fault : { ...fault, verdict: 'retry' }
}

/** Stores a value on the board while the node is executed. Returns its key. */
export function* storeValue(value: Json): AskStep<string> {
  return ((yield { keep: value }) as { readonly kept: string }).kept
}

/** Calls a tool by name. */
export function callTool(name: string, args: JsonObject, more: JsonObject = {}): AskStep<Settled> {
  return perform('tool', { tool: name, args, ...more })
}

/** Asks a person. Returns `late` if nobody answers within `due` milliseconds. */
export function* askPerson(
  question: Question,
  due?: number,
): AskStep<{ readonly answer: Json; readonly by?: string | undefined } | { readonly late: true }> {
  return (yield { question, ...(due === undefined ? {} : { due }) }) as { readonly answer: Json } | { readonly late: true }
}

/** Waits for a time in milliseconds. */
export function* sleep(ms: number): AskStep<void> {
  yield { sleep: ms }
}

/** Waits for a message by topic. Returns `late` after the timeout. */
export function* awaitSignal(
  signal: string,
  timeout?: number,
): AskStep<{ readonly message: Json; readonly by?: string | undefined } | { readonly late: true }> {
  return (yield { signal, ...(timeout === undefined ? {} : { timeout }) }) as { readonly message: Json } | { readonly late: true }
}

/** The result of a called program. */
export interface CallResult {
  readonly returned: 'done' | 'failed' | 'cancelled'
  readonly value: Json
}

/** Calls a program by reference with named inputs. */
export function* callProgram(call: string, inputs: JsonObject): AskStep<CallResult> {
  return (yield { call, inputs }) as CallResult
}

/** Calls a program that is given as data. */
export function* callSource(kind: string, id: string, define: JsonObject, inputs: JsonObject): AskStep<CallResult> {
  return (yield { define, kind, id, inputs }) as CallResult
}

/** Runs branches. Returns their results in the given order. */
export function* fork(ask: ForkAsk): AskStep<readonly BranchResult[]> {
  return ask.fork.length === 0 ? [] : ((yield ask) as { readonly branches: readonly BranchResult[] }).branches
}

/** Starts a program in parallel to this node. Returns its name. */
export function* beginProgram(begin: string, inputs: JsonObject, detached = false): AskStep<string> {
  return ((yield { begin, inputs, detached }) as { readonly began: string }).began
}

/** Returns the state of a program that runs in parallel to this node. */
export function* observe(name: string): AskStep<Observation> {
  return ((yield { observe: name }) as { readonly seen: Observation }).seen
}

/** Restarts the handler with the value in `kept` and without its previous answers. */
export function* restartHandler(kept: Json): AskStep<never> {
  yield { again: kept }
  throw new TypeError('a handler that begins again gets no answer')
}
