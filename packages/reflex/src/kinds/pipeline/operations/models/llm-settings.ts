import { isObject, type JsonObject } from '../../../../kernel/journal/json.ts'
import { type Effort, keyInOptionsFault, findKey, type ModelRequest } from '../../../../models/index.ts'
import { type Attributes, integerOf, isOn, numberOf, textOf } from '../../dot/graph.ts'
import { durationOf } from '../../language/duration.ts'
import type { NodeContext } from '../../contract/handler.ts'
import { modelName, modelAttribute } from '../../model/model-name.ts'
import { parseJson } from '../../language/parse-json.ts'

const EFFORTS: readonly Effort[] = ['none', 'minimal', 'low', 'medium', 'high']

/** A setting that cannot be read, for the failure of its node. */
interface SettingsProblem {
  readonly problem: string
}

/** Everything of a request but what is said: node, stylesheet, graph, session; the rest is the host's (reference pipeline 4.3.1). */
export function settingsOf(context: NodeContext): Omit<ModelRequest, 'messages'> | SettingsProblem {
  const { attributes, node, typed } = context
  const output = outputOf(attributes, node.id)
  if ('problem' in output) return output
  const options = optionsOf(context)
  if ('problem' in options) return options
  const model = modelOf(context)
  const effort = effortOf(context)
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
export function effortOf(context: NodeContext): Effort | undefined {
  const key = 'reasoning_effort'
  const word = textOf(context.attributes, key) || textOf(context.typed.graph.attributes, key) || context.text('session.reasoning_effort')
  return EFFORTS.find((effort) => effort === word.trim().toLowerCase())
}

/** The model that is asked; nothing leaves it to the host. */
function modelOf(context: NodeContext): string | undefined {
  return modelName(context.attributes, context.typed.graph.attributes, (key) => textAt(context, key))
}

/** Who offers the model, where that is said. */
export function providerOf(context: NodeContext): string | undefined {
  return (
    modelAttribute(context.attributes, 'provider') ??
    modelAttribute(context.typed.graph.attributes, 'provider') ??
    textAt(context, 'session.llm_provider')
  )
}

function textAt(context: NodeContext, key: string): string | undefined {
  return context.text(key).trim() || undefined
}

/** The form in which an answer is wanted. */
function outputOf(attributes: Attributes, id: string): Pick<ModelRequest, 'output'> | SettingsProblem {
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
function optionsOf(context: NodeContext): Pick<ModelRequest, 'options'> | SettingsProblem {
  const { attributes, node } = context
  const backendOptions = BACKEND.flatMap((key) => {
    const value = textOf(attributes, key)
    return value === undefined || value === '' ? [] : [[key, value] as const]
  })
  const text = textOf(attributes, 'provider_options')
  const providerOptions = text === undefined || text.trim() === '' ? {} : objectIn(text)
  if (providerOptions === undefined) return { problem: `${node.id}: provider_options is no JSON object` }
  const provider = providerOf(context) ?? modelOf(context)?.split(':')[0]
  const secret = findKey(providerOptions)
  if (secret !== undefined) return { problem: `${node.id}: ${keyInOptionsFault(secret).message}` }
  const isByProvider = Object.values(providerOptions).every(isObject) && (provider === undefined || isObject(providerOptions[provider]))
  if (!isByProvider && provider === undefined) return { problem: `${node.id}: provider_options belong under the name of a provider` }
  const byProvider = isByProvider ? (providerOptions as Readonly<Record<string, JsonObject>>) : { [provider ?? '']: providerOptions }
  const all = Object.keys(providerOptions).length === 0 ? {} : byProvider
  const options = backendOptions.length === 0 ? all : { ...all, backend: Object.fromEntries(backendOptions) }
  return Object.keys(options).length === 0 ? {} : { options }
}

function objectIn(text: string): JsonObject | undefined {
  const value = parseJson(text)
  return isObject(value) ? value : undefined
}
