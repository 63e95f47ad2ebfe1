import { isObject, type Json, type JsonObject } from '../../../../kernel/journal/json.ts'
import { integerOf, textOf } from '../../dot/graph.ts'
import { renderText } from '../../language/render.ts'
import type { Handler, Scene, Steps } from '../../contract/handler.ts'
import { refusal, success } from '../../contract/outcome.ts'
import { effectFailed, requiredValue } from '../commands/requirements.ts'
import { askService } from '../models/session-values.ts'
import { jsonIn } from '../../language/json-in.ts'

const RECALLED = 10

/** Asks the memory of the agent for something; a function that the host's memory does not have writes nothing. */
function* asks(scene: Scene, op: string, args: JsonObject, write: (value: Json) => JsonObject): Steps {
  const answered = yield* askService(scene, 'memory', op, args)
  if ('error' in answered) return effectFailed(scene, answered.error)
  return success('value' in answered ? write(answered.value) : undefined)
}

/** Recalls what fits a value of the context best, by full-text search (reference pipeline 4.7). */
export const memoryRecall: Handler = (scene) => {
  const query = scene.text(textOf(scene.attributes, 'source_key')?.trim() || 'session.input')
  const limit = integerOf(scene.attributes, 'limit') ?? RECALLED
  return asks(scene, 'recall', { query, limit }, (value) => ({
    'memory.recalled': value,
    'memory.recall_count': Array.isArray(value) ? value.length : 0,
  }))
}

/** Reads the working memory of the agent. */
export const memoryWorkingLoad: Handler = (scene) => asks(scene, 'working_load', {}, (value) => ({ 'memory.working_memory': value }))

/** How much the agent remembers. */
export const memoryStats: Handler = (scene) => asks(scene, 'stats', {}, (value) => ({ 'memory.stats': value }))

const STRATEGIES = ['full', 'decay_only', 'prune_only']

/** Lets memories fade, drops those that have faded, or both. */
export const memoryConsolidate: Handler = (scene) => {
  const strategy = textOf(scene.attributes, 'strategy')?.trim() || 'full'
  if (!STRATEGIES.includes(strategy))
    return refusal(`${scene.node.id}: strategy is ${STRATEGIES.join(', ')}, not ${JSON.stringify(strategy)}`)
  return asks(scene, 'consolidate', { strategy }, (value) => ({ 'memory.consolidation_result': value }))
}

/** Remembers a value of the context. */
export const memoryIndex: Handler = (scene) => {
  const found = requiredValue(scene, textOf(scene.attributes, 'source_key')?.trim() || 'llm.content')
  if ('status' in found) return found
  const text = textOf(scene.attributes, 'metadata')?.trim() ?? ''
  const metadata = text === '' ? {} : jsonIn(text)
  if (!isObject(metadata)) return refusal(`${scene.node.id}: metadata is no JSON object`)
  return asks(scene, 'index', { content: renderText(found.value), metadata }, (value) => ({ 'memory.indexed': value }))
}

/** Writes the working memory of the agent. */
export const memoryWorkingSave: Handler = (scene) => {
  const found = requiredValue(scene, 'memory.working_memory')
  if ('status' in found) return found
  return asks(scene, 'working_save', { working_memory: found.value }, (value) => ({ 'memory.saved': value }))
}
