import type { JsonObject } from '../../../../kernel/journal/json.ts'
import { SESSION_SERVICES } from '../models/session.ts'
import { pruneIntents, recallAll } from '../models/session-mind.ts'
import { buildPrompt } from '../models/session-prompts.ts'
import { parameterValues, type Served, type Serving, type SessionService } from '../models/session-values.ts'
import type { Acted, Acting, Action } from './action.ts'

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
