import type { EdgeAttributes, GraphAttributes, NodeAttributes } from './attribute-types.ts'
import type { AttributeInput } from './define-values.ts'
import type { DotGraph, DotNode } from '../dot/graph.ts'

/** The attributes of a node, known and custom ones; without ids, those that nodes of any pipeline can share. */
export interface NodeDefinition<Id extends string = never> extends NodeAttributes<Id> {
  readonly [custom: string]: AttributeInput
}

/** An edge with attributes. */
interface EdgeDefinition<Id extends string> extends EdgeAttributes {
  readonly from: Id
  readonly to: Id
  readonly [custom: string]: AttributeInput
  /** A list is a chain, never this: without it, the compiler would not say which id of a chain is wrong. */
  readonly [position: number]: never
}

/**
 * Edges without attributes, from each node to the next: `a -> b -> c` of DOT. That they are two or more is seen when the
 * pipeline is made: of a list, and not of a tuple, the compiler marks the id that is wrong.
 */
type ChainDefinition<Id extends string> = readonly Id[]

/**
 * How a pipeline stands in TypeScript; `pipeline` makes its graph. Beside id, nodes and edges it has the attributes of the
 * graph, of which any name may be a value of the author's own: `$name` in texts.
 */
export interface PipelineDefinition<Nodes> extends GraphAttributes<keyof NoInfer<Nodes> & string> {
  /** The name by which other programs call it; `pipeline` unless told. */
  readonly id?: string | undefined
  /** The nodes, by id. */
  readonly nodes: { readonly [Id in keyof Nodes]: NodeDefinition<keyof NoInfer<Nodes> & string> }
  /** Their order is that in which people see choices. */
  readonly edges: readonly (ChainDefinition<keyof NoInfer<Nodes> & string> | EdgeDefinition<keyof NoInfer<Nodes> & string>)[] | NoEdges
  readonly [custom: string]: unknown
}

/** With an empty tuple in the union, the compiler takes a literal edge by edge, and does not compare each of them with each. */
type NoEdges = readonly []

/** A pipeline that knows the ids of its nodes. It goes wherever a graph goes, and cannot be changed. */
export interface DefinedPipeline<Id extends string = string> extends DotGraph {
  readonly nodes: ReadonlyMap<Id, DotNode>
}
