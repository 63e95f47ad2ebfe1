/** The form of a node, for its outline: `choice` has several edges, `question` asks a person, `call` enters another program. */
export type NodeForm = 'step' | 'choice' | 'question' | 'call'

/** A node of a program. */
export interface GraphNode {
  readonly id: string
  /** The name that people see instead of the id. */
  readonly label?: string
  readonly form: NodeForm
  /** True if a run starts here. */
  readonly entry?: true
  /** True if a run can end here. */
  readonly end?: true
  /** The program that it calls, as `kind:id`. */
  readonly calls?: string
  /** Its purpose, in the words of the program. */
  readonly about?: string
  /** True if nothing is done here: only a start or an end. */
  readonly still?: true
  /** The work of the node in a few words, if the kind knows it. */
  readonly deed?: string | undefined
  /** The text of the program for the agent that decides here. Reflex passes it on without reading it. */
  readonly spec?: Readonly<Record<string, unknown>>
}

/** An edge from one node to another. */
export interface GraphEdge {
  /** Unique in its graph. */
  readonly id: string
  readonly from: string
  readonly to: string
  readonly label?: string
  /** The guard, in full; an edge without a guard is always open. */
  readonly guard?: string
  /** Present for an edge that no decision takes: the condition under which a run takes it, such as `after a failure`. */
  readonly jump?: string
}

/** Nodes that the program groups, for a frame around them. */
export interface GraphGroup {
  readonly label: string
  /** The ids of nodes, including those of inner groups. */
  readonly nodes: readonly string[]
}

/**
 * A program as a graph: only data, without positions, sizes or colours. Nodes and edges are in the order of the program; every
 * edge joins two existing nodes.
 */
export interface Graph {
  readonly nodes: readonly GraphNode[]
  readonly edges: readonly GraphEdge[]
  /** Outer groups first; two groups share no node, or one contains the other. */
  readonly groups?: readonly GraphGroup[]
}
