import type { Fault, FaultDetails } from '../kernel/index.ts'
import { quote, suggest } from '../text/index.ts'
import type { Node, Workflow } from '../kinds/workflow/index.ts'
import { faults } from './faults.ts'

/** The agents that the operator names. */
export interface OperatorAgents {
  /** The agent at nodes for which neither node nor workflow names one: `--agent NAME`. */
  readonly default?: string | undefined
  /** The agents of single nodes, by `node` or `workflow/node`: `--agent NODE=NAME`. */
  readonly perNode?: Readonly<Record<string, string>> | undefined
}

/** The agent at a node, and the place that named it. */
export interface ChosenAgent {
  readonly name: string
  readonly from: 'node' | 'workflow' | 'operator' | 'spec'
}

/** Agents that only decide. They do not perform a tool or a question that a spec requires. */
const DECIDERS: ReadonlySet<string> = new Set(['rules', 'model', 'person'])

/** Returns the candidates for the agent of a node, the preferred first. */
export function chosenAgents(settings: OperatorAgents, workflow: Workflow, node: Node): readonly ChosenAgent[] {
  const { agent } = node.spec
  if (agent !== undefined) return [{ name: nameFrom(agent, `${node.id}.spec.agent`), from: 'node' }]
  const specAgent = agentBySpec(node)
  const general = workflow.metadata?.agent
  const single = ownName(settings.perNode, `${workflow.id}/${node.id}`) ?? ownName(settings.perNode, node.id)
  const isSpecBound = specAgent === 'tool' || specAgent === 'person'
  const unlessSpecBound = (name: string, from: ChosenAgent['from']): readonly ChosenAgent[] =>
    isSpecBound && DECIDERS.has(name) ? [] : [{ name, from }]
  return [
    ...(general === undefined ? [] : unlessSpecBound(nameFrom(general, 'metadata.agent'), 'workflow')),
    ...(single === undefined ? [] : [{ name: single, from: 'operator' } as const]),
    ...(settings.default === undefined ? [] : unlessSpecBound(settings.default, 'operator')),
    { name: specAgent, from: 'spec' },
  ]
}

function ownName(names: OperatorAgents['perNode'], node: string): string | undefined {
  return names !== undefined && Object.hasOwn(names, node) ? names[node] : undefined
}

/** Returns the built-in agent that the attributes of a spec require. */
function agentBySpec({ spec }: Node): 'tool' | 'person' | 'model' | 'rules' {
  if (spec.tool !== undefined) return 'tool'
  if (spec.ask !== undefined) return 'person'
  return spec.prompt === undefined ? 'rules' : 'model'
}

function nameFrom(name: unknown, path: string): string {
  if (typeof name === 'string' && name !== '') return name
  throw faults.make('R2101', `${path} must be the name of an agent`, { path })
}

/** Returns the fault `R2101` for an unknown agent, with a suggestion. */
export function unknownAgent({ name, from }: ChosenAgent, node: Node, known: readonly string[], place?: FaultDetails): Fault {
  const guess = suggest(name, known)
  const origin = { node: `${node.id} names`, workflow: 'the workflow names', operator: '--agent names', spec: `${node.id} needs` }[from]
  return faults.make(
    'R2101',
    `${origin} the agent ${quote(name)}, which does not exist${guess === undefined ? '' : `; did you mean ${quote(guess)}?`}`,
    {
      ...(place ?? { path: from === 'node' ? `${node.id}.spec.agent` : node.id }),
      fix: guess === undefined ? `agents: ${known.join(', ')}` : `write ${guess}`,
      data: { agents: known },
    },
  )
}
