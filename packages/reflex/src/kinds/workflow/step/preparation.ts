import {
  type StepContext,
  type FaultData,
  type Frame,
  isList,
  isObject,
  type Json,
  type JsonObject,
  type Rec,
  type Ref,
} from '../../../kernel/index.ts'
import { type CompiledWorkflow, DECIDE, hasReturned, nodeAt, objectOf } from '../model/compile.ts'

/**
 * An agent of Reflex may need calls of tools before it decides. It answers with a preparation: each call becomes an effect of
 * the node, and the agent is asked again with the results. They are kept in an inner scope of the frame, which no program reads,
 * until the node is left. Meanwhile the position of the frame is `[node, returned, scope, rounds]`.
 */
type Step = StepContext<CompiledWorkflow>

/** The port that calls tools. */
const TOOL = 'tool'
const ARGS = '#args'

/** A call of a tool that an agent needs: the arguments of the port `tool`. */
export interface PreparationCall {
  readonly tool: string
  readonly args: JsonObject
  /** Set if a model has chosen the arguments. */
  readonly by?: 'model'
}

/** The calls that an agent needs before it decides. `kept` is data that the agent gets back with their results. */
export interface Preparation {
  readonly type: 'prepare'
  readonly calls: readonly PreparationCall[]
  readonly kept: Json
  readonly by?: string
  readonly saw?: JsonObject
  readonly used?: JsonObject
}

/** The result of one call. */
export type PreparationResult = { readonly ok: Json } | { readonly error: FaultData }

/** One round of a preparation: the data that the agent kept, and the results in the order of its calls. */
export interface PreparationRound {
  readonly kept: Json
  readonly results: readonly PreparationResult[]
  /** Set if the decision failed after this round and is requested again. */
  readonly isRetried?: true
}

/** Handles an answer of an agent that needs calls: each call becomes an effect. */
export function prepare(x: Step, answer: JsonObject): void {
  const { scope, rounds } = preparationOf(x.position)
  const decisionArgs = x.pendingEffects().find(({ port }) => port === DECIDE)?.args
  const at = scope ?? x.open()
  if (scope === undefined) x.setIn(at, ARGS, decisionArgs ?? null)
  x.setIn(at, roundKey(rounds), answer.kept ?? null)
  x.go([nodeAt(x.position) ?? '', hasReturned(x.position) ? 1 : 0, at, rounds + 1])
  const calls = isList(answer.prepare) ? answer.prepare : []
  for (const call of calls) x.request(TOOL, call)
  if (calls.length === 0) askAgain(x, at, rounds + 1, scope === undefined ? (decisionArgs ?? null) : (x.getIn(at, ARGS) ?? null))
}

/** True if an input settles a call that an agent needs. */
export function isPreparationCall(x: Step, effect: Ref): boolean {
  return x.pendingEffects().some(({ id, port }) => id === effect && port === TOOL)
}

/** Stores the result of a call. After the last result the agent is asked again. */
export function storeResult(x: Step, effect: Ref, result: PreparationResult): void {
  const { scope, rounds } = preparationOf(x.position)
  if (scope === undefined) return
  x.setIn(scope, resultKey(rounds - 1, indexOf(effect)), result)
  if (x.pendingEffects().every(({ id }) => id === effect)) askAgain(x, scope, rounds, x.getIn(scope, ARGS) ?? null)
}

/** Deletes a preparation when its node is left. False if there is none. */
export function leavePreparation(x: Step): boolean {
  // The position of most nodes is a text: they have no preparation.
  const scope = isList(x.position) ? preparationOf(x.position).scope : undefined
  if (scope !== undefined) x.shut(scope)
  return scope !== undefined
}

/** Returns the position of a node without its preparation. */
export function plainPosition(position: Json | undefined): Json {
  const node = nodeAt(position) ?? ''
  return hasReturned(position) ? [node, 1] : node
}

/** Returns the rounds of the preparation for the requested decision, first round first. */
export function preparationRounds(frame: Frame, args: Json | undefined): readonly PreparationRound[] {
  const { prepared } = objectOf(args)
  const [at, rounds, retried] = isList(prepared) ? prepared : []
  const scope = frame.subs?.get(at as Ref)?.scope
  if (scope === undefined || typeof rounds !== 'number') return []
  const read = (key: string): Json | undefined => {
    const place = scope.find(key, Number.POSITIVE_INFINITY)
    return place < 0 ? undefined : scope.valueAt(place)
  }
  return Array.from({ length: rounds }, (_, round) => {
    const results: PreparationResult[] = []
    for (let i = 0; ; i++) {
      const result = read(resultKey(round, i))
      if (!isObject(result)) break
      results.push(result as unknown as PreparationResult)
    }
    return { kept: read(roundKey(round)) ?? null, results, ...(retried === 1 && round === rounds - 1 ? { isRetried: true as const } : {}) }
  })
}

/** Returns the result of a call that a record stores; undefined for other records. */
export function recordedResult({ more }: Rec): PreparationResult | undefined {
  for (const [, writes] of more?.sub ?? [])
    for (const [i, key] of writes.entries())
      if (i % 2 === 0 && typeof key === 'string' && RESULT.test(key)) return writes[i + 1] as unknown as PreparationResult
  return undefined
}

function askAgain(x: Step, scope: Ref, rounds: number, args: Json): void {
  x.request(DECIDE, preparedArgs(scope, rounds, args))
}

function preparedArgs(scope: Ref, rounds: number, args: Json): JsonObject {
  return { ...objectOf(args), prepared: [scope, rounds] }
}

/** Returns the arguments with which a failed decision is requested again. They tell the agent that it is a retry. */
export function retriedArgs(args: Json | undefined): Json | undefined {
  const { prepared, ...others } = objectOf(args)
  return isList(prepared) ? { ...others, prepared: [...prepared.slice(0, 2), 1] } : args
}

function preparationOf(position: Json | undefined): { readonly scope: Ref | undefined; readonly rounds: number } {
  const [, , scope, rounds] = isList(position) ? position : []
  return { scope: scope as Ref | undefined, rounds: typeof rounds === 'number' ? rounds : 0 }
}

const RESULT = /^#prepare\/\d+\/\d+$/

function roundKey(round: number): string {
  return `#prepare/${round}`
}

function resultKey(round: number, call: number): string {
  return `#prepare/${round}/${call}`
}

/** Returns the index of a call in its round: the calls of a round are the requests of one record, in order. */
function indexOf(effect: Ref): number {
  return Number(String(effect).split('.')[1] ?? 0)
}
