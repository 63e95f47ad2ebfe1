import type { Decision, DecisionAgent, DecisionContext, Workflow } from '../packages/reflex/src/kinds/workflow/index.ts'

/** A workflow of `size` nodes in a row. */
export function linear(id: string, size: number, invokes?: string): Workflow {
  const names = Array.from({ length: size }, (_, i) => `n${i}`)
  return {
    id,
    entry: 'n0',
    nodes: Object.fromEntries(
      names.map((name) => [
        name,
        {
          id: name,
          spec: {},
          ...(invokes === undefined ? {} : { invokes: { workflowId: invokes, returnMap: [{ parentKey: 'r', childKey: 'last' }] } }),
        },
      ]),
    ),
    edges: names.slice(1).map((to, i) => ({ id: `e${i}`, from: `n${i}`, to, event: 'NEXT' })),
  }
}

/** Three workflows that call each other: 10 x 10 x 10 leaves and every return are 1,110 decisions. */
export function nested(): Workflow[] {
  return [linear('outer', 10, 'middle'), linear('middle', 10, 'inner'), linear('inner', 10)]
}

let count = 0

/** Writes one number at each node and goes on. */
export const agent: DecisionAgent = {
  async resolve({ node, validEdges }: DecisionContext): Promise<Decision> {
    count++
    const [edge] = validEdges
    if (edge === undefined) return { type: 'complete', writes: [{ key: 'last', value: count }] }
    return { type: 'advance', edge: edge.id, writes: [{ key: node.id, value: count }] }
  },
}

interface Entry {
  readonly key: string
  readonly value: unknown
  readonly source: { readonly workflowId: string; readonly nodeId: string; readonly stackDepth: number }
  readonly timestamp: number
}

/**
 * The floor: a bare awaited loop that asks the same agent and does the same writes, with the same facts in each
 * entry. It checks nothing, keeps no journal, and cannot be stopped, resumed or looked at.
 */
export class BareLoop {
  readonly #workflows: ReadonlyMap<string, { readonly workflow: Workflow; readonly outgoing: ReadonlyMap<string, Workflow['edges']> }>

  constructor(workflows: readonly Workflow[]) {
    this.#workflows = new Map(
      workflows.map((workflow) => [
        workflow.id,
        { workflow, outgoing: new Map(Object.keys(workflow.nodes).map((id) => [id, workflow.edges.filter((edge) => edge.from === id)])) },
      ]),
    )
  }

  async run(id: string, depth = 0): Promise<Entry[]> {
    const known = this.#workflows.get(id)
    if (known === undefined) throw new Error(`no workflow ${id}`)
    const { workflow, outgoing } = known
    const board: Entry[] = []
    const stack: [] = []
    for (let at = workflow.entry; ; ) {
      const node = workflow.nodes[at]
      const validEdges = outgoing.get(at)
      if (node === undefined || validEdges === undefined) throw new Error(`no node ${at}`)
      if (node.invokes !== undefined) {
        const child = await this.run(node.invokes.workflowId, depth + 1)
        for (const { parentKey, childKey } of node.invokes.returnMap)
          board.push(this.#entry(parentKey, child.findLast((entry) => entry.key === childKey)?.value, id, at, depth))
      }
      const decision = await agent.resolve({ workflow, node, validEdges, stack, blackboard: NO_BOARD })
      if (decision.type === 'suspend') return board
      for (const { key, value } of decision.writes ?? []) board.push(this.#entry(key, value, id, at, depth))
      if (decision.type === 'complete') return board
      const edge = validEdges.find((candidate) => candidate.id === decision.edge)
      if (edge === undefined) throw new Error('no such edge')
      at = edge.to
    }
  }

  #entry(key: string, value: unknown, workflowId: string, nodeId: string, stackDepth: number): Entry {
    return { key, value, source: { workflowId, nodeId, stackDepth }, timestamp: Date.now() }
  }
}

const NO_BOARD: DecisionContext['blackboard'] = {
  get: () => undefined,
  has: () => false,
  getAll: () => [],
  entries: () => [],
  keys: () => [],
  local: () => [],
}
