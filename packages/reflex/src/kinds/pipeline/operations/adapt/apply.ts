import { applyStylesheet } from '../../language/stylesheet.ts'
import { parseStylesheet } from '../../language/stylesheet-parse.ts'
import { expandVariables } from '../../language/variables.ts'
import { parseCondition } from '../../language/condition-parse.ts'
import { type Attribute, type Attributes, type DotEdge, type DotGraph, type DotNode, textOf } from '../../dot/graph.ts'
import { type AttributeChanges, type Mutation, refuse } from './mutation.ts'
import { VERSION, versionOf } from '../../dot/version.ts'

/** What decides on each change. */
interface MutationRules {
  /** The handler of a node as it stands, by its canonical type. */
  kindOf(node: DotNode): string
  /** Nodes that nothing may change any more: those that were executed, and the one that changes the others. */
  readonly closedReason: (id: string) => string | undefined
  /** Throws `MutationRefused` where trust is too low; `leaf`: no edge leaves the node; `node`: the node after the changes so far. */
  allow(mutation: Mutation, leaf: boolean, node: DotNode | undefined): void
}

/**
 * A graph with changes applied one after the other, on a copy (reference pipeline 9). An edge may name a node that comes
 * later in the list. New and changed nodes have variables and the stylesheet applied, as when a pipeline is loaded; the
 * version goes up by one. Throws `MutationRefused` at the first change that cannot be: then nothing has changed.
 */
export function applyMutations(graph: DotGraph, mutations: readonly Mutation[], rules: MutationRules): DotGraph {
  const draft = new GraphDraft(graph, rules)
  for (const mutation of mutations) draft.apply(mutation)
  return draft.graph()
}

class GraphDraft {
  readonly #before: DotGraph
  readonly #rules: MutationRules
  readonly #nodes: Map<string, DotNode>
  readonly #touched = new Set<string>()
  #edges: readonly DotEdge[]

  constructor(graph: DotGraph, rules: MutationRules) {
    this.#before = graph
    this.#rules = rules
    this.#nodes = new Map(graph.nodes)
    this.#edges = graph.edges
  }

  apply(mutation: Mutation): void {
    const node = 'id' in mutation ? this.#nodes.get(mutation.id) : undefined
    this.#rules.allow(mutation, 'id' in mutation && !this.#edges.some(({ from }) => from === mutation.id), node)
    switch (mutation.op) {
      case 'add_node':
        return this.#addNode(newNode(mutation))
      case 'remove_node':
        return this.#removeNode(mutation.id)
      case 'modify_attrs':
        return this.#modify(mutation.id, mutation.attrs)
      case 'add_edge':
        return this.#addEdge(mutation.from, mutation.to, mutation.attrs)
      case 'remove_edge':
        return this.#removeEdge(mutation)
    }
  }

  graph(): DotGraph {
    const { attributes, subgraphs } = this.#before
    const before = new Set(this.#before.edges)
    for (const edge of this.#edges) if (!before.has(edge)) this.#checkEnds(edge)
    return {
      ...this.#before,
      attributes: new Map([...attributes, [VERSION, { value: versionOf(this.#before) + 1, provenance: 'transform' }]]),
      nodes: this.#styledNodes(),
      edges: this.#edges.map((edge, index) => ({ ...edge, index })),
      subgraphs: subgraphs.map((subgraph) => ({ ...subgraph, members: subgraph.members.filter((id) => this.#nodes.has(id)) })),
    }
  }

  #addNode(node: DotNode): void {
    if (this.#nodes.has(node.id)) refuse(`add_node: ${node.id} is there already`)
    this.#nodes.set(node.id, node)
    this.#touched.add(node.id)
  }

  #removeNode(id: string): void {
    const kind = this.#rules.kindOf(this.#openNode(id, 'remove_node'))
    if (kind === 'start' || kind === 'exit') refuse(`remove_node: ${id} is the ${kind} of the pipeline`)
    this.#nodes.delete(id)
    this.#touched.delete(id)
    this.#edges = this.#edges.filter(({ from, to }) => from !== id && to !== id)
  }

  #modify(id: string, attrs: AttributeChanges): void {
    const node = this.#openNode(id, 'modify_attrs')
    this.#nodes.set(id, { ...node, attributes: merged(withoutStyle(node.attributes), attrs) })
    this.#touched.add(id)
  }

  #openNode(id: string, op: string): DotNode {
    const node = this.#nodes.get(id)
    if (node === undefined) return refuse(`${op}: there is no node ${id}`)
    const reason = this.#rules.closedReason(id)
    return reason === undefined ? node : refuse(`${op}: ${id} ${reason}`)
  }

  #addEdge(from: string, to: string, attrs: AttributeChanges): void {
    const attributes = merged(new Map(), attrs)
    const { condition, problems } = parseCondition(textOf(attributes, 'condition') ?? '')
    if (condition?.unreadable === true)
      refuse(`add_edge: the condition of ${from} -> ${to}: ${problems[0]?.message ?? 'it cannot be read'}`)
    this.#edges = [...this.#edges, { index: this.#edges.length, from, to, attributes }]
  }

  /** Edges may name nodes that come later, so new ones are looked at once all is there. */
  #checkEnds({ from, to }: DotEdge): void {
    for (const id of [from, to]) if (!this.#nodes.has(id)) refuse(`add_edge: there is no node ${id}`)
    if (this.#kind(from) === 'exit') refuse(`add_edge: no edge leaves the exit ${from}`)
    if (this.#kind(to) === 'start') refuse(`add_edge: no edge leads to the start ${to}`)
  }

  #kind(id: string): string | undefined {
    const node = this.#nodes.get(id)
    return node === undefined ? undefined : this.#rules.kindOf(node)
  }

  #removeEdge({ from, to, condition, label }: Extract<Mutation, { op: 'remove_edge' }>): void {
    const matches = (edge: DotEdge): boolean =>
      edge.from === from &&
      edge.to === to &&
      (condition === undefined || textOf(edge.attributes, 'condition') === condition) &&
      (label === undefined || textOf(edge.attributes, 'label') === label)
    const left = this.#edges.filter((edge) => !matches(edge))
    if (left.length === this.#edges.length) refuse(`remove_edge: there is no such edge ${from} -> ${to}`)
    this.#edges = left
  }

  /** All nodes in their order, those that are new or changed with variables and the stylesheet applied. */
  #styledNodes(): ReadonlyMap<string, DotNode> {
    const touched = new Map([...this.#nodes].filter(([id]) => this.#touched.has(id)))
    const { rules } = parseStylesheet(textOf(this.#before.attributes, 'model_stylesheet') ?? '')
    const { nodes } = applyStylesheet(expandVariables({ ...this.#before, nodes: touched }), rules)
    return new Map([...this.#nodes].map(([id, node]) => [id, nodes.get(id) ?? node]))
  }
}

/** The node that a mutation adds, before variables and the stylesheet are applied. */
export function newNode({ id, attrs }: Pick<Extract<Mutation, { op: 'add_node' }>, 'id' | 'attrs'>): DotNode {
  return { id, attributes: merged(new Map(), attrs), classes: [] }
}

function merged(before: Attributes, changes: AttributeChanges): Attributes {
  const after = new Map<string, Attribute>(before)
  for (const [key, value] of changes) {
    if (value === null) after.delete(key)
    else after.set(key, { value, provenance: 'transform' })
  }
  return after
}

/** A changed node may answer to other rules of the stylesheet. */
function withoutStyle(attributes: Attributes): Attributes {
  return new Map([...attributes].filter(([, { provenance }]) => provenance !== 'stylesheet'))
}
