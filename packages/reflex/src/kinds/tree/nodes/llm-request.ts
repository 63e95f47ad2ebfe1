import { type Fault, isList, isObject, type Json, type JsonObject } from '../../../kernel/index.ts'
import type { Tick, TreeNode } from '../manifest/behaviour.ts'
import { faults } from '../model/faults.ts'
import { textOf } from '../model/text-of.ts'
import { interpolate } from './interpolate.ts'
import { streamKey } from './llm-state.ts'

/** The margin of the limit of the connection over the limit of the node: the node ends first. */
const MARGIN_MS = 5000

/** The longest time of one attempt in milliseconds. */
export function modelTimeout({ timeout, timeout_ms }: JsonObject): number {
  return timeout_ms === undefined ? Number(timeout) * 1000 : Number(timeout_ms)
}

/** Returns the request to a model that the blackboard and the parameters describe, or what is missing. */
export function requestFrom(tick: Tick, node: TreeNode): JsonObject | Fault {
  const { params, path } = node
  const board = tick.board(node)
  const read = (name: string): Json | undefined => (params[name] === undefined ? undefined : board.get(textOf(params[name])))
  const missing = ['prompt_key', 'messages_key', 'model_key'].find((name) => params[name] !== undefined && read(name) === undefined)
  if (missing !== undefined) {
    return faults.make('R1221', `${path} has no ${textOf(params[missing])}, which its ${missing} names`, { rule: 'E2001', path })
  }
  const prompt = params.prompt === undefined ? read('prompt_key') : interpolate(params.prompt, (key) => board.get(key))
  const messages = [...systemOf(params.system, prompt), ...messagesOf(read('messages_key')), ...promptOf(prompt)]
  const model = read('model_key') ?? params.model
  const most = read('max_tokens_key') ?? params.max_tokens
  const tools = read('tools_key')
  return {
    ...(model === undefined ? {} : { model }),
    messages,
    ...(tools === undefined ? {} : { tools }),
    ...(most === undefined ? {} : { maxTokens: most }),
    ...(params.temperature === undefined ? {} : { temperature: params.temperature }),
    ...(streamKey(node) === undefined ? {} : { stream: true }),
    timeout: modelTimeout(params) + MARGIN_MS,
    // The node tries again itself, so that each attempt can be seen and counts for its limits.
    retries: 0,
    label: path,
  }
}

function systemOf(system: Json | undefined, prompt: Json | undefined): Json[] {
  const own = isObject(prompt) ? prompt.system : undefined
  return [system, own].flatMap((content) => (typeof content === 'string' ? [{ role: 'system', content }] : []))
}

function messagesOf(messages: Json | undefined): readonly Json[] {
  return isList(messages) ? messages : []
}

function promptOf(prompt: Json | undefined): readonly Json[] {
  if (typeof prompt === 'string') return [{ role: 'user', content: prompt }]
  if (!isObject(prompt)) return []
  return [...messagesOf(prompt.messages), ...(typeof prompt.user === 'string' ? [{ role: 'user', content: prompt.user }] : [])]
}
