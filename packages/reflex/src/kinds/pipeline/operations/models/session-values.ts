import type { FaultData } from '../../../../kernel/journal/fault.ts'
import { isList, isObject, type Json, type JsonObject } from '../../../../kernel/journal/json.ts'
import { textOf } from '../../dot/graph.ts'
import { renderText } from '../../language/render.ts'
import { perform } from '../../contract/asks.ts'
import type { Answer, Ask, Scene } from '../../contract/handler.ts'
import type { ServiceAnswer } from '../../contract/services.ts'
import { jsonIn } from '../../language/json-in.ts'

/** Who acts where neither the node nor the context nor whoever started the run says it (reference pipeline 4.6.1). */
const NOBODY = 'orchestrator'

/** Where a service of a session has its values from: the context for a node of its type, the parameters for an action. */
export interface Values {
  readonly scene: Scene
  /** The value of a key of the context, such as `session.goals`. */
  get(key: string): Json | undefined
}

/** What a service writes, by keys of the context, or why it failed. */
export type Served = { readonly updates: JsonObject } | { readonly problem: string; readonly passes?: true }

export type Serving = Generator<Ask, Served, Answer>

/** One service of a session. */
export type SessionService = (values: Values) => Served | Serving

/** Whose session and memory a node means: its own word, then what it is handed, then that of the context. */
export function agentOf(scene: Scene, given?: Json): string {
  return textOf(scene.attributes, 'agent_id')?.trim() || renderText(given) || agentOfContext(scene)
}

/** The agent of the context, else that of the run. */
export function agentOfContext(scene: Scene): string {
  return scene.text('session.agent_id') || (scene.charter.agent ?? NOBODY)
}

/** The values of the context. */
export function contextValues(scene: Scene): Values {
  return { scene, get: (key) => scene.get(key) }
}

/** Parameters under the last part of their keys; what is not handed over is read from the context. */
export function parameterValues(scene: Scene, given: JsonObject): Values {
  return { scene, get: (key) => given[key.split('.').at(-1) ?? key] ?? scene.get(key) }
}

export function textIn(values: Values, key: string): string {
  return renderText(values.get(key))
}

/** A list as the context holds it, or as JSON text; what is none is empty. */
export function listIn(values: Values, key: string): readonly Json[] {
  const value = values.get(key)
  if (isList(value)) return value
  if (typeof value !== 'string' || !value.trim().startsWith('[')) return []
  const parsed = jsonIn(value)
  return isList(parsed) ? parsed : []
}

/** What a service answers: its value, nothing, or that the engine does it itself. */
export type Answered = { readonly value: Json } | { readonly nothing: 'missing' | 'own' } | { readonly error: FaultData }

/** No port of that name: a runtime without services, where every service is missing. */
const NO_PORT = 'R2013'

/** Asks a service of the host, or the ledgers of the store that stand in for it. */
export function* askService(
  scene: Scene,
  service: 'session' | 'memory' | 'search' | 'consensus',
  op: string,
  args: JsonObject,
  agent: string = agentOf(scene),
): Generator<Ask, Answered, Answer> {
  const settled = yield* perform('service', { service, op, agent, now: scene.now, args })
  if (settled.error !== undefined) return settled.error.code === NO_PORT ? { nothing: 'missing' } : { error: settled.error }
  const answer = settled.ok as unknown as ServiceAnswer
  return 'value' in answer ? answer : { nothing: 'own' in answer ? 'own' : 'missing' }
}

/** Asks the session for something and writes what comes of it; a service that is missing writes nothing. */
export function* serve(values: Values, op: string, args: JsonObject, write: (value: Json) => JsonObject): Serving {
  const { scene } = values
  const answered = yield* askService(scene, 'session', op, args, agentOf(scene, values.get('session.agent_id')))
  if ('error' in answered) return failed(answered.error)
  return { updates: 'value' in answered ? write(answered.value) : {} }
}

export function failed({ message, verdict }: FaultData): Served {
  return verdict === 'retry' ? { problem: message, passes: true } : { problem: message }
}

export function objectOf(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {}
}
