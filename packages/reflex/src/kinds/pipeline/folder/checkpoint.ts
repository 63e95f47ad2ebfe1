import type { JsonObject } from '../../../kernel/index.ts'
import type { Outcome } from '../contract/outcome.ts'
import type { StoredUsage } from '../engine/resuming.ts'
import type { Idempotency } from '../model/resolution.ts'

/**
 * The content of a checkpoint file (seed pipeline 7.3; reference pipeline 6.2). The names are those of the seed, so
 * that other implementations can read it; further fields are our own.
 */
export interface Checkpoint {
  /** The time of its record, ISO 8601, UTC. */
  readonly timestamp: string
  readonly run_id: string
  readonly graph_id: string
  /** The SHA-256 of the serialised graph with which the run began, in hexadecimal. */
  readonly graph_hash: string
  /** The graph after the changes of the run; only if the run changed it. */
  readonly graph_dot?: string
  /** The last completed node. */
  readonly current_node: string
  /** The completed nodes in order; a node that was completed twice is listed twice. */
  readonly completed_nodes: readonly string[]
  readonly node_retries: Readonly<Record<string, number>>
  readonly context_values: JsonObject
  /** The log of this round; the folder of an earlier round has its own. */
  readonly logs: readonly LogEntry[]
  readonly node_outcomes: Readonly<Record<string, Outcome>>
  readonly context_lineage: Readonly<Record<string, Lineage>>
  readonly content_hashes: Readonly<Record<string, string>>
  readonly context_taint: JsonObject
  readonly pending: readonly string[]
  readonly gates_recheck: readonly string[]
  /**
   * The goal gates that branches completed: the number of nodes that the main walk had completed, and their position
   * among the gates of the block.
   */
  readonly gates_in_branches: Readonly<Record<string, readonly [n: number, place: number]>>
  readonly jumps: Readonly<Record<string, number>>
  readonly visits: Readonly<Record<string, number>>
  readonly logs_root: string
  readonly pipeline_started_at: string
  readonly in_flight: InFlight | null
  readonly budget: Partial<StoredUsage>
  /** The number of restarts; like the counters below, it continues beyond a restart. */
  readonly iteration: number
  readonly goal_gate_returns: number
  readonly repeated_failure: readonly [signature: string, times: number] | null
  readonly repeated_restart: readonly [signature: string, times: number] | null
  /** The HMAC-SHA-256 over the canonical JSON of everything else; only with a secret. */
  readonly __hmac?: string
}

/** The last write of a key of the context: its node, its time and its operation (seed pipeline 7.2). */
export interface Lineage {
  /** A node; `__init__` or `__engine__` if no node wrote the key. */
  readonly node_id: string
  readonly timestamp: string
  readonly operation: 'init' | 'update' | 'merge' | 'engine' | 'resume'
}

/** A message of a node. */
export interface LogEntry {
  readonly node_id: string
  readonly message: string
  readonly timestamp: string
}

/** The node that was running when the checkpoint was written. */
export interface InFlight {
  readonly node_id: string
  readonly attempt: number
  /** The worst idempotency of all its effects. */
  readonly idempotency: Idempotency
}

/** A link to the file that contains a value too large for a checkpoint. */
export interface ArtifactLink {
  readonly $artifact: {
    readonly id: string
    readonly name: string
    readonly size_bytes: number
    readonly sha256: string
    /** The format of the file: the text itself, or JSON. */
    readonly format: 'text' | 'json'
    /** The path, relative to the folder of the checkpoint. */
    readonly file_path: string
  }
}

/** True for keys of other implementations that a checkpoint does not keep, such as `__adapted_graph__`. */
export function isStripped(key: string): boolean {
  return key.startsWith('__')
}

/** Returns the signed part of a checkpoint: everything but its signature. */
export function unsigned({ __hmac: _, ...rest }: JsonObject): JsonObject {
  return rest
}

/** Returns the entries of an object that a checkpoint keeps. */
export function stripped(values: JsonObject): JsonObject {
  const entries = Object.entries(values)
  return entries.some(([key]) => isStripped(key)) ? Object.fromEntries(entries.filter(([key]) => !isStripped(key))) : values
}
