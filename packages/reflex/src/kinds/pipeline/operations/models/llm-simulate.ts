import type { JsonObject } from '../../../../kernel/index.ts'
import { textOf } from '../../dot/graph.ts'
import type { NodeContext } from '../../contract/handler.ts'
import { failure, type Outcome, refusal, success } from '../../contract/outcome.ts'
import { promptOf } from './llm-prompt.ts'
import { responseUpdates } from './llm-outcome.ts'

/**
 * Returns the outcome of a node that simulates its model, as its attribute states (reference pipeline 4.3.1, simulate);
 * undefined for a node that asks one.
 */
export function simulatedOutcome(context: NodeContext): Outcome | undefined {
  const { attributes, node } = context
  const word = textOf(attributes, 'simulate')?.trim().toLowerCase() ?? ''
  const text = `[Simulated] Response for stage: ${node.id}`
  const ok = (): Outcome => success(responseUpdates(context, promptOf(context), text))
  const counter = `internal.simulate.fail_once.${node.id}`
  switch (word) {
    case '':
    case 'false':
      return undefined
    case 'true':
      return ok()
    case 'fail':
      return failure('simulated failure')
    case 'retry':
      return { status: 'retry', failure_reason: 'simulated retry' }
    case 'fail_once':
      return (context.get(counter) ?? null) === null ? failure('simulated failure, once', withCounter(counter)) : ok()
    case 'raise_retryable':
      return failure('network timeout')
    case 'raise_terminal':
      return refusal('401 unauthorized')
    default:
      return refusal(`${node.id}: simulate has the unknown value ${JSON.stringify(word)}`)
  }
}

function withCounter(counter: string): { readonly context_updates: JsonObject } {
  return { context_updates: { [counter]: 1 } }
}
