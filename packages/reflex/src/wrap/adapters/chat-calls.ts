import { chatModel, type MakeMessage } from '../dialects/chat-model.ts'
import type { CanonicalRequest, Dialect } from '../dialects/contract.ts'
import { type Fields, fieldsOf, textOf, without } from '../dialects/loose.ts'
import { type AgentSession, currentSession } from '../session/context.ts'
import type { AnyFunction } from '../session/intercept.ts'
import { chunkClasses, chunkMaker, recordable } from './chat-chunks.ts'
import { livingResult, messageMaker, recordedChat } from './chat-messages.ts'
import { joinedSignal } from './functions.ts'

/** `_generate(messages, options, runManager)`. */
export function generateFunction(original: AnyFunction): AnyFunction {
  return async function (this: unknown, ...args: unknown[]) {
    const session = currentSession()
    const make = messageMaker(this as object)
    if (session === undefined || make === undefined) return original.apply(this, args)
    const [messages, options, ...rest] = args
    const asked = requestOf(this, messages, options, make)
    const result = await session.ask({
      ...asked,
      ask: (sent, signal) => original.call(this, sent['messages'], optionsOf(sent, options, signal), ...rest),
      record: recordedChat,
    })
    return livingResult(fieldsOf(result), make)
  }
}

/**
 * `_streamResponseChunks(messages, options, runManager)`. A model tells the callbacks of each chunk by itself; here they hear of the chunks
 * that the agent gets.
 */
export function streamFunction(original: AnyFunction): AnyFunction {
  return function (this: unknown, ...args: unknown[]) {
    const session = currentSession()
    const make = messageMaker(this as object)
    if (session === undefined || make === undefined) return original.apply(this, args)
    const [messages, options, runManager] = args
    return streamed({ session, make, model: this, original, messages, options, runManager })
  }
}

interface StreamedCall {
  readonly session: AgentSession
  readonly make: MakeMessage
  readonly model: unknown
  readonly original: AnyFunction
  readonly messages: unknown
  readonly options: unknown
  readonly runManager: unknown
}

async function* streamed({ session, make, model, original, messages, options, runManager }: StreamedCall): AsyncGenerator<Fields> {
  const { signal: own } = fieldsOf(options)
  const chunks = await session.stream({
    ...requestOf(model, messages, options, make),
    signal: own instanceof AbortSignal ? own : undefined,
    revive: chunkMaker(await chunkClasses()),
    ask: (sent, signal) =>
      recordable(original.call(model, sent['messages'], { ...without(sent, 'messages'), signal }) as AsyncIterable<unknown>),
  })
  for await (const chunk of chunks) {
    yield chunk
    await announce(runManager, chunk)
  }
}

/** Lets the callbacks of a call hear of a chunk. */
async function announce(runManager: unknown, chunk: Fields): Promise<void> {
  const { handleLLMNewToken } = fieldsOf(runManager)
  if (typeof handleLLMNewToken !== 'function') return
  const rest = [{ prompt: 0, completion: 0 }, undefined, undefined, undefined, { chunk }]
  await (handleLLMNewToken as AnyFunction).call(runManager, textOf(chunk['text']), ...rest)
}

interface Asked {
  readonly dialect: Dialect
  readonly request: Fields
  readonly canonical: CanonicalRequest
}

function requestOf(model: unknown, messages: unknown, options: unknown, make: MakeMessage): Asked {
  const dialect = chatModel(make)
  const request = { ...fieldsOf(options), messages }
  const canonical = dialect.read(request)
  const { model: id, modelName } = fieldsOf(model)
  const name = textOf(id) || textOf(modelName)
  return { dialect, request, canonical: name === '' ? canonical : { ...canonical, params: { model: name, ...canonical.params } } }
}

function optionsOf(sent: Fields, options: unknown, signal: AbortSignal): Fields {
  return { ...without(sent, 'messages'), signal: joinedSignal(fieldsOf(options)['signal'], signal) }
}
