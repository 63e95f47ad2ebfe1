import type { Fault } from '../../../kernel/index.ts'
import type { Condition } from '../language/condition.ts'
import type { DotEdge, DotGraph, DotNode } from '../dot/graph.ts'
import type { OperationFacts } from './operation-facts.ts'
import type { OperationTable } from './operation-table.ts'
import type { CanonicalType, Idempotency, Resolution } from './resolution.ts'

/** How sensitive what a node handles is, from least to most (seed pipeline 9.3). */
export type DataClass = 'public' | 'internal' | 'sensitive' | 'secret'

/** Limits that a node states; in milliseconds and counts. */
export interface ResourceBounds {
  readonly timeout?: number
  /** Executions, the first included. */
  readonly attempts?: number
  readonly concurrency?: number
  readonly tokens?: number
  /** US dollars. */
  readonly cost?: number
}

/** A node with everything that can be known of it before a run (seed pipeline 9.2). */
export interface TypedNode extends Resolution {
  readonly id: string
  readonly node: DotNode
  /** What its handler does, by the name of the alias that does the same: see `operationOf`. */
  readonly operation: string
  /** What is known of the operation. */
  readonly facts: OperationFacts
  /** Classes for the stylesheet and for threads: those of its subgraphs, innermost first, then its own. */
  readonly classes: readonly string[]
  readonly handlerType: string
  readonly capabilitiesRequired: readonly string[]
  readonly dataClassification: DataClass
  /** Whether the author wrote the class. */
  readonly classified: boolean
  readonly idempotency: Idempotency
  readonly resourceBounds: ResourceBounds
  readonly schemaErrors: readonly string[]
}

/** An edge with its condition read. */
export interface TypedEdge {
  readonly edge: DotEdge
  /** Absent: always open. An edge whose condition cannot be read has one that is never true. */
  readonly condition?: Condition | undefined
  readonly weight: number
  readonly label: string
}

/**
 * A value that a model or the outside made and that reaches an input unchecked (seed pipeline 9.1, pass 5):
 * `missing_sanitization` was never made safe for it, `sanitization_wiped` was, before a model wrote it anew, and
 * `confidence_gap` decides what runs although nothing has confirmed it.
 */
export interface TaintFlow {
  readonly rule: 'missing_sanitization' | 'sanitization_wiped' | 'confidence_gap'
  /** The node whose input it reaches. */
  readonly node: string
  /** The attribute that names the input, and the context key. */
  readonly attribute: string
  readonly key: string
  readonly role: 'control' | 'data'
  /** What the value must be safe against. */
  readonly needs: readonly string[]
  /** The node that made the value. */
  readonly from: string
  readonly level: 'derived' | 'untrusted'
  /** The node whose check a model's rewriting undid. */
  readonly wiped?: string | undefined
}

/** A pipeline ready to run or to be checked. */
export interface TypedGraph {
  readonly graph: DotGraph
  /** The operations that its nodes can have. */
  readonly operations: OperationTable
  readonly nodes: ReadonlyMap<string, TypedNode>
  /** Edges that leave and reach each node, in the order of declaration; every node has a list. */
  readonly outgoing: ReadonlyMap<string, readonly TypedEdge[]>
  readonly incoming: ReadonlyMap<string, readonly TypedEdge[]>
  /** The first start node (reference pipeline 2.6, 13); nothing if there is none. */
  readonly start: string | undefined
  readonly starts: readonly string[]
  readonly exits: readonly string[]
  /** Where the branches of each parallel node join (reference pipeline 3.9.2). */
  readonly joins: ReadonlyMap<string, string>
  /** Cycles as strongly connected components of more than one node, or of one with an edge to itself. */
  readonly cycles: readonly (readonly string[])[]
  /** All capabilities, sorted. */
  readonly capabilities: readonly string[]
  readonly dataClassification: DataClass
  /** The nodes of each canonical type, in the order of declaration. */
  readonly handlers: ReadonlyMap<CanonicalType, readonly string[]>
  /** Values of models and of the outside that reach a place where they can do harm. */
  readonly taint: readonly TaintFlow[]
  /** What the passes found: attributes, conditions, durations. Lint rules add theirs. */
  readonly findings: readonly Fault[]
}
