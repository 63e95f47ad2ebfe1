import type { Fault } from '../../../kernel/index.ts'
import type { Condition } from '../language/condition.ts'
import type { DotEdge, DotGraph, DotNode } from '../dot/graph.ts'
import type { OperationFacts } from './operation-facts.ts'
import type { OperationTable } from './operation-table.ts'
import type { CanonicalType, Idempotency, Resolution } from './resolution.ts'

/** The sensitivity of the data of a node, from least to most (seed pipeline 9.3). */
export type DataClass = 'public' | 'internal' | 'sensitive' | 'secret'

/** The limits that a node states, in milliseconds and counts. */
export interface ResourceBounds {
  readonly timeout?: number
  /** The number of executions, including the first. */
  readonly attempts?: number
  readonly concurrency?: number
  readonly tokens?: number
  /** US dollars. */
  readonly cost?: number
}

/** A node with everything that is known about it before a run (seed pipeline 9.2). */
export interface TypedNode extends Resolution {
  readonly id: string
  readonly node: DotNode
  /** The name of its operation; see `operationOf`. */
  readonly operation: string
  /** The facts of the operation. */
  readonly facts: OperationFacts
  /** The classes for the stylesheet and for threads: those of its subgraphs, innermost first, then its own. */
  readonly classes: readonly string[]
  readonly handlerType: string
  readonly capabilitiesRequired: readonly string[]
  readonly dataClassification: DataClass
  /** True if the author wrote the class. */
  readonly classified: boolean
  readonly idempotency: Idempotency
  readonly resourceBounds: ResourceBounds
  readonly schemaErrors: readonly string[]
}

/** An edge with its parsed condition. */
export interface TypedEdge {
  readonly edge: DotEdge
  /** Absent: always open. The condition of an edge is never true if it cannot be parsed. */
  readonly condition?: Condition | undefined
  readonly weight: number
  readonly label: string
}

/**
 * A value from a model or from outside that reaches an input unchecked (seed pipeline 9.1, pass 5). `missing_sanitization`: it
 * was never made safe. `sanitization_wiped`: a model rewrote it after the check. `confidence_gap`: it decides what runs and is
 * not confirmed.
 */
export interface TaintFlow {
  readonly rule: 'missing_sanitization' | 'sanitization_wiped' | 'confidence_gap'
  /** The node whose input it reaches. */
  readonly node: string
  /** The attribute that names the input, and the context key. */
  readonly attribute: string
  readonly key: string
  readonly role: 'control' | 'data'
  /** The attacks that the value must be safe against. */
  readonly needs: readonly string[]
  /** The node that wrote the value. */
  readonly from: string
  readonly level: 'derived' | 'untrusted'
  /** The node whose check was lost when a model rewrote the value. */
  readonly wiped?: string | undefined
}

/** A compiled pipeline, ready to run or to be checked. */
export interface TypedGraph {
  readonly graph: DotGraph
  /** The operations that its nodes can have. */
  readonly operations: OperationTable
  readonly nodes: ReadonlyMap<string, TypedNode>
  /** The edges that leave and reach each node, in the order of declaration. Every node has a list. */
  readonly outgoing: ReadonlyMap<string, readonly TypedEdge[]>
  readonly incoming: ReadonlyMap<string, readonly TypedEdge[]>
  /** The names of all attributes of its nodes and edges: many checks concern an attribute that most pipelines do not have. */
  readonly attributeNames: ReadonlySet<string>
  /** The first start node (reference pipeline 2.6, 13). Undefined if there is none. */
  readonly start: string | undefined
  readonly starts: readonly string[]
  readonly exits: readonly string[]
  /** The join of the branches of each parallel node (reference pipeline 3.9.2). */
  readonly joins: ReadonlyMap<string, string>
  /** Cycles: strongly connected components of more than one node, or of one node with an edge to itself. */
  readonly cycles: readonly (readonly string[])[]
  /** All capabilities, sorted. */
  readonly capabilities: readonly string[]
  readonly dataClassification: DataClass
  /** The nodes of each canonical type, in the order of declaration. */
  readonly handlers: ReadonlyMap<CanonicalType, readonly string[]>
  /** Values from models and from outside that reach an input unchecked. */
  readonly taint: readonly TaintFlow[]
  /** Findings of the compiler: attributes, conditions, durations. Lint rules add theirs. */
  readonly findings: readonly Fault[]
}
