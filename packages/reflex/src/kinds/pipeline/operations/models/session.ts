import { isObject } from '../../../../kernel/journal/json.ts'
import type { Handler, Steps } from '../../contract/handler.ts'
import { failure, type Outcome, refusal, success } from '../../contract/outcome.ts'
import { renderText } from '../../language/render.ts'
import { llmCall, toolDispatch } from './session-model.ts'
import {
  backgroundChecks,
  checkpoint,
  consolidate,
  memoryRecall,
  memoryUpdate,
  processProposals,
  routeActions,
  storeDecompositions,
  storeIdentity,
  updateGoals,
  updateWorkingMemory,
} from './session-mind.ts'
import { processResults } from './session-results.ts'
import { contextValues, listIn, type Served, type Serving, type SessionService, textIn, type Values } from './session-values.ts'

/** What was said to the agent: a command, the result of a tool, a question; blocked before all of them, whatever it is. */
export const classify: SessionService = (values) => {
  const input = values.get('session.input')
  const text = renderText(input)
  const isBlocked = isYes(values, 'session.blocked')
  const type = isBlocked
    ? 'blocked'
    : isObject(input) && 'tool_result' in input
      ? 'tool_result'
      : text.startsWith('/')
        ? 'command'
        : 'query'
  return { updates: { 'session.input_type': type } }
}

/** How often the agent consolidates, in turns. */
const CONSOLIDATES = 5

/** What the agent should be at: somebody who waits comes first, then order in its head, then its goals. */
export const modeSelect: SessionService = (values) => {
  const turn = Math.trunc(Number(textIn(values, 'session.turn_count') || 0))
  const hasGoals = listIn(values, 'session.goals').length > 0
  const hasIntents = listIn(values, 'session.intents').length > 0 || listIn(values, 'session.active_intents').length > 0
  const isTime = turn > 0 && turn % CONSOLIDATES === 0
  const mode = isYes(values, 'session.user_waiting')
    ? 'conversation'
    : isTime
      ? 'consolidation'
      : hasGoals
        ? hasIntents
          ? 'goal_pursuit'
          : 'plan_execution'
        : 'reflection'
  return { updates: { 'session.cognitive_mode': mode } }
}

/** What the agent says; a refusal where what was said to it is blocked. */
export const format: SessionService = (values) => {
  const isBlocked = isYes(values, 'session.blocked') || textIn(values, 'session.input_type') === 'blocked'
  const why = textIn(values, 'session.block_reason')
  const text = isBlocked ? `This cannot be answered${why === '' ? '.' : `: ${why}`}` : textIn(values, 'llm.content')
  return { updates: { 'session.response': text } }
}

function isYes(values: Values, key: string): boolean {
  const value = values.get(key)
  return value === true || value === 1 || ['true', '1', 'yes'].includes(renderText(value).trim().toLowerCase())
}

/** The seventeen services of a session (reference pipeline 4.6.2). */
export const SESSION_SERVICES: ReadonlyMap<string, SessionService> = new Map([
  ['classify', classify],
  ['memory_recall', memoryRecall],
  ['mode_select', modeSelect],
  ['llm_call', llmCall],
  ['tool_dispatch', toolDispatch],
  ['format', format],
  ['memory_update', memoryUpdate],
  ['checkpoint', checkpoint],
  ['background_checks', backgroundChecks],
  ['process_results', processResults],
  ['route_actions', routeActions],
  ['update_goals', updateGoals],
  ['store_decompositions', storeDecompositions],
  ['process_proposal_decisions', processProposals],
  ['consolidate', consolidate],
  ['update_working_memory', updateWorkingMemory],
  ['store_identity', storeIdentity],
])

/** Handlers of the types `session.*`, by operation: what a service writes lands in the context under its keys. */
export const SESSION_HANDLERS: readonly (readonly [string, Handler])[] = [...SESSION_SERVICES].map(([name, service]) => [
  `session.${name}`,
  (scene) => {
    const served = service(contextValues(scene))
    return 'next' in served ? waits(served, scene.node.id) : outcomeOf(served, scene.node.id)
  },
])

function* waits(serving: Serving, id: string): Steps {
  return outcomeOf(yield* serving, id)
}

function outcomeOf(served: Served, id: string): Outcome {
  if ('updates' in served) return success(served.updates)
  const reason = `${id}: ${served.problem}`
  return served.passes === true ? failure(reason) : refusal(reason)
}
