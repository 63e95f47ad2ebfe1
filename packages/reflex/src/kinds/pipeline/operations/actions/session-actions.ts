import type { JsonObject } from '../../../../kernel/journal/json.ts'
import { SESSION_SERVICES } from '../models/session.ts'
import { pruneIntents, recallAll } from '../models/session-memory.ts'
import { buildPrompt } from '../models/session-prompts.ts'
import { parameterValues, type ServiceResult, type ServiceSteps, type SessionService } from '../models/session-values.ts'
import type { ActionResult, ActionSteps, Action } from './action.ts'

/** Beside what nodes have, what only an action can ask for; and a recall that answers with all there is. */
const SERVICES: ReadonlyMap<string, SessionService> = new Map([
  ...SESSION_SERVICES,
  ['memory_recall', recallAll],
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
