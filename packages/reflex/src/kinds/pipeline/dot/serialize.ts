import type { Attribute, Attributes, AttributeValue, DotEdge, DotGraph, DotNode } from './graph.ts'
import { quoted, writeId, writeValue } from './literal.ts'
import { keyEnd } from './scan.ts'
import { SharedDefaults } from './serialize-defaults.ts'
import { placeEdges, type EdgePlaces } from './serialize-places.ts'
import { layOut, ROOT, type ScopeLayout } from './serialize-scopes.ts'
import { checkArguments } from '../../../text/index.ts'
import { GRAPH, SOME_OPTIONS } from './argument-forms.ts'

/** The settings for writing a graph. */
export interface SerializeOptions {
  /**
   * Leaves out the attributes `content_hash` and `auto_status` of nodes. Default: true. A graph that must run again needs them: set it to
   * false.
   */
  readonly stripInternal?: boolean | undefined
  /** `engine` writes dotted keys bare; `graphviz` writes them in quotes, as Graphviz requires. The parser reads both. */
  readonly dialect?: 'engine' | 'graphviz' | undefined
}

/**
 * Returns the canonical text of a graph. The same graph gives the same text, with nodes sorted by id and attributes by key (seed pipeline
 * 12.4, reference pipeline 1.4).
 *
 * The parsed text is the same graph: values with their types, own and default attributes, subgraphs with their members and classes,
 * implicit nodes, and the order of the edges. Edges are not sorted, because their order decides between edges of equal rank and is the
 * order of choices for people. An attribute from a stylesheet or a transform cannot be written as such; it is written as the node's own.
 */
export function serializeGraph(graph: DotGraph, options: SerializeOptions = {}): string {
  checkArguments('serializeGraph', { graph: [graph, GRAPH], options: [options, SOME_OPTIONS] })
  const written = options.stripInternal === false ? graph : withoutInternal(graph)
  return new Writer(written, options.dialect ?? 'engine').text()
}

const INTERNAL = ['content_hash', 'auto_status']
/** The maximum number of indented levels. The text of a very deeply nested graph would be mostly blanks. */
const DEEPEST_INDENT = 20

function withoutInternal(graph: DotGraph): DotGraph {
  const nodes = new Map<string, DotNode>()
  for (const node of graph.nodes.values()) {
    const attributes = new Map(node.attributes)
    for (const key of INTERNAL) attributes.delete(key)
    nodes.set(node.id, attributes.size === node.attributes.size ? node : { ...node, attributes })
  }
  return { ...graph, nodes }
}

class Writer {
  readonly #graph: DotGraph
  readonly #dotted: boolean
  readonly #layout: ScopeLayout
  readonly #places: EdgePlaces
  readonly #nodeDefaults = new SharedDefaults()
  readonly #edgeDefaults = new SharedDefaults()
  /** The keys with defaults in force at the current place of the text. */
  readonly #nodeKeys = new Set<string>()
  readonly #edgeKeys = new Set<string>()
  readonly #lines: string[] = []
  #depth = 0

  constructor(graph: DotGraph, dialect: 'engine' | 'graphviz') {
    this.#graph = graph
    this.#dotted = dialect === 'engine'
    this.#layout = layOut(graph)
    this.#places = placeEdges(graph, this.#layout)
    this.#collectDefaults()
  }

  text(): string {
    const { slots, first, last } = this.#layout
    const statements = this.#statements()
    const closers: (() => void)[] = []
    let edge = 0
    slots.forEach((scope, slot) => {
      if (first[scope] === slot) closers.push(this.#open(scope, statements[scope] ?? []))
      const from = edge
      while (this.#places.edges[edge] === slot) edge++
      if (edge > from) this.#edges(from, edge)
      if (last[scope] !== slot) return
      closers.pop()?.()
      this.#depth--
      this.#line('}')
    })
    return `${this.#lines.join('\n')}\n`
  }

  /** Finds the defaults that each scope can set once for all its content. */
  #collectDefaults(): void {
    const { slots, last } = this.#layout
    const { created, declared, edges } = this.#places
    for (const node of [...declared, ...[...created.values()].flat()]) {
      this.#nodeDefaults.add(this.#places.origin(node.id), node.attributes)
    }
    this.#graph.edges.forEach((edge, at) => this.#edgeDefaults.add(slots[edges[at] ?? 0] ?? ROOT, edge.attributes))
    slots.forEach((scope, slot) => {
      // The slot behind the last slot of a scope belongs to the enclosing scope.
      const around = slots[slot + 1]
      if (last[scope] !== slot || around === undefined) return
      this.#nodeDefaults.close(scope, around)
      this.#edgeDefaults.close(scope, around)
    })
  }

  /** Returns for each scope the nodes with a statement in it, sorted. */
  #statements(): DotNode[][] {
    const statements: DotNode[][] = this.#graph.subgraphs.map(() => [])
    statements.push([])
    const sorted = this.#places.declared.toSorted((one, other) => (one.id < other.id ? -1 : 1))
    for (const node of sorted) {
      for (const scope of new Set([this.#places.origin(node.id), ...(this.#layout.innermost.get(node.id) ?? [])]))
        statements[scope]?.push(node)
    }
    return statements
  }

  /** Writes the head of a scope, its defaults and its nodes. Returns a function that ends its defaults. */
  #open(scope: number, nodes: readonly DotNode[]): () => void {
    const subgraph = scope === ROOT ? undefined : this.#graph.subgraphs[scope - 1]
    const name = scope === ROOT ? this.#graph.id : subgraph?.id
    this.#line(`${scope === ROOT ? 'digraph' : 'subgraph'}${name === undefined ? '' : ` ${writeId(name)}`} {`)
    this.#depth++
    const attributes = this.#block([...(subgraph ?? this.#graph).attributes])
    if (attributes !== '') this.#line(`graph${attributes}`)
    const leaveNodes = this.#setDefaults('node', this.#nodeDefaults.valuesIn(scope), this.#nodeKeys)
    const leaveEdges = this.#setDefaults('edge', this.#edgeDefaults.valuesIn(scope), this.#edgeKeys)
    this.#nodes(scope, nodes)
    return () => {
      leaveNodes()
      leaveEdges()
    }
  }

  #setDefaults(word: 'node' | 'edge', defaults: ReadonlyMap<string, AttributeValue>, inForce: Set<string>): () => void {
    const fresh = [...defaults].filter(([key]) => !inForce.has(key))
    if (fresh.length > 0) this.#line(`${word}${this.#block(fresh.map(([key, value]) => [key, { value, provenance: 'own' }]))}`)
    for (const [key] of fresh) inForce.add(key)
    return () => fresh.forEach(([key]) => inForce.delete(key))
  }

  #nodes(scope: number, nodes: readonly DotNode[]): void {
    const groups = new Map<string, DotNode[]>()
    for (const node of nodes) {
      // Further subgraphs that declare a node only name it.
      const defaults = this.#places.origin(node.id) === scope ? this.#newDefaults(node.attributes, this.#nodeKeys) : ''
      const group = groups.get(defaults)
      if (group === undefined) groups.set(defaults, [node])
      else group.push(node)
    }
    for (const [defaults, group] of [...groups].toSorted(([one], [other]) => (one < other ? -1 : 1))) {
      this.#group(defaults, '', () => {
        for (const node of group) {
          const own = this.#places.origin(node.id) === scope ? this.#ownAttributes(node.attributes) : ''
          this.#line(`${writeId(node.id)}${own}`)
        }
      })
    }
  }

  /** Writes a range of edges. Consecutive edges with the same defaults are in one group. */
  #edges(from: number, to: number): void {
    let at = from
    while (at < to) {
      const defaults = this.#edgeGroup(at)
      const start = at
      do at++
      while (at < to && this.#edgeGroup(at).join('\n') === defaults.join('\n'))
      this.#group(...defaults, () => {
        for (const edge of this.#graph.edges.slice(start, at)) this.#line(this.#edge(edge))
      })
    }
  }

  #edgeGroup(at: number): [nodeDefaults: string, edgeDefaults: string] {
    const [created] = this.#places.created.get(at) ?? []
    const edge = this.#graph.edges[at]
    const nodeDefaults = created === undefined ? '' : this.#newDefaults(created.attributes, this.#nodeKeys)
    return [nodeDefaults, edge === undefined ? '' : this.#newDefaults(edge.attributes, this.#edgeKeys)]
  }

  #edge({ from, to, attributes }: DotEdge): string {
    return `${writeId(from)} -> ${writeId(to)}${this.#ownAttributes(attributes)}`
  }

  /** Writes lines in a subgraph without a name that limits these defaults; without defaults, it writes only the lines. */
  #group(nodeDefaults: string, edgeDefaults: string, write: () => void): void {
    if (nodeDefaults === '' && edgeDefaults === '') {
      write()
      return
    }
    this.#line('subgraph {')
    this.#depth++
    if (nodeDefaults !== '') this.#line(`node${nodeDefaults}`)
    if (edgeDefaults !== '') this.#line(`edge${edgeDefaults}`)
    write()
    this.#depth--
    this.#line('}')
  }

  /** Returns the block of the defaults that are not yet in force. */
  #newDefaults(attributes: Attributes, inForce: ReadonlySet<string>): string {
    return this.#block([...attributes].filter(([key, { provenance }]) => provenance === 'default' && !inForce.has(key)))
  }

  #ownAttributes(attributes: Attributes): string {
    return this.#block([...attributes].filter(([, { provenance }]) => provenance !== 'default'))
  }

  #block(attributes: readonly (readonly [key: string, attribute: Attribute])[]): string {
    if (attributes.length === 0) return ''
    const sorted = attributes.toSorted(([one], [other]) => (one < other ? -1 : 1))
    return ` [${sorted.map(([key, { value }]) => `${this.#key(key)}=${writeValue(value)}`).join(', ')}]`
  }

  #key(key: string): string {
    if (!key.includes('.')) return writeId(key)
    return this.#dotted && keyEnd(key, 0) === key.length ? key : quoted(key)
  }

  #line(text: string): void {
    this.#lines.push(`${'  '.repeat(Math.min(this.#depth, DEEPEST_INDENT))}${text}`)
  }
}
