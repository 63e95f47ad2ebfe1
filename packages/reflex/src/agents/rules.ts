import type { Node } from '../kinds/workflow/types.ts'
import type { RunnableAgent } from './agent.ts'
import { chooseByRules, toDecision } from './rule-choice.ts'
import { compute } from './compute.ts'
import { Draft } from './lookup.ts'
import { isForeign, readSpec } from './read-spec.ts'
import { rulesSpec, type RulesSpec } from './spec.ts'
import { evaluateAll } from './evaluate.ts'

/** Decides by what the spec of the node says: works values out, writes them, and goes where the rules lead. */
export const rulesAgent: RunnableAgent = {
  async resolve(context) {
    const draft = new Draft(context.blackboard)
    const spec = readRules(context.node)
    const summary = performActions(spec, draft)
    const { edge, because } = chooseByRules(spec, context, draft)
    return toDecision({ edge, because: because ?? summary }, draft, 'rules')
  },
}

/** The spec of a node as rules understand it. One that is not ours says nothing: the seed leaves specs to their agents. */
export function readRules(node: Node): RulesSpec {
  return isForeign(node.spec) ? {} : readSpec(rulesSpec, node)
}

/** Performs the actions of a spec and its writes; gives a line about them. */
export function performActions(spec: RulesSpec, draft: Draft): string | undefined {
  const summary = compute(spec, draft)
  for (const [key, value] of Object.entries(evaluateAll(spec.writes ?? {}, draft, 'writes'))) draft.write(key, value)
  return summary
}
