import type { EdgeAttributes, GraphAttributes, NodeAttributes } from './attribute-types.ts'
import type { AttributeInput } from './define-values.ts'
import type { DotGraph, DotNode } from '../dot/graph.ts'

/** The attributes of a node, known and custom. Without ids: attributes that nodes of any pipeline can share. */
export interface NodeDefinition<Id extends string = never> extends NodeAttributes<Id> {
  readonly [custom: string]: AttributeInput
}

/** An edge with attributes. */
interface EdgeDefinition<Id extends string> extends EdgeAttributes {
  readonly from: Id
  readonly to: Id
  readonly [custom: string]: AttributeInput
  /** Excludes lists: a list is a chain. Without this member, the compiler does not mark the wrong id in a chain. */
  readonly [position: number]: never
}

/**
 * A chain of edges without attributes: `a -> b -> c` in DOT. `pipeline` checks at run time that the chain has at least two ids:
 * with a tuple type, the compiler would not mark the wrong id.
 */
type ChainDefinition<Id extends string> = readonly Id[]

/**
 * A pipeline as an object literal; `pipeline` builds its graph. Next to id, nodes and edges it has the attributes of the graph.
 * Custom attributes are values for `$name` in texts.
 */
export interface PipelineDefinition<Nodes> extends GraphAttributes<keyof NoInfer<Nodes> & string> {
  /** The name by which other programs call it. Default: `pipeline`. */
  readonly id?: string | undefined
  /** The nodes, by id. */
  readonly nodes: { readonly [Id in keyof Nodes]: NodeDefinition<keyof NoInfer<Nodes> & string> }
  /** People see the choices in this order. */
  readonly edges: readonly (ChainDefinition<keyof NoInfer<Nodes> & string> | EdgeDefinition<keyof NoInfer<Nodes> & string>)[] | NoEdges
  readonly [custom: string]: unknown
}

/** With an empty tuple in the union, the compiler checks a literal edge by edge instead of comparing all edges with each other. */
type NoEdges = readonly []

/** A pipeline with typed node ids. It is a frozen graph. */
export interface DefinedPipeline<Id extends string = string> extends DotGraph {
  readonly nodes: ReadonlyMap<Id, DotNode>
}
