import { type Attribute, type Attributes, type DotGraph, type DotNode, type Span, type Subgraph, textOf } from './graph.ts'

type AttributeMap = Map<string, Attribute>

const NO_ATTRIBUTES: AttributeMap = new Map()
const NO_CLASSES: readonly string[] = []

/**
 * The limit on inherited attributes of nodes and edges and on members of subgraphs, all together. One more character of text can add as
 * many as there are defaults or levels, so a text far larger than any real pipeline would fill the memory.
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

/** The content of a pair of braces: its defaults, which end with it, and the nodes that it declares or names first. */
interface Scope {
  nodeDefaults: AttributeMap
  edgeDefaults: AttributeMap
  readonly attributes: AttributeMap
  readonly id: string | undefined
  readonly members: Set<string>
  /** Its position in the order in which scopes open; -1 for the graph. */
  readonly order: number
  /** The offset of its opening brace. */
  readonly openedAt: number
}

/** A closed scope that can become a subgraph. A scope without id and attributes only limits defaults. */
interface ClosedScope {
  readonly parent: number
  readonly subgraph: Omit<Subgraph, 'parent'> | undefined
}

/** Builds a graph while its text is read: nodes, edges, and the scopes of defaults (reference pipeline 1.3). */
export class Scopes {
  readonly #nodes = new Map<string, NodeDraft>()
  readonly #edges: DotGraph['edges'][number][] = []
  readonly #stack: Scope[]
  readonly #closed: ClosedScope[] = []
  readonly #classes = new Map<string, Set<string>>()
  /** The maps of defaults. Every node and edge that inherits a map shares it. */
  readonly #shared = new Set([NO_ATTRIBUTES])
  #opened = 0
  #inherited = 0
  #scope: Scope

  constructor(openedAt: number) {
    this.#scope = { ...emptyScope(), id: undefined, order: -1, openedAt }
    this.#stack = [this.#scope]
  }

  /** The number of open scopes, including the scope of the graph. */
  get depth(): number {
    return this.#stack.length
  }

  /** The offset of the opening brace of the innermost scope. */
  get openedAt(): number {
    return this.#scope.openedAt
  }

  /** The attributes of the innermost subgraph, or of the graph. */
  get attributes(): AttributeMap {
    return this.#scope.attributes
  }

  /** Opens a subgraph with the defaults in force. */
  open(id: string | undefined, openedAt: number): void {
    const { nodeDefaults, edgeDefaults } = this.#scope
    const order = this.#opened++
    this.#closed[order] = { parent: this.#scope.order, subgraph: undefined }
    this.#scope = { nodeDefaults, edgeDefaults, attributes: new Map(), id, members: new Set(), order, openedAt }
    this.#stack.push(this.#scope)
  }

  /** True if so much is inherited that the graph is incomplete. */
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

  /** Returns the attributes of a node, which the caller can add to. */
  writableAttributes(node: NodeDraft): AttributeMap {
    if (this.#shared.has(node.attributes)) node.attributes = this.#copy(node.attributes)
    return node.attributes
  }

  /** Returns a copy of the defaults in force, which the caller can add to. */
  copyDefaults(of: 'node' | 'edge'): AttributeMap {
    return this.#copy(of === 'node' ? this.#scope.nodeDefaults : this.#scope.edgeDefaults)
  }

  #copy(attributes: AttributeMap): AttributeMap {
    this.#inherited += attributes.size
    const copy: AttributeMap = new Map()
    if (!this.isExcessive) attributes.forEach((attribute, key) => copy.set(key, attribute))
    return copy
  }

  /** Sets the defaults for nodes or edges that are created later in this scope. */
  setDefaults(of: 'node' | 'edge', attributes: AttributeMap): void {
    this.#shared.add(attributes)
    if (of === 'node') this.#scope.nodeDefaults = attributes
    else this.#scope.edgeDefaults = attributes
  }

  /**
   * Declares a node with its own statement. Its first statement gives it the defaults in force, also if an edge has named it before; later
   * statements only add attributes.
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

  /** Names a node in an edge. Returns the id of the node. */
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

  /** Returns the graph. Closes scopes that are still open. */
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

  /** Returns the scopes that are subgraphs, each with the nearest enclosing subgraph. */
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
 * Returns the class that a subgraph gives its nodes: its label in lower case, with hyphens for spaces and without characters that a class
 * cannot hold; empty without a label (reference pipeline 1.3).
 */
function subgraphClass(attributes: Attributes): string {
  const label = textOf(attributes, 'label') ?? ''
  return label
    .toLowerCase()
    .replace(/ /g, '-')
    .replace(/[^a-z0-9-]/g, '')
}
