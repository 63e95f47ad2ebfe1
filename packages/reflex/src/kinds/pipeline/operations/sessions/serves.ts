import { context, type Input } from '../../model/operation-ports.ts'
import type { Handler, Steps } from '../../contract/handler.ts'
import { failure, type Outcome, refusal, success } from '../../contract/outcome.ts'
import { contextValues, type ServiceResult, type ServiceSteps, type SessionService } from '../models/session-values.ts'

/** Values of the session that are always read. */
export function session(...names: readonly string[]): Input[] {
  return names.map((name) => context(`session.${name}`))
}

/** The handler of a service of a session (reference pipeline 4.6.2): what the service writes is written to the context under its keys. */
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
