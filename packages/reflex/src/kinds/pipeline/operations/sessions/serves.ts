import { context, type Input } from '../../model/operation-ports.ts'
import type { Handler, Steps } from '../../contract/handler.ts'
import { failure, type Outcome, refusal, success } from '../../contract/outcome.ts'
import { contextValues, type ServiceResult, type ServiceSteps, type SessionService } from '../models/session-values.ts'

/** Returns inputs for values of the session that are always read. */
export function session(...names: readonly string[]): Input[] {
  return names.map((name) => context(`session.${name}`))
}

/** Returns the handler of a session service (reference pipeline 4.6.2). The updates of the service are written to the context. */
export function serves(service: SessionService): Handler {
  return (nodeContext) => {
    const result = service(contextValues(nodeContext))
    return 'next' in result ? finishSteps(result, nodeContext.node.id) : outcomeOf(result, nodeContext.node.id)
  }
}

function* finishSteps(steps: ServiceSteps, id: string): Steps {
  return outcomeOf(yield* steps, id)
}

function outcomeOf(result: ServiceResult, id: string): Outcome {
  if ('updates' in result) return success(result.updates)
  const reason = `${id}: ${result.problem}`
  return result.transient === true ? failure(reason) : refusal(reason)
}
