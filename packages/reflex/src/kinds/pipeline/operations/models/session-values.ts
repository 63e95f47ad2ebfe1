import { type FaultData, isList, isObject, type Json, type JsonObject } from '../../../../kernel/index.ts'
import { textOf } from '../../dot/graph.ts'
import { renderText } from '../../language/render.ts'
import { perform } from '../../contract/asks.ts'
import type { Answer, Ask, NodeContext } from '../../contract/handler.ts'
import type { ServiceAnswer } from '../../contract/services.ts'
import { parseJson } from '../../language/parse-json.ts'

/** The default agent, if neither the node nor the context nor the starter of the run names one (reference pipeline 4.6.1). */
const DEFAULT_AGENT = 'orchestrator'

/** The source of a session service's values: the context for a node of its type, the parameters for an action. */
export interface ServiceValues {
  readonly context: NodeContext
  /** Returns the value of a key of the context, such as `session.goals`. */
  get(key: string): Json | undefined
}

/** The updates of a service by keys of the context, or the reason for its failure. */
export type ServiceResult = { readonly updates: JsonObject } | { readonly problem: string; readonly transient?: true }

export type ServiceSteps = Generator<Ask, ServiceResult, Answer>

/** One service of a session. */
export type SessionService = (values: ServiceValues) => ServiceResult | ServiceSteps

/** Returns the agent whose session and memory a node uses: that of the node, else `agentId`, else that of the context. */
export function agentOf(context: NodeContext, agentId?: Json): string {
  return textOf(context.attributes, 'agent_id')?.trim() || renderText(agentId) || agentOfContext(context)
}

/** Returns the agent of the context, else that of the run. */
export function agentOfContext(context: NodeContext): string {
  return context.text('session.agent_id') || (context.permissions.agent ?? DEFAULT_AGENT)
}

/** Returns the values of the context. */
export function contextValues(context: NodeContext): ServiceValues {
  return { context, get: (key) => context.get(key) }
}

/** Returns parameters by the last part of their keys; missing ones are read from the context. */
export function parameterValues(context: NodeContext, given: JsonObject): ServiceValues {
  return { context, get: (key) => given[key.split('.').at(-1) ?? key] ?? context.get(key) }
}

export function textIn(values: ServiceValues, key: string): string {
  return renderText(values.get(key))
}

/** Returns a list of the context, or one written as JSON text; an empty list for other values. */
export function listIn(values: ServiceValues, key: string): readonly Json[] {
  const value = values.get(key)
  if (isList(value)) return value
  if (typeof value !== 'string' || !value.trim().startsWith('[')) return []
  const parsed = parseJson(value)
  return isList(parsed) ? parsed : []
}

/** The answer of a service: a value, `missing`, or `own` if the engine performs the service itself. */
export type ServiceReply = { readonly value: Json } | { readonly nothing: 'missing' | 'own' } | { readonly error: FaultData }

/** The code of a missing port: a runtime without services, in which every service is missing. */
const NO_PORT = 'R2013'

/** Calls a service of the host, or the ledgers of the store that replace it. */
export function* askService(
  context: NodeContext,
  service: 'session' | 'memory' | 'search' | 'consensus',
  op: string,
  args: JsonObject,
  agent: string = agentOf(context),
): Generator<Ask, ServiceReply, Answer> {
  const settled = yield* perform('service', { service, op, agent, now: context.now, args })
  if (settled.error !== undefined) return settled.error.code === NO_PORT ? { nothing: 'missing' } : { error: settled.error }
  const answer = settled.ok as unknown as ServiceAnswer
  return 'value' in answer ? answer : { nothing: 'own' in answer ? 'own' : 'missing' }
}

/** Calls a service of the session and writes its result; a missing service writes nothing. */
export function* callService(values: ServiceValues, op: string, args: JsonObject, write: (value: Json) => JsonObject): ServiceSteps {
  const { context } = values
  const answered = yield* askService(context, 'session', op, args, agentOf(context, values.get('session.agent_id')))
  if ('error' in answered) return failureResult(answered.error)
  return { updates: 'value' in answered ? write(answered.value) : {} }
}

export function failureResult({ message, verdict }: FaultData): ServiceResult {
  return verdict === 'retry' ? { problem: message, transient: true } : { problem: message }
}

export function objectOf(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {}
}
