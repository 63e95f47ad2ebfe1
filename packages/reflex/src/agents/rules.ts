import type { Node } from '../kinds/workflow/index.ts'
import type { RunnableAgent } from './agent.ts'
import { chooseByRules, toDecision } from './rule-choice.ts'
import { compute } from './compute.ts'
import { Draft } from './lookup.ts'
import { isForeign, readSpec } from './read-spec.ts'
import { rulesSpec, type RulesSpec } from './spec.ts'
import { evaluateAll } from './evaluate.ts'

/**
 * The agent that decides by the rules in the spec of the node: it computes values, writes them, and takes the edge that the
 * rules choose.
 */
export const rulesAgent: RunnableAgent = {
  async resolve(context) {
    const draft = new Draft(context.blackboard)
    const spec = readRules(context.node)
    const summary = performActions(spec, draft)
    const { edge, because } = chooseByRules(spec, context, draft)
    return toDecision({ edge, because: because ?? summary }, draft, 'rules')
  },
}

/** Returns the spec of a node as rules read it; an empty one if the spec is for another agent (seed workflow 2.3). */
export function readRules(node: Node): RulesSpec {
  return isForeign(node.spec) ? {} : readSpec(rulesSpec, node)
}

/** Performs the actions and writes of a spec. Returns a summary line. */
export function performActions(spec: RulesSpec, draft: Draft): string | undefined {
  const summary = compute(spec, draft)
  for (const [key, value] of Object.entries(evaluateAll(spec.writes ?? {}, draft, 'writes'))) draft.write(key, value)
  return summary
}
