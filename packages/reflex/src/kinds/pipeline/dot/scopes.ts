import { type Attribute, type Attributes, type DotGraph, type DotNode, type Span, type Subgraph, textOf } from './graph.ts'

type AttributeMap = Map<string, Attribute>

const NO_ATTRIBUTES: AttributeMap = new Map()
const NO_CLASSES: readonly string[] = []

/**
 * How many attributes nodes and edges may inherit, and members subgraphs may have, all together. A text grows by one where
 * these grow by as many as it has defaults or levels; far beyond what anybody draws, it would fill the memory.
 */
const MOST_INHERITED = 5_000_000

/** A node while its text is read. */
interface NodeDraft {
  readonly id: string
  attributes: AttributeMap
  classes: readonly string[]
  implicit: true | undefined
  at: Span
}

/** What a pair of braces bounds: defaults, which end with it, and the nodes that it is the first to name or that it declares. */
interface Scope {
  nodeDefaults: AttributeMap
  edgeDefaults: AttributeMap
  readonly attributes: AttributeMap
  readonly id: string | undefined
  readonly members: Set<string>
  /** Its place among all scopes, in the order in which they open; the graph has -1. */
  readonly order: number
  /** Its opening brace. */
  readonly openedAt: number
}

/** A closed scope as it may become a subgraph: one without id and attributes only bounds defaults. */
interface ClosedScope {
  readonly parent: number
  readonly subgraph: Omit<Subgraph, 'parent'> | undefined
}

/** Puts a graph together while its text is read: nodes, edges, the scopes of defaults (reference pipeline 1.3). */
export class Scopes {
  readonly #nodes = new Map<string, NodeDraft>()
  readonly #edges: DotGraph['edges'][number][] = []
  readonly #stack: Scope[]
  readonly #closed: ClosedScope[] = []
  readonly #classes = new Map<string, Set<string>>()
  /** Every map of defaults, which all that inherits it shares. */
  readonly #shared = new Set([NO_ATTRIBUTES])
  #opened = 0
  #inherited = 0
  #scope: Scope

  constructor(openedAt: number) {
    this.#scope = { ...emptyScope(), id: undefined, order: -1, openedAt }
    this.#stack = [this.#scope]
  }

  /** How many scopes are open, that of the graph included. */
  get depth(): number {
    return this.#stack.length
  }

  /** The opening brace of the innermost scope. */
  get openedAt(): number {
    return this.#scope.openedAt
  }

  /** The attributes of the innermost subgraph, or of the graph. */
  get attributes(): AttributeMap {
    return this.#scope.attributes
  }

  /** Opens a subgraph, with the defaults in force. */
  open(id: string | undefined, openedAt: number): void {
    const { nodeDefaults, edgeDefaults } = this.#scope
    const order = this.#opened++
    this.#closed[order] = { parent: this.#scope.order, subgraph: undefined }
    this.#scope = { nodeDefaults, edgeDefaults, attributes: new Map(), id, members: new Set(), order, openedAt }
    this.#stack.push(this.#scope)
  }

  /** So much is inherited that the graph is not whole. */
  get isExcessive(): boolean {
    return this.#inherited > MOST_INHERITED
  }

  /** Closes the innermost subgraph. */
  close(): void {
    const { id, attributes, members, order } = this.#scope
    this.#stack.pop()
    this.#scope = this.#stack.at(-1) ?? this.#scope
    this.#inherited += members.size
    if (this.isExcessive) return
    if (this.#stack.length > 1) for (const member of members) this.#scope.members.add(member)
    if (id === undefined && attributes.size === 0) return
    const parent = this.#closed[order]?.parent ?? -1
    this.#closed[order] = { parent, subgraph: { id, attributes, members: [...members] } }
    const name = subgraphClass(attributes)
    if (name !== '') for (const member of members) this.#addClass(member, name)
  }

  /** The attributes of a node, to add to. */
  writableAttributes(node: NodeDraft): AttributeMap {
    if (this.#shared.has(node.attributes)) node.attributes = this.#copy(node.attributes)
    return node.attributes
  }

  /** A copy of the defaults in force, to add to. */
  copyDefaults(of: 'node' | 'edge'): AttributeMap {
    return this.#copy(of === 'node' ? this.#scope.nodeDefaults : this.#scope.edgeDefaults)
  }

  #copy(attributes: AttributeMap): AttributeMap {
    this.#inherited += attributes.size
    const copy: AttributeMap = new Map()
    if (!this.isExcessive) attributes.forEach((attribute, key) => copy.set(key, attribute))
    return copy
  }

  /** Sets the defaults for what is created from here on in this scope. */
  setDefaults(of: 'node' | 'edge', attributes: AttributeMap): void {
    this.#shared.add(attributes)
    if (of === 'node') this.#scope.nodeDefaults = attributes
    else this.#scope.edgeDefaults = attributes
  }

  /**
   * A node has a statement of its own. The first gives it the defaults in force, also where an edge has named the node
   * before; later ones only add to it.
   */
  declare(id: string, from: number, to: number): NodeDraft {
    if (this.#stack.length > 1) this.#scope.members.add(id)
    const node = this.#nodes.get(id)
    if (node === undefined) return this.#create(id, undefined, { from, to })
    if (node.implicit) {
      node.attributes = this.#scope.nodeDefaults
      node.implicit = undefined
      node.at = { from, to }
    }
    return node
  }

  /** An edge names a node; the id as the node has it. */
  mention(id: string, from: number, to: number): string {
    const node = this.#nodes.get(id)
    if (node !== undefined) return node.id
    if (this.#stack.length > 1) this.#scope.members.add(id)
    return this.#create(id, true, { from, to }).id
  }

  /** Adds an edge with these attributes, or with the defaults in force. */
  connect(from: string, to: string, attributes: Attributes | undefined, at: Span): void {
    this.#edges.push({ index: this.#edges.length, from, to, attributes: attributes ?? this.#scope.edgeDefaults, at })
  }

  /** The graph; scopes that are still open are closed. */
  finish(id: string): DotGraph {
    while (this.#stack.length > 1) this.close()
    for (const [member, classes] of this.#classes) {
      const node = this.#nodes.get(member)
      if (node !== undefined) node.classes = [...classes]
    }
    const nodes: ReadonlyMap<string, DotNode> = this.#nodes
    return { id, attributes: this.#scope.attributes, nodes, edges: this.#edges, subgraphs: this.#subgraphs() }
  }

  #create(id: string, implicit: true | undefined, at: Span): NodeDraft {
    const node: NodeDraft = { id, attributes: this.#scope.nodeDefaults, classes: NO_CLASSES, implicit, at }
    this.#nodes.set(id, node)
    return node
  }

  #addClass(member: string, name: string): void {
    const classes = this.#classes.get(member)
    if (classes === undefined) this.#classes.set(member, new Set([name]))
    else classes.add(name)
  }

  /** The scopes that are subgraphs, each with the nearest subgraph around it. */
  #subgraphs(): Subgraph[] {
    const subgraphs: Subgraph[] = []
    const nearest: (number | undefined)[] = []
    for (const { parent, subgraph } of this.#closed) {
      const outer = parent < 0 ? undefined : nearest[parent]
      if (subgraph !== undefined) subgraphs.push({ ...subgraph, parent: outer })
      nearest.push(subgraph === undefined ? outer : subgraphs.length - 1)
    }
    return subgraphs
  }
}

function emptyScope(): Pick<Scope, 'nodeDefaults' | 'edgeDefaults' | 'attributes' | 'members'> {
  return { nodeDefaults: NO_ATTRIBUTES, edgeDefaults: NO_ATTRIBUTES, attributes: new Map(), members: new Set() }
}

/**
 * The class that a subgraph gives its nodes: its label in lower case, spaces as hyphens, without everything that a class
 * cannot hold. Nothing without a label (reference pipeline 1.3).
 */
function subgraphClass(attributes: Attributes): string {
  const label = textOf(attributes, 'label') ?? ''
  return label
    .toLowerCase()
    .replace(/ /g, '-')
    .replace(/[^a-z0-9-]/g, '')
}
