import { isObject, type Json, type JsonObject } from '../../../../kernel/journal/json.ts'
import { integerOf, textOf } from '../../dot/graph.ts'
import { renderText } from '../../language/render.ts'
import type { Handler, NodeContext, Steps } from '../../contract/handler.ts'
import { refusal, success } from '../../contract/outcome.ts'
import { effectFailed, requiredValue } from '../commands/requirements.ts'
import { askService } from '../models/session-values.ts'
import { parseJson } from '../../language/parse-json.ts'

const RECALLED = 10

/** Asks the memory of the agent for something; a function that the host's memory does not have writes nothing. */
function* askMemory(context: NodeContext, op: string, args: JsonObject, write: (value: Json) => JsonObject): Steps {
  const answered = yield* askService(context, 'memory', op, args)
  if ('error' in answered) return effectFailed(context, answered.error)
  return success('value' in answered ? write(answered.value) : undefined)
}

/** Recalls what fits a value of the context best, by full-text search (reference pipeline 4.7). */
export const memoryRecall: Handler = (context) => {
  const query = context.text(textOf(context.attributes, 'source_key')?.trim() || 'session.input')
  const limit = integerOf(context.attributes, 'limit') ?? RECALLED
  return askMemory(context, 'recall', { query, limit }, (value) => ({
    'memory.recalled': value,
    'memory.recall_count': Array.isArray(value) ? value.length : 0,
  }))
}

/** Reads the working memory of the agent. */
export const memoryWorkingLoad: Handler = (context) =>
  askMemory(context, 'working_load', {}, (value) => ({ 'memory.working_memory': value }))

/** How much the agent remembers. */
export const memoryStats: Handler = (context) => askMemory(context, 'stats', {}, (value) => ({ 'memory.stats': value }))

const STRATEGIES = ['full', 'decay_only', 'prune_only']

/** Lets memories fade, drops those that have faded, or both. */
export const memoryConsolidate: Handler = (context) => {
  const strategy = textOf(context.attributes, 'strategy')?.trim() || 'full'
  if (!STRATEGIES.includes(strategy))
    return refusal(`${context.node.id}: strategy is ${STRATEGIES.join(', ')}, not ${JSON.stringify(strategy)}`)
  return askMemory(context, 'consolidate', { strategy }, (value) => ({ 'memory.consolidation_result': value }))
}

/** Remembers a value of the context. */
export const memoryIndex: Handler = (context) => {
  const found = requiredValue(context, textOf(context.attributes, 'source_key')?.trim() || 'llm.content')
  if ('status' in found) return found
  const text = textOf(context.attributes, 'metadata')?.trim() ?? ''
  const metadata = text === '' ? {} : parseJson(text)
  if (!isObject(metadata)) return refusal(`${context.node.id}: metadata is no JSON object`)
  return askMemory(context, 'index', { content: renderText(found.value), metadata }, (value) => ({ 'memory.indexed': value }))
}

/** Writes the working memory of the agent. */
export const memoryWorkingSave: Handler = (context) => {
  const found = requiredValue(context, 'memory.working_memory')
  if ('status' in found) return found
  return askMemory(context, 'working_save', { working_memory: found.value }, (value) => ({ 'memory.saved': value }))
}
