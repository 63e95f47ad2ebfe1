import type { JsonObject } from './value.ts'

/** A condition on which a capability is granted. */
export interface Term {
  /** The grant as the operator wrote it, and its place. */
  readonly grant: string
  readonly by: string
  /** A person is asked once for each node, before the node uses it. */
  readonly ask?: true
  /** The most executions of nodes that may use it in one run. */
  readonly most?: number
}

/**
 * The rights of a program, worked out before its first step. They are a record, so that a replay decides alike. What an effect
 * really touches is judged again when it is performed.
 */
export interface Permissions {
  readonly trust: string
  /** The needs that are refused, and what refuses each. */
  readonly denied: Readonly<Record<string, string>>
  /** The needs that are granted on terms. */
  readonly terms: Readonly<Record<string, Term>>
  /** The settings of the run that steps may read. */
  readonly settings: JsonObject
  /** The facts that the host states for programs of the kind. A fork keeps those of its source. */
  readonly facts: JsonObject
}
