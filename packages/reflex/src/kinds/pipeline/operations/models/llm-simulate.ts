import type { JsonObject } from '../../../../kernel/journal/json.ts'
import { textOf } from '../../dot/graph.ts'
import type { NodeContext } from '../../contract/handler.ts'
import { failure, type Outcome, refusal, success } from '../../contract/outcome.ts'
import { promptOf } from './llm-prompt.ts'
import { responseUpdates } from './llm-outcome.ts'

/** What a node that asks no model comes to, as it says (reference pipeline 4.3.1, simulate); nothing where it asks one. */
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
      return refusal(`${node.id}: simulate knows nothing of ${JSON.stringify(word)}`)
  }
}

function withCounter(counter: string): { readonly context_updates: JsonObject } {
  return { context_updates: { [counter]: 1 } }
}
