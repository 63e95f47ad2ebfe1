import type { Json, JsonObject } from '../../../../kernel/index.ts'
import { textOf } from '../../dot/graph.ts'
import { renderText } from '../../language/render.ts'
import {
  listIn,
  objectOf,
  callService,
  type ServiceResult,
  type ServiceSteps,
  type SessionService,
  textIn,
  type ServiceValues,
} from './session-values.ts'

const RECALLED = 10

interface Recall {
  readonly op: string
  readonly key: string
}

const MEMORIES: Recall = { op: 'memory_recall', key: 'session.recalled_memories' }

/** The values that can be recalled, each with its function and its key. */
const RECALLS: ReadonlyMap<string, Recall> = new Map([
  ['goals', { op: 'recall_goals', key: 'session.goals' }],
  ['intents', { op: 'recall_intents', key: 'session.intents' }],
  ['beliefs', { op: 'recall_beliefs', key: 'session.beliefs' }],
  ['memories', MEMORIES],
  ['memory', MEMORIES],
])

/** Recalls the values that `recall_type` names; memories by default. */
export const memoryRecall: SessionService = (values) => {
  const word = textOf(values.context.attributes, 'recall_type')?.trim() || 'memories'
  const recall = RECALLS.get(word)
  return recall === undefined
    ? { problem: `recall_type must be goals, intents, beliefs or memories, not ${JSON.stringify(word)}` }
    : recallValue(values, recall)
}

function recallValue(values: ServiceValues, { op, key }: Recall): ServiceSteps {
  return callService(values, op, { query: textIn(values, 'session.input'), limit: RECALLED }, (value) => ({ [key]: value }))
}

/** Recalls values as an action: all of them if the parameters name none. Intents are also the active intents. */
export const recallAll: SessionService = function* (values) {
  const word = textIn(values, 'session.recall_type').trim()
  const wanted = word === '' ? ['goals', 'intents', 'beliefs', 'memories'] : [word]
  const updates: Record<string, Json> = {}
  for (const name of wanted) {
    const recall = RECALLS.get(name)
    if (recall === undefined) return { problem: `recall_type must be goals, intents, beliefs or memories, not ${JSON.stringify(name)}` }
    const result: ServiceResult = yield* recallValue(values, recall)
    if ('problem' in result) return result
    Object.assign(updates, result.updates)
  }
  const intents = updates['session.intents']
  return { updates: { ...updates, ...(intents === undefined ? {} : { 'session.active_intents': intents }) } }
}

/** Stores a turn in memory. */
export const memoryUpdate: SessionService = (values) =>
  callService(values, 'memory_update', presentArguments(values, 'turn_data', 'response', 'memory_notes', 'beliefs'), () => ({}))

/** Stores the values of the session, so that another process can continue it. */
export const checkpoint: SessionService = (values) => {
  const { context } = values
  const keys = context.keys().filter((key) => key.startsWith('session.') && key !== 'session.last_checkpoint')
  const snapshot = Object.fromEntries(keys.map((key): [string, Json] => [key, context.get(key) ?? null]))
  const args = { ...presentArguments(values, 'id', 'turn_count'), snapshot }
  return callService(values, 'checkpoint', args, (value) => ({ 'session.last_checkpoint': value }))
}

/** Reads the state of the agent: its memories, goals and waiting intents. */
export const backgroundChecks: SessionService = (values) =>
  callService(values, 'background_checks', {}, (value) => ({ 'session.background_check_results': value }))

/** Passes actions on; with `intent_source=intent_store`, the waiting intents (reference pipeline 4.6.2). */
export const routeActions: SessionService = function* (values) {
  const source = textOf(values.context.attributes, 'intent_source')?.trim() || textIn(values, 'session.intent_source')
  if (source === 'intent_store') return yield* callService(values, 'route_intents', {}, (value) => ({ 'session.intents_routed': value }))
  const actions = listIn(values, 'session.actions')
  const routed = yield* callService(values, 'route_actions', { actions }, (value) => ({ 'session.actions_routed': value }))
  if ('problem' in routed) return routed
  const insights = listIn(values, 'session.identity_insights')
  const applied = yield* callService(values, 'apply_identity_insights', { identity_insights: insights }, () => ({}))
  return 'problem' in applied ? applied : routed
}

export const updateGoals: SessionService = (values) =>
  callService(values, 'update_goals', listArguments(values, 'goal_updates', 'new_goals'), (value) => ({ 'session.goals_updated': value }))

export const storeDecompositions: SessionService = (values) =>
  callService(values, 'store_decompositions', listArguments(values, 'decompositions'), (value) => ({
    'session.decompositions_stored': value,
  }))

export const processProposals: SessionService = (values) =>
  callService(values, 'process_proposal_decisions', listArguments(values, 'proposal_decisions'), (value) => ({
    'session.proposals_processed': value,
  }))

export const pruneIntents: SessionService = (values) =>
  callService(values, 'prune_stale_intents', {}, (value) => ({ 'session.intents_pruned': value }))

/** Ages memories and deletes expired ones. */
export const consolidate: SessionService = (values) =>
  callService(values, 'consolidate', {}, (value) => ({
    'session.consolidated': true,
    'session.consolidation_kg': objectOf(value)['kg'] ?? value,
    'session.consolidation_identity': objectOf(value)['identity'] ?? null,
  }))

export const updateWorkingMemory: SessionService = (values) =>
  callService(values, 'update_working_memory', listArguments(values, 'concerns', 'curiosity', 'memory_notes'), (value) => ({
    'session.wm_updated': true,
    'session.working_memory': value,
  }))

export const storeIdentity: SessionService = (values) => {
  const own = listIn(values, 'session.identity_insights')
  const insights = own.length > 0 ? own : listIn(values, 'session.identity_updates')
  return callService(values, 'apply_identity_insights', { identity_insights: insights }, (value) => ({ 'session.identity_stored': value }))
}

function listArguments(values: ServiceValues, ...names: readonly string[]): JsonObject {
  return Object.fromEntries(names.map((name) => [name, listIn(values, `session.${name}`)]))
}

function presentArguments(values: ServiceValues, ...names: readonly string[]): JsonObject {
  const found = names.flatMap((name): [string, Json][] => {
    const value = values.get(`session.${name}`)
    return value === undefined || renderText(value) === '' ? [] : [[name, value]]
  })
  return Object.fromEntries(found)
}
