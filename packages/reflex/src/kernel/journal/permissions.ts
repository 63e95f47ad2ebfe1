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
 * The rights of a program, decided before its first step. They are recorded, so that a replay makes the same decisions. Each effect
 * is judged again, with its real capabilities, when it is performed.
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
