import { applyStylesheet } from '../../language/stylesheet.ts'
import { parseStylesheet } from '../../language/stylesheet-parse.ts'
import { expandVariables } from '../../language/variables.ts'
import { parseCondition } from '../../language/condition-parse.ts'
import { type Attribute, type Attributes, type DotEdge, type DotGraph, type DotNode, textOf } from '../../dot/graph.ts'
import { type AttributeChanges, type Mutation, refuse } from './mutation.ts'
import { VERSION, versionOf } from '../../dot/version.ts'

/** The rules that decide on each mutation. */
interface MutationRules {
  /** Returns the canonical type of a node. */
  kindOf(node: DotNode): string
  /** Returns the reason why a node cannot be changed: it was executed, or it is the node that changes the others. */
  readonly closedReason: (id: string) => string | undefined
  /** Throws `MutationRefused` if the trust is too low. `leaf`: no edge leaves the node; `node`: the node after the previous mutations. */
  allow(mutation: Mutation, leaf: boolean, node: DotNode | undefined): void
}

/**
 * Applies mutations in order to a copy of a graph (reference pipeline 9). An edge may name a node that a later mutation adds.
 * Variables and the stylesheet are applied to new and changed nodes; the version is incremented. Throws `MutationRefused` at
 * the first invalid mutation; then nothing has changed.
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
    if (this.#nodes.has(node.id)) refuse(`add_node: ${node.id} exists already`)
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

  /** Edges may name nodes that come later, so their ends are checked after all mutations. */
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

  /** Returns all nodes in order, with variables and the stylesheet applied to new and changed ones. */
  #styledNodes(): ReadonlyMap<string, DotNode> {
    const touched = new Map([...this.#nodes].filter(([id]) => this.#touched.has(id)))
    const { rules } = parseStylesheet(textOf(this.#before.attributes, 'model_stylesheet') ?? '')
    const { nodes } = applyStylesheet(expandVariables({ ...this.#before, nodes: touched }), rules)
    return new Map([...this.#nodes].map(([id, node]) => [id, nodes.get(id) ?? node]))
  }
}

/** Returns the node that a mutation adds, before variables and the stylesheet are applied. */
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

/** A changed node may match other rules of the stylesheet, so styled attributes are removed. */
function withoutStyle(attributes: Attributes): Attributes {
  return new Map([...attributes].filter(([, { provenance }]) => provenance !== 'stylesheet'))
}
