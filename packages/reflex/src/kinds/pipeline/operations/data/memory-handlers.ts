import type { Json, JsonObject } from '../../../../kernel/index.ts'
import type { NodeContext, Steps } from '../../contract/handler.ts'
import { success } from '../../contract/outcome.ts'
import { effectFailed } from '../commands/requirements.ts'
import { askService } from '../models/session-values.ts'

/** Calls the memory of the agent. A function that the host's memory does not have writes nothing. */
export function* askMemory(context: NodeContext, op: string, args: JsonObject, write: (value: Json) => JsonObject): Steps {
  const answered = yield* askService(context, 'memory', op, args)
  if ('error' in answered) return effectFailed(context, answered.error)
  return success('value' in answered ? write(answered.value) : undefined)
}
