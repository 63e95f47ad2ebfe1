import { type Fields, fieldsOf, listOf } from '../dialects/loose.ts'
import { type AnyFunction, cannotIntercept } from '../session/intercept.ts'
import type { Adapter, DeclareTool, FrameworkContext, ToolCall } from './contract.ts'
import { abortable } from './functions.ts'
import { wrapLanguageModel } from './language-models.ts'
import { isStandIn } from './stand-in.ts'
import { wrapTools } from './tools.ts'

const BUILD = 'build the agent of reflex.mastra({ model, tools, … })'
const MODEL = { path: 'model', fix: 'give the object of the model, such as new ModelRouterLanguageModel("…") of @mastra/core/llm' }

/** Mastra: the settings of its `Agent`, and agents that were built of them. */
export const mastra: Adapter = {
  framework: 'mastra',
  adapt: (settings, declare) => {
    const { model, tools } = settings
    return {
      ...settings,
      ...(model !== undefined && { model: dynamic(model, wrapModels) }),
      ...(tools !== undefined && { tools: dynamic(tools, (given) => wrapTools(fieldsOf(given), formOf(declare))) }),
    }
  },
  turnOf: (agent) => {
    const { generate, stream, getModel, model } = fieldsOf(agent)
    if (typeof generate !== 'function' || typeof stream !== 'function' || typeof getModel !== 'function') return undefined
    const isPast = typeof model === 'string' || (fieldsOf(model)['doStream'] !== undefined && !isStandIn(model))
    if (isPast) throw cannotIntercept('agent', 'its model was given to it without Reflex', BUILD)
    return { run: calling(agent, generate as AnyFunction), stream: calling(agent, stream as AnyFunction) }
  },
  complete: async (output) => {
    const { getFullOutput } = fieldsOf(output)
    const whole = fieldsOf(typeof getFullOutput === 'function' ? await (getFullOutput as AnyFunction).call(output) : output)
    const { text, finishReason, steps, error } = whole
    if (error instanceof Error && typeof getFullOutput === 'function') throw error
    return Array.isArray(steps) && typeof text === 'string' ? { text, finishReason } : output
  },
}

/** Settings of Mastra are values, or functions of the context of a request that return them. */
function dynamic(given: unknown, wrap: (value: unknown) => unknown): unknown {
  if (typeof given !== 'function') return wrap(given)
  return async function (this: unknown, ...args: unknown[]) {
    return wrap(await (given as AnyFunction).apply(this, args))
  }
}

/** A model, or models of which each is asked when the one before has failed. */
function wrapModels(given: unknown): unknown {
  if (!Array.isArray(given)) return wrapLanguageModel(given, MODEL)
  return listOf(given).map((each, i) => ({
    ...fieldsOf(each),
    model: dynamic(fieldsOf(each)['model'], (model) => wrapLanguageModel(model, { ...MODEL, path: `model[${i}].model` })),
  }))
}

function formOf(declare: DeclareTool) {
  return { declare, callOf: ({ signal }: ToolCall): Fields => ({ abortSignal: signal }), factsOf }
}

/** A tool can say what it changes as servers of MCP do. */
function factsOf(tool: Fields): Fields {
  const { readOnlyHint, idempotentHint } = fieldsOf(fieldsOf(tool['mcp'])['annotations'])
  return {
    ...(readOnlyHint === true && { sideEffects: 'none' }),
    ...(idempotentHint === true && { idempotent: true }),
    ...tool,
  }
}

/** A text or messages are the input of a method; an object with `messages` has its options as well. */
function calling(agent: object, method: AnyFunction) {
  return (input: unknown, { signal }: FrameworkContext): unknown => {
    const { messages, ...options } = fieldsOf(input)
    const hasOptions = messages !== undefined && !Array.isArray(input)
    if (!hasOptions) return method.call(agent, input, abortable(undefined, signal))
    const { abortSignal, ...rest } = options
    return method.call(agent, messages, { ...rest, ...abortable(abortSignal, signal) })
  }
}
