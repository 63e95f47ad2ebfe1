import { type FaultData, faultData, type Json, type JsonObject } from '../../../kernel/index.ts'
import type { ModelReply, ModelRequest } from '../../../models/index.ts'
import type { Question } from '../../../people/index.ts'
import { pipelineFaults } from './faults.ts'
import { isGood, type Outcome, readOutcome, reasonOf } from './outcome.ts'
import type { Answer, Ask, BranchResult, EffectAsk, ForkAsk, Observation, Settled } from './handler.ts'

/** A step of a handler that gives a value of this type. */
type AskStep<Value> = Generator<Ask, Value, Answer>

/** Performs one effect. */
export function* perform(effect: string, args: Json): AskStep<Settled> {
  return (yield { effect, args }) as Settled
}

/** Performs several effects at once; answers in the order in which they are asked. */
export function* performAll(all: readonly EffectAsk[]): AskStep<readonly Settled[]> {
  return all.length === 0 ? [] : ((yield { all }) as readonly Settled[])
}

/** Asks the model. A backend of the host that answers with an outcome that is no success has not answered. */
export function* askModel(request: ModelRequest): AskStep<{ readonly reply: ModelReply } | { readonly error: FaultData }> {
  const settled = yield* perform('model', request as unknown as JsonObject)
  if (settled.error !== undefined) return { error: settled.error }
  const reply = settled.ok as unknown as ModelReply
  const outcome = outcomeIn(reply)
  return outcome === undefined || isGood(outcome.status) ? { reply } : { error: refusedBy(outcome) }
}

/** The outcome with which a backend of the host answers in place of a text. */
export function outcomeIn(reply: ModelReply): Outcome | undefined {
  return 'outcome' in reply ? readOutcome(reply.outcome) : undefined
}

function refusedBy(outcome: Outcome): FaultData {
  const fault = faultData(pipelineFaults.make('R2210', reasonOf(outcome)))
  return outcome.retryable === false ? fault : { ...fault, verdict: 'retry' }
}

/** Keeps a value on the board while the node is executed; returns its key. */
export function* storeValue(value: Json): AskStep<string> {
  return ((yield { keep: value }) as { readonly kept: string }).kept
}

/** Calls a tool by name. */
export function callTool(name: string, args: JsonObject, more: JsonObject = {}): AskStep<Settled> {
  return perform('tool', { tool: name, args, ...more })
}

/** Asks a person; `late` when nobody has answered within `due` milliseconds. */
export function* askPerson(
  question: Question,
  due?: number,
): AskStep<{ readonly answer: Json; readonly by?: string | undefined } | { readonly late: true }> {
  return (yield { question, ...(due === undefined ? {} : { due }) }) as { readonly answer: Json } | { readonly late: true }
}

/** Waits for a time. */
export function* sleep(ms: number): AskStep<void> {
  yield { sleep: ms }
}

/** Waits for a message by topic; `late` when none has come in time. */
export function* awaitSignal(
  signal: string,
  timeout?: number,
): AskStep<{ readonly message: Json; readonly by?: string | undefined } | { readonly late: true }> {
  return (yield { signal, ...(timeout === undefined ? {} : { timeout }) }) as { readonly message: Json } | { readonly late: true }
}

/** What a called program came to. */
export interface CallResult {
  readonly returned: 'done' | 'failed' | 'cancelled'
  readonly value: Json
}

/** Calls a program by reference, with named inputs. */
export function* callProgram(call: string, inputs: JsonObject): AskStep<CallResult> {
  return (yield { call, inputs }) as CallResult
}

/** Calls a program that came as data. */
export function* callSource(kind: string, id: string, define: JsonObject, inputs: JsonObject): AskStep<CallResult> {
  return (yield { define, kind, id, inputs }) as CallResult
}

/** Runs branches; their ends in the order in which they were given. */
export function* fork(ask: ForkAsk): AskStep<readonly BranchResult[]> {
  return ask.fork.length === 0 ? [] : ((yield ask) as { readonly branches: readonly BranchResult[] }).branches
}

/** Begins a program beside this node; gives its name. */
export function* beginProgram(begin: string, inputs: JsonObject, detached = false): AskStep<string> {
  return ((yield { begin, inputs, detached }) as { readonly began: string }).began
}

/** How a program beside this node stands now. */
export function* observe(name: string): AskStep<Observation> {
  return ((yield { observe: name }) as { readonly seen: Observation }).seen
}

/** Begins the handler again with what it keeps, and with none of the answers that it has had. */
export function* restartHandler(kept: Json): AskStep<never> {
  yield { again: kept }
  throw new TypeError('a handler that begins again gets no answer')
}
