import { type Fields, fieldsOf } from '../dialects/loose.ts'
import { type AnyFunction, cannotIntercept } from '../session/intercept.ts'
import type { Adapter, DeclareTool, FrameworkContext, FrameworkTurn, OutputReader, ToolCall } from './contract.ts'
import { abortable } from './functions.ts'
import { wrapLanguageModel } from './language-models.ts'
import { isStandIn } from './stand-in.ts'
import { checkTools, wrapTools } from './tools.ts'

const BUILD = 'build the agent of reflex.aiSdk({ model, tools, … })'
const MODEL = { path: 'model', fix: 'give the object of the model, such as gateway("…") of the AI SDK or openai("…") of its provider' }

/** The AI SDK: the settings of `generateText`, `streamText` and `ToolLoopAgent`, and agents that were built of them. */
export const aiSdk: Adapter = {
  framework: 'ai-sdk',
  adapt,
  turnOf(agent) {
    const { version, generate, stream, tools, settings } = fieldsOf(agent)
    if (version !== 'agent-v1' || typeof generate !== 'function' || typeof stream !== 'function') return undefined
    checkAgent(tools, settings)
    const call =
      (method: AnyFunction) =>
      (input: unknown, context: FrameworkContext): unknown =>
        method.call(agent, callOf(input, context))
    return { tools, run: call(generate as AnyFunction), stream: call(stream as AnyFunction) } satisfies FrameworkTurn
  },
  complete: completed,
}

async function completed(output: unknown, reader: OutputReader): Promise<unknown> {
  const { consumeStream } = fieldsOf(output)
  if (typeof consumeStream !== 'function') return kept(output)
  // Only one reader can have a stream of streamTextLowMemory.
  const isShared = 'text' in fieldsOf(output)
  if (!isShared && reader === 'waits') return null
  if (!isShared && reader === 'nobody') await (consumeStream as AnyFunction).call(output)
  const finishReason = await fieldsOf(output)['finishReason']
  return isShared ? { text: await fieldsOf(output)['text'], finishReason } : { finishReason }
}

function adapt(settings: Fields, declare: DeclareTool): Fields {
  const { model, tools, prepareStep, prepareCall } = settings
  return {
    ...settings,
    ...(model !== undefined && { model: wrapLanguageModel(model, MODEL) }),
    ...(tools !== undefined && { tools: wrapTools(fieldsOf(tools), { declare, callOf: toolCall }) }),
    ...(typeof prepareStep === 'function' && { prepareStep: adapting(prepareStep as AnyFunction, declare) }),
    ...(typeof prepareCall === 'function' && { prepareCall: adapting(prepareCall as AnyFunction, declare) }),
  }
}

/** A function whose result can name another model and other tools. */
function adapting(prepare: AnyFunction, declare: DeclareTool): AnyFunction {
  return async function (this: unknown, ...args: unknown[]) {
    const prepared = await prepare.apply(this, args)
    return typeof prepared === 'object' && prepared !== null ? adapt(prepared as Fields, declare) : prepared
  }
}

/** What a tool of the AI SDK gets beside its arguments, when a plan of a skill calls it. */
function toolCall({ signal, idempotencyKey }: ToolCall): Fields {
  return { toolCallId: idempotencyKey, messages: [], abortSignal: signal }
}

function checkAgent(tools: unknown, settings: unknown): void {
  checkTools(tools, BUILD)
  const { model } = fieldsOf(settings)
  if (model !== undefined && !isStandIn(model)) throw cannotIntercept('agent', 'its model was given to it without Reflex', BUILD)
}

/** Returns the arguments of a call: a text is a prompt, a list the messages, and an object the arguments themselves. */
function callOf(input: unknown, { signal }: FrameworkContext): Fields {
  const isList = Array.isArray(input)
  const given = typeof input === 'string' ? { prompt: input } : isList ? { messages: input as readonly unknown[] } : fieldsOf(input)
  const { abortSignal, ...rest } = fieldsOf(given)
  return { ...rest, ...abortable(abortSignal, signal) }
}

/** Returns what a result of `generateText` comes to, and any other output as it is. */
function kept(output: unknown): unknown {
  const { steps, text, finishReason } = fieldsOf(output)
  return Array.isArray(steps) && typeof text === 'string' ? { text, finishReason } : output
}
