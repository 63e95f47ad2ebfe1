import type { JsonObject } from '../../../kernel/journal/json.ts'
import type { Outcome } from '../contract/outcome.ts'
import type { StoredUsage } from '../engine/resuming.ts'
import type { Idempotency } from '../model/resolution.ts'

/**
 * A checkpoint as its file has it (seed pipeline 7.3; reference pipeline 6.2). The names are the seed's, so that other
 * implementations read it; what the seed does not know stands beside.
 */
export interface Checkpoint {
  /** ISO 8601, UTC: the time of the record that it stands at. */
  readonly timestamp: string
  readonly run_id: string
  readonly graph_id: string
  /** SHA-256 of the serialised graph that the run began with, as hexadecimal digits. */
  readonly graph_hash: string
  /** The graph as the run has changed it; only if it has. */
  readonly graph_dot?: string
  /** The last completed node. */
  readonly current_node: string
  /** In their order; a node that was completed twice stands there twice. */
  readonly completed_nodes: readonly string[]
  readonly node_retries: Readonly<Record<string, number>>
  readonly context_values: JsonObject
  /** Those of this lap: the folder of an earlier one has its own. */
  readonly logs: readonly LogEntry[]
  readonly node_outcomes: Readonly<Record<string, Outcome>>
  readonly context_lineage: Readonly<Record<string, Lineage>>
  readonly content_hashes: Readonly<Record<string, string>>
  readonly context_taint: JsonObject
  readonly pending: readonly string[]
  readonly gates_recheck: readonly string[]
  /** Goal gates that branches completed: after how many nodes of the main walk, and their place among those of the block. */
  readonly gates_in_branches: Readonly<Record<string, readonly [n: number, place: number]>>
  readonly jumps: Readonly<Record<string, number>>
  readonly visits: Readonly<Record<string, number>>
  readonly logs_root: string
  readonly pipeline_started_at: string
  readonly in_flight: InFlight | null
  readonly budget: Partial<StoredUsage>
  /** Restarts of the whole, and what else bounds count beyond a restart. */
  readonly iteration: number
  readonly goal_gate_returns: number
  readonly repeated_failure: readonly [signature: string, times: number] | null
  readonly repeated_restart: readonly [signature: string, times: number] | null
  /** HMAC-SHA-256 over the canonical JSON of everything else; only with a secret. */
  readonly __hmac?: string
}

/** Who last wrote a key of the context, when, and how (seed pipeline 7.2). */
export interface Lineage {
  /** A node; `__init__` and `__engine__` where there is none. */
  readonly node_id: string
  readonly timestamp: string
  readonly operation: 'init' | 'update' | 'merge' | 'engine' | 'resume'
}

/** What a node has said. */
export interface LogEntry {
  readonly node_id: string
  readonly message: string
  readonly timestamp: string
}

/** A node that was under way when the checkpoint was written. */
export interface InFlight {
  readonly node_id: string
  readonly attempt: number
  /** The worst of everything that it has begun. */
  readonly idempotency: Idempotency
}

/** A value that is too large for a checkpoint stands in a file beside it. */
export interface ArtifactLink {
  readonly $artifact: {
    readonly id: string
    readonly name: string
    readonly size_bytes: number
    readonly sha256: string
    /** Whether the file has the text itself or its JSON. */
    readonly format: 'text' | 'json'
    /** From the folder of the checkpoint. */
    readonly file_path: string
  }
}

/** Keys of implementations that no checkpoint keeps: `__adapted_graph__` and the like. */
export function isStripped(key: string): boolean {
  return key.startsWith('__')
}

/** A checkpoint as it is signed: everything but its signature. */
export function unsigned({ __hmac: _, ...rest }: JsonObject): JsonObject {
  return rest
}

/** What of an object may be kept. */
export function stripped(values: JsonObject): JsonObject {
  const entries = Object.entries(values)
  return entries.some(([key]) => isStripped(key)) ? Object.fromEntries(entries.filter(([key]) => !isStripped(key))) : values
}
