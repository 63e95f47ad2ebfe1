import type { Attributes } from '../dot/graph.ts'
import type { AttributeFacts } from './attribute.ts'
import type { Input, Output } from './operation-ports.ts'
import type { CanonicalType, Idempotency } from './resolution.ts'
import { WrittenNode } from './written-node.ts'

/** One or two attribute values with which a node of a canonical type selects an operation: `{ type: 'exec', by: { target: 'shell' } }`. */
export interface Dispatch {
  readonly type: CanonicalType
  /** The selecting attribute and its value; `op` is a second one. Absent: the type has no other operation. */
  readonly by?: Readonly<Record<string, string>>
  /** The attributes that a type name of the operation injects. Default: `by`. */
  readonly injects?: Readonly<Record<string, string>>
}

/** A file that a node opens: its path, or the context key that has the path. */
export type OpenedFile = { readonly path: string } | { readonly key: string }

/**
 * The description of an operation: everything that is known before it is executed. Type names, attributes and their TypeScript
 * types, capabilities, taint, lint, help, pages and schemas are derived from it. `defineOperation` adds the function.
 */
export interface OperationFacts<
  Parameters extends AttributeFacts = AttributeFacts,
  Dispatched extends readonly Dispatch[] = readonly Dispatch[],
> {
  readonly name: string
  /** A description in one line. */
  readonly does: string
  /** Its type names. Default: its own name. Empty: none. */
  readonly types?: readonly string[]
  /** The Graphviz shape of its first type name. */
  readonly shape?: string
  /** The canonical types whose nodes can select it; type names belong to the first. Default: `exec` without a selecting value. */
  readonly dispatch?: Dispatched
  /**
   * Attributes that select the operation if a node of its first type has no selecting value: the first operation with such an
   * attribute is used, otherwise the one with an empty list.
   */
  readonly usual?: readonly string[]
  /** The attributes that it reads, in addition to those of every node. */
  readonly parameters: Parameters
  /** Additional required attributes. In a group with `|`, one is enough. */
  readonly requires?: readonly string[] | ((node: WrittenNode) => readonly string[])
  /** The context values that it reads. */
  readonly reads?: readonly Input[] | ((node: WrittenNode) => readonly Input[])
  /** The context keys that it writes. */
  readonly writes?: readonly Output[] | ((node: WrittenNode) => readonly Output[])
  /** The capabilities that it needs in addition to the one for executing its type. */
  readonly needs?: (node: WrittenNode) => readonly string[]
  /** Returns a sentence about the part of the host that the node needs and that is missing; undefined if nothing is missing. */
  readonly lacks?: (node: WrittenNode, host: HostParts) => string | undefined
  /** Its idempotency: how it can be repeated after a crash. */
  readonly repeat: Idempotency
  /** Returns the idempotency for nodes whose attributes change it; undefined for `repeat`. */
  readonly repeats?: (node: WrittenNode) => Idempotency | undefined
  /** It waits for people, for a time or for other parties: the time limits of work do not apply. */
  readonly patient?: true
  /** It calls a model with its prompt, lets a person choose an edge, or lets a person approve. */
  readonly form?: 'model' | 'choice' | 'approval'
  /**
   * The check that raises the trust in values: content against a pattern or a schema, a pipeline by its rules, an answer by
   * votes, values by a person's review.
   */
  readonly sanitizes?: 'content' | 'pipeline' | 'votes' | 'review'
  /** Returns the program that it calls, as `kind:id`. */
  readonly calls?: (node: WrittenNode) => string | undefined
  /** The keys for the values that the called program returns. */
  readonly returns?: Output
  /** Returns true if it executes a node for each item: its type in `item_type`, its attributes in `handler_attrs`. */
  readonly item?: (node: WrittenNode) => boolean
  /** Returns the files whose content it opens, in order of preference; undefined if it opens none. */
  readonly opens?: (node: WrittenNode) => readonly OpenedFile[] | undefined
  /** Its first output depends only on the context. */
  readonly pure?: true
  /** Returns the context key that it increments. */
  readonly counts?: (node: WrittenNode) => string | undefined
  /** The attribute that names the action, whose parameters are `param.*`. */
  readonly performs?: string
  /** The service that performs it may read the prompt of the node. */
  readonly takesPrompt?: true
  /** The graph's retry settings do not apply to it. */
  readonly ownRetries?: true
}

/** The parts of a host that nodes name: its actions in plain form, and functions of its services as `service.function`. */
export interface HostParts {
  readonly actions: readonly string[]
  readonly services: readonly string[]
}

/** The facts of a node with an unknown operation or a handler of the host: it counts as side-effecting. */
export const UNKNOWN_FACTS: OperationFacts = { name: 'unknown', does: '', types: [], parameters: {}, repeat: 'side_effecting' }

const REQUIRED = new WeakMap<AttributeFacts, readonly string[]>()

/** Returns the required attributes of a node. In a group with `|`, one is enough. */
export function requiredOf({ parameters, requires = [] }: OperationFacts, attributes: Attributes): readonly string[] {
  const own = REQUIRED.get(parameters) ?? requiredIn(parameters)
  const others = typeof requires === 'function' ? requires(new WrittenNode(attributes)) : requires
  return others.length === 0 ? own : [...own, ...others]
}

function requiredIn(parameters: AttributeFacts): readonly string[] {
  const required = Object.entries(parameters).flatMap(([name, fact]) => (fact.required ? [name] : []))
  REQUIRED.set(parameters, required)
  return required
}

/** Returns the inputs of a node with these attributes. */
export function inputsOf({ reads = [] }: OperationFacts, attributes: Attributes): readonly Input[] {
  return typeof reads === 'function' ? reads(new WrittenNode(attributes)) : reads
}

/** Returns the outputs of a node with these attributes. */
export function outputsOf({ writes = [] }: OperationFacts, attributes: Attributes): readonly Output[] {
  return typeof writes === 'function' ? writes(new WrittenNode(attributes)) : writes
}
