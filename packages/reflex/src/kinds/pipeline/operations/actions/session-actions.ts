import type { JsonObject } from '../../../../kernel/index.ts'
import { classify, format, modeSelect } from '../models/session.ts'
import {
  backgroundChecks,
  checkpoint,
  consolidate,
  memoryUpdate,
  processProposals,
  pruneIntents,
  recallAll,
  routeActions,
  storeDecompositions,
  storeIdentity,
  updateGoals,
  updateWorkingMemory,
} from '../models/session-memory.ts'
import { llmCall, toolDispatch } from '../models/session-model.ts'
import { processResults } from '../models/session-results.ts'
import { buildPrompt } from '../models/session-prompts.ts'
import { parameterValues, type ServiceResult, type ServiceSteps, type SessionService } from '../models/session-values.ts'
import type { ActionResult, ActionSteps, Action } from './action.ts'

/** The session services by action name. The action `memory_recall` recalls everything. */
const SERVICES: ReadonlyMap<string, SessionService> = new Map([
  ['classify', classify],
  ['memory_recall', recallAll],
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
  ['prune_stale_intents', pruneIntents],
  ['build_prompt', buildPrompt],
])

/** The services of a session as actions: parameters provide the values, and updates are the result. */
export const SESSION_ACTIONS: readonly (readonly [string, Action])[] = [...SERVICES].map(([name, service]) => [
  `session_${name}`,
  (context, params) => {
    const result = service(parameterValues(context, params))
    return 'next' in result ? finish(result) : actionResultOf(result)
  },
])

function* finish(steps: ServiceSteps): ActionSteps {
  return actionResultOf(yield* steps)
}

function actionResultOf(result: ServiceResult): ActionResult {
  return 'problem' in result ? result : { result: fieldsOf(result.updates) }
}

/** Returns keys of the context as fields, without their prefix: `output_prefix="session"` then writes the same keys as the node type. */
function fieldsOf(updates: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(updates).map(([key, value]) => [key.replace(/^(?:session|llm)\./, ''), value]))
}
