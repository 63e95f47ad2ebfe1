import { isObject } from '../../../kernel/index.ts'
import { perform } from '../contract/asks.ts'
import type { Handler } from '../contract/handler.ts'
import { failure, outcomeProblem, readOutcome, refusal } from '../contract/outcome.ts'

/**
 * Returns the handler for host code: it runs behind a port, and its return value is the outcome. An error that it throws fails
 * the node; a network error may be retried (reference pipeline 3.5).
 */
export function customHandler(name: string): Handler {
  return function* handle({ node }) {
    const settled = yield* perform('handler', { handler: name, node: node.id })
    if (settled.error !== undefined) {
      const { code, message, verdict } = settled.error
      return verdict === 'retry' ? failure(message, { code }) : refusal(message, { code })
    }
    const answer = isObject(settled.ok) ? settled.ok : {}
    const outcome = readOutcome(answer)
    const { artifacts } = answer
    if (outcome !== undefined && isObject(artifacts)) return { ...outcome, artifacts }
    return (
      outcome ?? refusal(`${node.id}: the handler ${name} did not return an outcome: ${outcomeProblem(settled.ok) ?? 'it cannot be read'}`)
    )
  }
}
