import type { Attributes } from '../dot/graph.ts'
import type { AttributeFacts } from './attribute.ts'
import type { Input, Output } from './operation-ports.ts'
import type { CanonicalType, Idempotency } from './resolution.ts'
import { WrittenNode } from './written-node.ts'

/** A word, or two, by which a node of a canonical type chooses an operation: `{ type: 'exec', by: { target: 'shell' } }`. */
export interface Dispatch {
  readonly type: CanonicalType
  /** The attribute that chooses and its word; `op` is a second one. Absent: the type does nothing else. */
  readonly by?: Readonly<Record<string, string>>
  /** What a type name of the operation injects, where that is not `by`. */
  readonly injects?: Readonly<Record<string, string>>
}

/** A file that a node opens: the path itself, or the context key that holds it. */
export type OpenedFile = { readonly path: string } | { readonly key: string }

/**
 * Everything that can be known of an operation of a pipeline before it is executed. Type names, attributes and their TypeScript
 * types, capabilities, taint, lint, help, pages and schemas are derived from it. `defineOperation` adds the function.
 */
export interface OperationFacts<
  Parameters extends AttributeFacts = AttributeFacts,
  Dispatched extends readonly Dispatch[] = readonly Dispatch[],
> {
  readonly name: string
  /** One line that says what the operation does. */
  readonly does: string
  /** The type names that stand for it; its own name if absent, none if empty. */
  readonly types?: readonly string[]
  /** The shape of Graphviz that stands for its first type name. */
  readonly shape?: string
  /** The canonical types whose nodes can choose it; type names belong to the first. `exec`, without a word that chooses, if absent. */
  readonly dispatch?: Dispatched
  /**
   * Attributes of which one chooses the operation, where a node of its first type has no word that chooses: the first operation with
   * such an attribute is taken, else the one whose list is empty.
   */
  readonly usual?: readonly string[]
  /** The attributes that it reads, beside those of every node. */
  readonly parameters: Parameters
  /** Further attributes without which it fails; of those with a `|` between them one is enough. */
  readonly requires?: readonly string[] | ((node: WrittenNode) => readonly string[])
  /** The context values that it reads. */
  readonly reads?: readonly Input[] | ((node: WrittenNode) => readonly Input[])
  /** The context keys that it writes. */
  readonly writes?: readonly Output[] | ((node: WrittenNode) => readonly Output[])
  /** The capabilities that it needs beside being executed. */
  readonly needs?: (node: WrittenNode) => readonly string[]
  /** Returns the sentence that says what the host does not have and without which the node fails; undefined where nothing is missing. */
  readonly lacks?: (node: WrittenNode, host: HostParts) => string | undefined
  /** True if it can be repeated after a crash, and how. */
  readonly repeat: Idempotency
  /** The same for nodes whose attributes change it; undefined for `repeat`. */
  readonly repeats?: (node: WrittenNode) => Idempotency | undefined
  /** It waits for people, for a time or for others: the time that it takes is not bounded as work is. */
  readonly patient?: true
  /** It asks a model by its prompt, a person to choose an edge, or a person to approve. */
  readonly form?: 'model' | 'choice' | 'approval'
  /**
   * The check by which values become worth more: content against a pattern or a schema, a pipeline by its rules, an answer by votes,
   * values by a person's review.
   */
  readonly sanitizes?: 'content' | 'pipeline' | 'votes' | 'review'
  /** The program that it calls, as `kind:id`. */
  readonly calls?: (node: WrittenNode) => string | undefined
  /** The keys under which the values of the called program come back. */
  readonly returns?: Output
  /** True if it executes a node for each item: its type in `item_type`, its attributes in `handler_attrs`. */
  readonly item?: (node: WrittenNode) => boolean
  /** The files that it opens for their content, by the first that is there; undefined if it opens none. */
  readonly opens?: (node: WrittenNode) => readonly OpenedFile[] | undefined
  /** Its first output is computed from the context alone. */
  readonly pure?: true
  /** The context key that it counts up. */
  readonly counts?: (node: WrittenNode) => string | undefined
  /** The attribute with the name of what it performs, whose parameters are `param.*`. */
  readonly performs?: string
  /** The service behind it may read the prompt of the node. */
  readonly takesPrompt?: true
  /** What the graph says of retries is not meant for it. */
  readonly ownRetries?: true
}

/** The parts of a host that nodes name: its actions in plain form, and functions of its services as `service.function`. */
export interface HostParts {
  readonly actions: readonly string[]
  readonly services: readonly string[]
}

/** The facts of a node whose operation is unknown, or a handler of the host: it counts as side-effecting. */
export const UNKNOWN_FACTS: OperationFacts = { name: 'unknown', does: '', types: [], parameters: {}, repeat: 'side_effecting' }

const REQUIRED = new WeakMap<AttributeFacts, readonly string[]>()

/** Returns the attributes without which a node fails; of those with a `|` between them one is enough. */
export function requiredOf({ parameters, requires = [] }: OperationFacts, attributes: Attributes): readonly string[] {
  const own = REQUIRED.get(parameters) ?? Object.entries(parameters).flatMap(([name, { required }]) => (required ? [name] : []))
  REQUIRED.set(parameters, own)
  const others = typeof requires === 'function' ? requires(new WrittenNode(attributes)) : requires
  return others.length === 0 ? own : [...own, ...others]
}

/** Returns the inputs of a node with these attributes. */
export function inputsOf({ reads = [] }: OperationFacts, attributes: Attributes): readonly Input[] {
  return typeof reads === 'function' ? reads(new WrittenNode(attributes)) : reads
}

/** Returns the outputs of a node with these attributes. */
export function outputsOf({ writes = [] }: OperationFacts, attributes: Attributes): readonly Output[] {
  return typeof writes === 'function' ? writes(new WrittenNode(attributes)) : writes
}
