import { faults, type RunnableAgent, scriptedAgent } from '../../agents/index.ts'
import { edgesNamed, unknownEdge } from '../../agents/edges.ts'
import { PURE } from '../../agents/agent.ts'
import { didYouMean, quote, suggest } from '../../text/index.ts'
import type { DecisionContext, Workflow } from '../../kinds/workflow/index.ts'
import { TurnOrder, type Outside } from './outside.ts'
import type { DecisionScripts, DecisionScript, ScriptedDecision, ScriptedOptions } from './script.ts'

/** Returns an agent that decides from the script. Nodes without a script are decided by `fallback`. */
export function scriptedDecisions(decide: DecisionScripts<string>, fallback: RunnableAgent, outside: Outside): RunnableAgent {
  const order = new TurnOrder()
  const entryAt = ({ workflow, node }: DecisionContext): string | undefined =>
    [`${workflow.id}/${node.id}`, node.id].find((name) => Object.hasOwn(decide, name))
  return {
    async resolve(context, call) {
      const name = entryAt(context)
      const given = name === undefined ? undefined : decide[name]
      if (name === undefined || given === undefined) return fallback.resolve(context, call)
      const place = `${context.workflow.id}/${context.node.id}`
      const decision = await outside.waitForTest(() => decisionOf(given, name, context, order))
      outside.record('decide', place, decision, '')
      return scriptedAgent({ [context.node.id]: decision }, { file: 'the script' }).resolve(context)
    },
    traits: (context, place) => (entryAt(context) === undefined ? (fallback.traits?.(context, place) ?? PURE) : PURE),
  }
}

function decisionOf(
  given: DecisionScript,
  name: string,
  context: DecisionContext,
  order: TurnOrder,
): ScriptedDecision | Promise<ScriptedDecision> {
  if (typeof given === 'function') return given(context)
  if (!isList(given)) return given
  const next = order.next(name, given)
  if (next !== undefined) return next
  throw faults.make('R2121', `the script has ${given.length} decisions for ${name}, but the node is decided again`, {
    path: context.node.id,
  })
}

function isList(given: Exclude<DecisionScript, (context: DecisionContext) => unknown>): given is readonly ScriptedDecision[] {
  return Array.isArray(given)
}

/** Refuses nodes and edges that no workflow of the program has: throws `R2120` for a node and `R2103` for an edge. */
export function checkDecisions(decide: ScriptedOptions['decide'] = {}, workflows: readonly Workflow[]): void {
  const names = workflows.flatMap(({ id, nodes }) => Object.keys(nodes).flatMap((node) => [node, `${id}/${node}`]))
  for (const [name, given] of Object.entries<DecisionScript | undefined>(decide)) {
    const [node, workflowId] = name.split('/').toReversed()
    const owners = workflows.filter(({ id, nodes }) => Object.hasOwn(nodes, node ?? '') && (workflowId === undefined || workflowId === id))
    if (owners.length === 0) throw unknownNode(name, names)
    if (given === undefined || typeof given === 'function') continue
    for (const decision of isList(given) ? given : [given]) checkEdge(decision, node ?? '', owners)
  }
}

function checkEdge(decision: ScriptedDecision, node: string, workflows: readonly Workflow[]): void {
  const edge = typeof decision === 'string' ? decision : decision.go
  if (edge === undefined) return
  const leaving = workflows.flatMap(({ edges }) => edges.filter(({ from }) => from === node))
  if (edgesNamed(edge, leaving).length === 0) throw unknownEdge(edge, node, leaving)
}

function unknownNode(name: string, names: readonly string[]): Error {
  const hint = didYouMean(suggest(name, names))
  const noWorkflowHint = 'remove `decide`: the program has no workflow; write the answers of models and people in `models` and `answers`'
  return faults.make(
    'R2120',
    `the script has a decision for ${quote(name)}, but no workflow has that node${hint === undefined ? '' : `; ${hint}`}`,
    {
      path: name,
      fix: hint ?? (names.length === 0 ? noWorkflowHint : `write one of ${names.filter((one) => !one.includes('/')).join(', ')}`),
    },
  )
}
