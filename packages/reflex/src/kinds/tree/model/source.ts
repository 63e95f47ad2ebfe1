import type { Json, JsonObject } from '../../../kernel/index.ts'

/** The version of the stored form of trees. */
export const TREE_FORMAT = 1

/**
 * A tree as data: what files in Lua, JSON and XML and the builders `BT.*` give, and what a run pins by its hash. `*.tree.json` is this form.
 */
export interface TreeSource {
  readonly format: typeof TREE_FORMAT
  /** The name of the tree. */
  readonly id: string
  readonly version?: string
  readonly description?: string
  /** The file that it was read from, relative to its folder, for messages. */
  readonly file?: string
  /** The keys of the blackboard. Absent: it declares none. */
  readonly board?: Readonly<Record<string, BoardKey>>
  readonly contract?: ContractSource
  /** The most ticks of one event; 1000 by default. */
  readonly tick_budget?: number
  /** The longest time, in milliseconds, that a node without a timeout may be RUNNING without progress; 60,000 by default. */
  readonly max_tick_duration_ms?: number
  /** The longest time of an execution in milliseconds; no limit by default. */
  readonly max_execution_ms?: number
  /** Ticks the tree every so many milliseconds, besides events; absent: only on events and when an operation or a time is due. */
  readonly tick_every?: number
  /** True: a run takes events as long as it lasts. Default: if a condition or a script of the tree reads `ctx.event`. */
  readonly events?: boolean
  readonly reload_policy?: ReloadPolicy
  /** The tree that `Recovery` runs after three failures in a minute, for trees in memory. Runs do not use it. */
  readonly recovery_tree?: string
  readonly root: NodeSource
  /** The node that runs after the root has failed. */
  readonly on_failure?: NodeSource
  /** Trees that stand in the same file, by name. References find them before all others. */
  readonly trees?: Readonly<Record<string, TreeSource>>
}

export type ReloadPolicy = 'let_finish_then_swap' | 'cancel_and_restart'

/** The declaration of a key: a schema by name or as JSON Schema (default `any`), and its first value. */
export interface BoardKey {
  readonly type?: string | JsonObject
  readonly default?: Json
  /** True: the tree reads the value that trees share, at the beginning of each execution. */
  readonly global?: boolean
}

/** The keys that a node or a tree reads and writes, with the schema of each (default `any`). The four maps have no key in common. */
export interface ContractSource {
  readonly inputs?: Readonly<Record<string, string | JsonObject>>
  readonly optional_inputs?: Readonly<Record<string, string | JsonObject>>
  readonly outputs?: Readonly<Record<string, string | JsonObject>>
  /** Keys that are read and written. */
  readonly inouts?: Readonly<Record<string, string | JsonObject>>
  readonly description?: string
  /** `fail`: an access that is not declared fails the node; default: it is a warning. */
  readonly on_violation?: 'log' | 'fail'
}

/** A node as data. */
export interface NodeSource {
  /** The type, as its manifest names it: `sequence`. */
  readonly type: string
  /** Unique in its tree. */
  readonly id: string
  readonly name?: string
  readonly description?: string
  readonly metadata?: JsonObject
  /** The line of the file that made it, from 1. */
  readonly line?: number
  /** The line on which its code begins, if that is another one. */
  readonly code_line?: number
  /** The parameters, by the names of the manifest, in their normal form. */
  readonly params?: JsonObject
  readonly children?: readonly NodeSource[]
}
