/**
 * What kind of place a node of a graph is, for its outline: `choice` has several ways on, `question` asks a person, `call`
 * enters another program.
 */
export type NodeForm = 'step' | 'choice' | 'question' | 'call'

/** A place of a program at which a run can stand. */
export interface GraphNode {
  readonly id: string
  /** The name that people read instead of the id. */
  readonly label?: string
  readonly form: NodeForm
  /** A run begins here. */
  readonly entry?: true
  /** A run can end here. */
  readonly end?: true
  /** The program that it calls, as `kind:id`. */
  readonly calls?: string
  /** Its purpose, in the words of the program. */
  readonly about?: string
  /** Nothing is done here: a mere beginning or end. */
  readonly still?: true
  /** The work that is done here, in a word, if the kind knows it. */
  readonly deed?: string | undefined
  /** The text of the program for the agent that decides here. The kind passes it on unread. */
  readonly spec?: Readonly<Record<string, unknown>>
}

/** A way from one node to another. */
export interface GraphEdge {
  /** Unique in its graph. */
  readonly id: string
  readonly from: string
  readonly to: string
  readonly label?: string
  /** When it is open, in full; a way without a guard always is. */
  readonly guard?: string
  /** Present for an edge that no decision takes: the condition under which a run takes it, such as `after a failure`. */
  readonly jump?: string
}

/** Nodes that the program groups, for a frame around them. */
export interface GraphGroup {
  readonly label: string
  /** Ids of nodes; those of inner groups are among them. */
  readonly nodes: readonly string[]
}

/**
 * A program as a picture: data alone, without places, sizes or colours. Who draws it lays it out, and may light up what a
 * run has done. Nodes and edges stand in the order of the program; every edge joins two nodes that are there.
 */
export interface Graph {
  readonly nodes: readonly GraphNode[]
  readonly edges: readonly GraphEdge[]
  /** Outer groups first; two groups share no node, or one contains the other. */
  readonly groups?: readonly GraphGroup[]
}
