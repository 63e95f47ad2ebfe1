import { isObject, type JsonObject } from '../../../../kernel/journal/json.ts'
import { type Effort, holdsKey, keyIn, type ModelRequest } from '../../../../models/index.ts'
import { type Attributes, integerOf, isOn, numberOf, textOf } from '../../dot/graph.ts'
import { durationOf } from '../../language/duration.ts'
import type { Scene } from '../../contract/handler.ts'
import { modelNamed, named } from '../../model/named-model.ts'
import { jsonIn } from '../../language/json-in.ts'

const EFFORTS: readonly Effort[] = ['none', 'minimal', 'low', 'medium', 'high']

/** A setting that cannot be read, for the failure of its node. */
interface Unreadable {
  readonly problem: string
}

/** Everything of a request but what is said: node, stylesheet, graph, session; the rest is the host's (reference pipeline 4.3.1). */
export function settingsOf(scene: Scene): Omit<ModelRequest, 'messages'> | Unreadable {
  const { attributes, node, typed } = scene
  const output = outputOf(attributes, node.id)
  if ('problem' in output) return output
  const options = optionsOf(scene)
  if ('problem' in options) return options
  const model = modelOf(scene)
  const effort = effortOf(scene)
  const temperature = numberOf(attributes, 'temperature')
  const timeout = durationOf(attributes, 'timeout')
  const tokens = integerOf(attributes, 'max_tokens')
  const tryTimeout = durationOf(attributes, 'try_timeout')
  return {
    label: `${typed.graph.id}/${node.id}`,
    ...(tokens === undefined || tokens <= 0 ? {} : { maxTokens: tokens }),
    ...(isOn(attributes, 'allow_partial') ? { partial: true } : {}),
    ...output,
    ...options,
    ...(model === undefined ? {} : { model }),
    ...(temperature === undefined || temperature < 0 ? {} : { temperature }),
    ...(effort === undefined ? {} : { effort }),
    ...(isOn(attributes, 'stream') || (!attributes.has('stream') && isOn(typed.graph.attributes, 'stream')) ? { stream: true } : {}),
    ...(timeout === undefined || timeout <= 0 ? {} : { timeout }),
    ...(tryTimeout === undefined || tryTimeout <= 0 ? {} : { tryTimeout }),
  }
}

/** The effort that the author or the session sets. Undefined where neither sets it, or for an unknown word. */
export function effortOf(scene: Scene): Effort | undefined {
  const key = 'reasoning_effort'
  const word = textOf(scene.attributes, key) || textOf(scene.typed.graph.attributes, key) || scene.text('session.reasoning_effort')
  return EFFORTS.find((effort) => effort === word.trim().toLowerCase())
}

/** The model that is asked; nothing leaves it to the host. */
function modelOf(scene: Scene): string | undefined {
  return modelNamed(scene.attributes, scene.typed.graph.attributes, (key) => textAt(scene, key))
}

/** Who offers the model, where that is said. */
export function providerOf(scene: Scene): string | undefined {
  return named(scene.attributes, 'provider') ?? named(scene.typed.graph.attributes, 'provider') ?? textAt(scene, 'session.llm_provider')
}

function textAt(scene: Scene, key: string): string | undefined {
  return scene.text(key).trim() || undefined
}

/** The form in which an answer is wanted. */
function outputOf(attributes: Attributes, id: string): Pick<ModelRequest, 'output'> | Unreadable {
  const text = textOf(attributes, 'output_schema')
  if (text === undefined || text.trim() === '') return {}
  const schema = objectIn(text)
  return schema === undefined
    ? { problem: `${id}: output_schema is no JSON Schema, a JSON object` }
    : { output: { schema, name: 'answer' } }
}

/** Attributes that only a backend reads, under a name of their own among the options. */
const BACKEND = ['agent', 'llm_runtime', 'acp_permission_mode', 'acp_allowed_tools']

/** Options of the provider: under its name, also where the author wrote them bare; and what is passed on to a backend. */
function optionsOf(scene: Scene): Pick<ModelRequest, 'options'> | Unreadable {
  const { attributes, node } = scene
  const passed = BACKEND.flatMap((key) => {
    const value = textOf(attributes, key)
    return value === undefined || value === '' ? [] : [[key, value] as const]
  })
  const text = textOf(attributes, 'provider_options')
  const given = text === undefined || text.trim() === '' ? {} : objectIn(text)
  if (given === undefined) return { problem: `${node.id}: provider_options is no JSON object` }
  const provider = providerOf(scene) ?? modelOf(scene)?.split(':')[0]
  const secret = keyIn(given)
  if (secret !== undefined) return { problem: `${node.id}: ${holdsKey(secret).message}` }
  const byName = Object.values(given).every(isObject) && (provider === undefined || isObject(given[provider]))
  if (!byName && provider === undefined) return { problem: `${node.id}: provider_options belong under the name of a provider` }
  const own = byName ? (given as Readonly<Record<string, JsonObject>>) : { [provider ?? '']: given }
  const all = Object.keys(given).length === 0 ? {} : own
  const options = passed.length === 0 ? all : { ...all, backend: Object.fromEntries(passed) }
  return Object.keys(options).length === 0 ? {} : { options }
}

function objectIn(text: string): JsonObject | undefined {
  const value = jsonIn(text)
  return isObject(value) ? value : undefined
}
