import { type Json, type JsonObject } from '../../../../kernel/journal/json.ts'
import { textOf } from '../../dot/graph.ts'
import { renderText } from '../../language/render.ts'
import { listIn, objectOf, serve, type Served, type Serving, type SessionService, textIn, type Values } from './session-values.ts'

const RECALLED = 10

interface Recall {
  readonly op: string
  readonly key: string
}

const MEMORIES: Recall = { op: 'memory_recall', key: 'session.recalled_memories' }

/** What can be recalled: by which function, to which key. */
const RECALLS: ReadonlyMap<string, Recall> = new Map([
  ['goals', { op: 'recall_goals', key: 'session.goals' }],
  ['intents', { op: 'recall_intents', key: 'session.intents' }],
  ['beliefs', { op: 'recall_beliefs', key: 'session.beliefs' }],
  ['memories', MEMORIES],
  ['memory', MEMORIES],
])

/** Recalls what `recall_type` names, memories where it names nothing. */
export const memoryRecall: SessionService = (values) => {
  const word = textOf(values.scene.attributes, 'recall_type')?.trim() || 'memories'
  const recall = RECALLS.get(word)
  return recall === undefined
    ? { problem: `recall_type is goals, intents, beliefs or memories, not ${JSON.stringify(word)}` }
    : recalls(values, recall)
}

function recalls(values: Values, { op, key }: Recall): Serving {
  return serve(values, op, { query: textIn(values, 'session.input'), limit: RECALLED }, (value) => ({ [key]: value }))
}

/** The same as an action: everything, where the parameters name nothing. Intents are the active ones too. */
export const recallAll: SessionService = function* (values) {
  const word = textIn(values, 'session.recall_type').trim()
  const wanted = word === '' ? ['goals', 'intents', 'beliefs', 'memories'] : [word]
  const updates: Record<string, Json> = {}
  for (const name of wanted) {
    const recall = RECALLS.get(name)
    if (recall === undefined) return { problem: `recall_type is goals, intents, beliefs or memories, not ${JSON.stringify(name)}` }
    const served: Served = yield* recalls(values, recall)
    if ('problem' in served) return served
    Object.assign(updates, served.updates)
  }
  const intents = updates['session.intents']
  return { updates: { ...updates, ...(intents === undefined ? {} : { 'session.active_intents': intents }) } }
}

/** Remembers a turn. */
export const memoryUpdate: SessionService = (values) =>
  serve(values, 'memory_update', picked(values, 'turn_data', 'response', 'memory_notes', 'beliefs'), () => ({}))

/** Keeps what the session knows, so that another process can go on with it. */
export const checkpoint: SessionService = (values) => {
  const { scene } = values
  const keys = scene.keys().filter((key) => key.startsWith('session.') && key !== 'session.last_checkpoint')
  const snapshot = Object.fromEntries(keys.map((key): [string, Json] => [key, scene.get(key) ?? null]))
  const args = { ...picked(values, 'id', 'turn_count'), snapshot }
  return serve(values, 'checkpoint', args, (value) => ({ 'session.last_checkpoint': value }))
}

/** How the agent stands: its memories, goals, intents that wait. */
export const backgroundChecks: SessionService = (values) =>
  serve(values, 'background_checks', {}, (value) => ({ 'session.background_check_results': value }))

/** Hands actions over; with `intent_source=intent_store`, what waits among the intents (reference pipeline 4.6.2). */
export const routeActions: SessionService = function* (values) {
  const source = textOf(values.scene.attributes, 'intent_source')?.trim() || textIn(values, 'session.intent_source')
  if (source === 'intent_store') return yield* serve(values, 'route_intents', {}, (value) => ({ 'session.intents_routed': value }))
  const actions = listIn(values, 'session.actions')
  const routed = yield* serve(values, 'route_actions', { actions }, (value) => ({ 'session.actions_routed': value }))
  if ('problem' in routed) return routed
  const insights = listIn(values, 'session.identity_insights')
  const applied = yield* serve(values, 'apply_identity_insights', { identity_insights: insights }, () => ({}))
  return 'problem' in applied ? applied : routed
}

export const updateGoals: SessionService = (values) =>
  serve(values, 'update_goals', lists(values, 'goal_updates', 'new_goals'), (value) => ({ 'session.goals_updated': value }))

export const storeDecompositions: SessionService = (values) =>
  serve(values, 'store_decompositions', lists(values, 'decompositions'), (value) => ({ 'session.decompositions_stored': value }))

export const processProposals: SessionService = (values) =>
  serve(values, 'process_proposal_decisions', lists(values, 'proposal_decisions'), (value) => ({ 'session.proposals_processed': value }))

export const pruneIntents: SessionService = (values) =>
  serve(values, 'prune_stale_intents', {}, (value) => ({ 'session.intents_pruned': value }))

/** Lets memories fade and drops what has faded. */
export const consolidate: SessionService = (values) =>
  serve(values, 'consolidate', {}, (value) => ({
    'session.consolidated': true,
    'session.consolidation_kg': objectOf(value)['kg'] ?? value,
    'session.consolidation_identity': objectOf(value)['identity'] ?? null,
  }))

export const updateWorkingMemory: SessionService = (values) =>
  serve(values, 'update_working_memory', lists(values, 'concerns', 'curiosity', 'memory_notes'), (value) => ({
    'session.wm_updated': true,
    'session.working_memory': value,
  }))

export const storeIdentity: SessionService = (values) => {
  const own = listIn(values, 'session.identity_insights')
  const insights = own.length > 0 ? own : listIn(values, 'session.identity_updates')
  return serve(values, 'apply_identity_insights', { identity_insights: insights }, (value) => ({ 'session.identity_stored': value }))
}

function lists(values: Values, ...names: readonly string[]): JsonObject {
  return Object.fromEntries(names.map((name) => [name, listIn(values, `session.${name}`)]))
}

function picked(values: Values, ...names: readonly string[]): JsonObject {
  const found = names.flatMap((name): [string, Json][] => {
    const value = values.get(`session.${name}`)
    return value === undefined || renderText(value) === '' ? [] : [[name, value]]
  })
  return Object.fromEntries(found)
}
