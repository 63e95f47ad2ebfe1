import type { JsonObject } from '../../../../kernel/journal/json.ts'
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

/** The services that actions ask for, by the names of the actions; recalling answers with everything that there is. */
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

/** The services of a session as actions: values are parameters, and what is written is the result. */
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

/** Keys of the context as fields: their last part, so that `output_prefix="session"` writes what the node type would. */
function fieldsOf(updates: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(updates).map(([key, value]) => [key.replace(/^(?:session|llm)\./, ''), value]))
}
