import { isObject } from '../../../kernel/journal/json.ts'
import { perform } from '../contract/asks.ts'
import type { Handler } from '../contract/handler.ts'
import { failure, outcomeProblem, readOutcome, refusal } from '../contract/outcome.ts'

/**
 * The handler of a host: its code runs behind a port, and what it answers is its outcome. What it throws fails the node;
 * a message that speaks of the network may be tried again (reference pipeline 3.5).
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
    return outcome ?? refusal(`${node.id}: the handler ${name} returned no outcome: ${outcomeProblem(settled.ok) ?? 'it cannot be read'}`)
  }
}
