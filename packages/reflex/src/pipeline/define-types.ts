import type { EdgeAttributes, GraphAttributes, NodeAttributes } from './define-attributes.ts'
import type { AttributeInput } from './define-values.ts'
import type { DotGraph, DotNode } from './dot/graph.ts'

/** The attributes of a node, known and custom ones. */
export interface NodeDefinition<Id extends string = string> extends NodeAttributes<Id> {
  readonly [custom: string]: AttributeInput
}

/** An edge with attributes. */
export interface EdgeDefinition<Id extends string = string> extends EdgeAttributes {
  readonly from: Id
  readonly to: Id
  readonly [custom: string]: AttributeInput
}

/** Edges without attributes, from each node to the next: `a -> b -> c` of DOT. */
type ChainDefinition<Id extends string> = readonly [Id, Id, ...Id[]]

/**
 * How a pipeline stands in TypeScript; `pipeline` makes its graph. Beside id, nodes and edges it has the attributes of the
 * graph, of which any name may be a value of the author's own: `$name` in texts.
 */
export interface PipelineDefinition<Id extends string> extends GraphAttributes<NoInfer<Id>> {
  /** The name by which other programs call it; `pipeline` unless told. */
  readonly id?: string | undefined
  /** The nodes, by id. */
  readonly nodes: Readonly<Record<Id, NodeDefinition<NoInfer<Id>>>>
  /** Their order is that in which people see choices. */
  readonly edges: readonly (ChainDefinition<NoInfer<Id>> | EdgeDefinition<NoInfer<Id>>)[]
  readonly [custom: string]: unknown
}

/** A pipeline that knows the ids of its nodes. It goes wherever a graph goes, and cannot be changed. */
export interface DefinedPipeline<Id extends string = string> extends DotGraph {
  readonly nodes: ReadonlyMap<Id, DotNode>
}
