import type { Node } from '../kinds/workflow/types.ts'
import type { RunnableAgent } from './agent.ts'
import { chooseWay, decided } from './choose.ts'
import { compute } from './compute.ts'
import { Draft } from './lookup.ts'
import { isForeign, readSpec } from './read-spec.ts'
import { rulesSpec, type RulesSpec } from './spec.ts'
import { evaluateAll } from './values.ts'

/** Decides by what the spec of the node says: works values out, writes them, and goes where the rules lead. */
export const rulesAgent: RunnableAgent = {
  async resolve(context) {
    const draft = new Draft(context.blackboard)
    const spec = readWorking(context.node)
    const said = work(spec, draft)
    const { edge, because } = chooseWay(spec, context, draft)
    return decided({ edge, because: because ?? said }, draft, 'rules')
  },
}

/** The spec of a node as rules understand it. One that is not ours says nothing: the seed leaves specs to their agents. */
export function readWorking(node: Node): RulesSpec {
  return isForeign(node.spec) ? {} : readSpec(rulesSpec, node)
}

/** Performs the actions of a spec and its writes; gives a line about them. */
export function work(spec: RulesSpec, draft: Draft): string | undefined {
  const said = compute(spec, draft)
  for (const [key, value] of Object.entries(evaluateAll(spec.writes ?? {}, draft, 'writes'))) draft.write(key, value)
  return said
}
