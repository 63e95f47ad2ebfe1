import { isObject, type JsonObject } from '../../../../kernel/index.ts'
import { type Effort, keyInOptionsFault, findKey, type ModelRequest } from '../../../../models/index.ts'
import { type Attributes, integerOf, isOn, numberOf, textOf } from '../../dot/graph.ts'
import { durationOf } from '../../language/duration.ts'
import type { NodeContext } from '../../contract/handler.ts'
import { modelName, modelAttribute } from '../../model/model-name.ts'
import { parseJson } from '../../language/parse-json.ts'

const EFFORTS: readonly Effort[] = ['none', 'minimal', 'low', 'medium', 'high']

/** A setting that cannot be read, as the failure of its node. */
interface SettingsProblem {
  readonly problem: string
}

/**
 * Returns the settings of a request, without its messages: from the node, stylesheet, graph and session. The host sets the rest
 * (reference pipeline 4.3.1).
 */
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

/** Returns the effort that the author or the session sets; undefined if neither does, or for an unknown word. */
export function effortOf(context: NodeContext): Effort | undefined {
  const key = 'reasoning_effort'
  const word = textOf(context.attributes, key) || textOf(context.typed.graph.attributes, key) || context.text('session.reasoning_effort')
  return EFFORTS.find((effort) => effort === word.trim().toLowerCase())
}

/** Returns the model to ask; undefined leaves the choice to the host. */
function modelOf(context: NodeContext): string | undefined {
  return modelName(context.attributes, context.typed.graph.attributes, (key) => textAt(context, key))
}

/** Returns the provider of the model, if one is named. */
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

/** Returns the schema of the answer. */
function outputOf(attributes: Attributes, id: string): Pick<ModelRequest, 'output'> | SettingsProblem {
  const text = textOf(attributes, 'output_schema')
  if (text === undefined || text.trim() === '') return {}
  const schema = objectIn(text)
  return schema === undefined
    ? { problem: `${id}: output_schema must be a JSON Schema, which is a JSON object` }
    : { output: { schema, name: 'answer' } }
}

/** Attributes that only a backend reads. They are passed as the options `backend`. */
const BACKEND = ['agent', 'llm_runtime', 'acp_permission_mode', 'acp_allowed_tools']

/** Returns the options of the provider under its name, even if the author wrote them without it, and the options of a backend. */
function optionsOf(context: NodeContext): Pick<ModelRequest, 'options'> | SettingsProblem {
  const { attributes, node } = context
  const backendOptions = BACKEND.flatMap((key) => {
    const value = textOf(attributes, key)
    return value === undefined || value === '' ? [] : [[key, value] as const]
  })
  const text = textOf(attributes, 'provider_options')
  const providerOptions = text === undefined || text.trim() === '' ? {} : objectIn(text)
  if (providerOptions === undefined) return { problem: `${node.id}: provider_options must be a JSON object` }
  const provider = providerOf(context) ?? modelOf(context)?.split(':')[0]
  const secret = findKey(providerOptions)
  if (secret !== undefined) return { problem: `${node.id}: ${keyInOptionsFault(secret).message}` }
  const isByProvider = Object.values(providerOptions).every(isObject) && (provider === undefined || isObject(providerOptions[provider]))
  if (!isByProvider && provider === undefined) return { problem: `${node.id}: provider_options must have the name of a provider as a key` }
  const byProvider = isByProvider ? (providerOptions as Readonly<Record<string, JsonObject>>) : { [provider ?? '']: providerOptions }
  const all = Object.keys(providerOptions).length === 0 ? {} : byProvider
  const options = backendOptions.length === 0 ? all : { ...all, backend: Object.fromEntries(backendOptions) }
  return Object.keys(options).length === 0 ? {} : { options }
}

function objectIn(text: string): JsonObject | undefined {
  const value = parseJson(text)
  return isObject(value) ? value : undefined
}
