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
} from './session-memory.ts'
import { processResults } from './session-results.ts'
import {
  contextValues,
  listIn,
  type ServiceResult,
  type ServiceSteps,
  type SessionService,
  textIn,
  type ServiceValues,
} from './session-values.ts'

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
const CONSOLIDATION_PERIOD = 5

/** What the agent should be at: somebody who waits comes first, then order in its head, then its goals. */
export const modeSelect: SessionService = (values) => {
  const turn = Math.trunc(Number(textIn(values, 'session.turn_count') || 0))
  const hasGoals = listIn(values, 'session.goals').length > 0
  const hasIntents = listIn(values, 'session.intents').length > 0 || listIn(values, 'session.active_intents').length > 0
  const isConsolidationTurn = turn > 0 && turn % CONSOLIDATION_PERIOD === 0
  const mode = isYes(values, 'session.user_waiting')
    ? 'conversation'
    : isConsolidationTurn
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
  const reason = textIn(values, 'session.block_reason')
  const text = isBlocked ? `This cannot be answered${reason === '' ? '.' : `: ${reason}`}` : textIn(values, 'llm.content')
  return { updates: { 'session.response': text } }
}

function isYes(values: ServiceValues, key: string): boolean {
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
  (context) => {
    const result = service(contextValues(context))
    return 'next' in result ? finishSteps(result, context.node.id) : outcomeOf(result, context.node.id)
  },
])

function* finishSteps(steps: ServiceSteps, id: string): Steps {
  return outcomeOf(yield* steps, id)
}

function outcomeOf(result: ServiceResult, id: string): Outcome {
  if ('updates' in result) return success(result.updates)
  const reason = `${id}: ${result.problem}`
  return result.transient === true ? failure(reason) : refusal(reason)
}
