import type { LaidNode, Layout } from '../compile/layout.ts'
import { type BehaviorNode, CatalogueNode, type Seat } from './behavior-node.ts'

/** The nodes of a tree as objects: those of the host, and one for each of the catalogue. */
export class TreeNodes {
  readonly #layout: Layout
  readonly #nodes = new Map<string, BehaviorNode>()

  /** `own`: the node of the host that stands at a place. */
  constructor(layout: Layout, own: (laid: LaidNode) => BehaviorNode | undefined, seatOf: (laid: LaidNode) => Seat) {
    this.#layout = layout
    for (const laid of layout.nodes.toReversed()) {
      const node = own(laid) ?? this.#make(laid)
      node.sit(seatOf(laid))
      this.#nodes.set(laid.path, node)
    }
  }

  #make(laid: LaidNode): CatalogueNode {
    const { name, metadata } = laid.compiled.source
    const options = { ...(name === undefined ? {} : { name }), ...(metadata === undefined ? {} : { metadata }) }
    const children = laid.children.map((child) => this.at(child)).filter(({ parent }) => parent === undefined)
    return new CatalogueNode(laid.id, laid.compiled.manifest, { ...options, children })
  }

  at({ path }: LaidNode): BehaviorNode {
    const node = this.#nodes.get(path)
    if (node === undefined) throw new TypeError(`${path} has no node`)
    return node
  }

  get root(): BehaviorNode {
    return this.at(this.#layout.root)
  }
  get count(): number {
    return this.#layout.nodes.length
  }
  /** The nodes on the longest path. */
  get maxDepth(): number {
    return Math.max(...this.#layout.nodes.map((node) => pathTo(node).length))
  }
  /** All nodes in preorder. */
  all(): readonly BehaviorNode[] {
    return this.#layout.nodes.map((node) => this.at(node))
  }

  /** Finds a node by its path, or by its id. */
  find(name: string): BehaviorNode | undefined {
    const laid = this.#laid(name)
    return laid === undefined ? undefined : this.at(laid)
  }

  /** Returns the nodes from the root to one; nothing for an unknown one. */
  pathOf(name: string): readonly BehaviorNode[] {
    const laid = this.#laid(name)
    return laid === undefined ? [] : pathTo(laid).map((node) => this.at(node))
  }

  #laid(name: string): LaidNode | undefined {
    const { nodes } = this.#layout
    return nodes.find(({ path }) => path === name) ?? nodes.find(({ id }) => id === name)
  }
}

function pathTo(node: LaidNode): LaidNode[] {
  return node.parent === undefined ? [node] : [...pathTo(node.parent), node]
}
