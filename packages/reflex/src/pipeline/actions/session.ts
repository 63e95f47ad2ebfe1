import type { JsonObject } from '../../kernel/json.ts'
import { classify, format, modeSelect } from '../handlers/session.ts'
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
} from '../handlers/session-mind.ts'
import { llmCall, toolDispatch } from '../handlers/session-model.ts'
import { buildPrompt } from '../handlers/session-prompts.ts'
import { processResults } from '../handlers/session-results.ts'
import { parameterValues, type Served, type Serving, type SessionService } from '../handlers/session-values.ts'
import type { Acted, Acting, Action } from './action.ts'

const SERVICES: readonly (readonly [string, SessionService])[] = [
  ['classify', classify],
  ['mode_select', modeSelect],
  ['memory_recall', recallAll],
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
]

/** The services of a session as actions: values are parameters, and what is written is the result. */
export const SESSION_ACTIONS: readonly (readonly [string, Action])[] = SERVICES.map(([name, service]) => [
  `session_${name}`,
  (scene, given) => {
    const served = service(parameterValues(scene, given))
    return 'next' in served ? waits(served) : actedOf(served)
  },
])

function* waits(serving: Serving): Acting {
  return actedOf(yield* serving)
}

function actedOf(served: Served): Acted {
  return 'problem' in served ? served : { result: fieldsOf(served.updates) }
}

/** Keys of the context as fields: their last part, so that `output_prefix="session"` writes what the node type would. */
function fieldsOf(updates: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(updates).map(([key, value]) => [key.replace(/^(?:session|llm)\./, ''), value]))
}
