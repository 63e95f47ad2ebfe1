import type { Fault, FunctionPin, JsonObject } from '../../../kernel/index.ts'
import type { TreeSchema } from '../board/schema.ts'
import type { ConditionCode, ExpressionCode } from './code.ts'
import type { PureFunction } from './pure-functions.ts'
import type { NodeManifest } from '../manifest/manifest.ts'
import type { TreeNode } from '../manifest/behaviour.ts'
import type { ContractSource, NodeSource, TreeSource } from '../model/source.ts'

/** A node of one tree, checked and with its defaults. */
export interface CompiledNode {
  readonly source: NodeSource
  readonly manifest: NodeManifest
  readonly params: JsonObject
  readonly children: readonly CompiledNode[]
  /** The conditions around it; undefined if it has none. */
  readonly conditions: NodeConditions | undefined
  readonly contract: ContractSource | undefined
}

/** Conditions and assignments that any node may have. */
export interface NodeConditions {
  /** The node is skipped, succeeds or fails without being ticked. Evaluated when it is not RUNNING. */
  readonly skipIf?: ExpressionCode
  readonly successIf?: ExpressionCode
  readonly failureIf?: ExpressionCode
  /** The node is skipped, or halted if it is RUNNING, as soon as this is false. */
  readonly while?: ExpressionCode
  /** Assignments after its end, by key. */
  readonly onSuccess?: Assignments
  readonly onFailure?: Assignments
  readonly onHalted?: Assignments
  readonly after?: Assignments
}

export type Assignments = readonly (readonly [key: string, value: ExpressionCode])[]

/** A tree that can be laid out and ticked. */
export interface CompiledTree {
  readonly id: string
  readonly source: TreeSource
  readonly root: CompiledNode
  /** The schemas of its keys, with those that its nodes write without a declaration. */
  readonly schemas: ReadonlyMap<string, TreeSchema>
  readonly defaults: JsonObject
  /** The code of its conditions and expressions, by their text. */
  readonly code: ReadonlyMap<string, ConditionCode>
  /** The trees of its file, by name: references find them before all others. */
  readonly trees: ReadonlyMap<string, CompiledTree>
  /** The names of the other trees that it refers to at once, and of those that it looks up when it is ticked. */
  readonly refs: readonly string[]
  readonly lazyRefs: readonly string[]
  /** The programs that its nodes call, as `kind:id`. */
  readonly calls: readonly string[]
  /** The keys of its contract's outputs; undefined if it has no contract. */
  readonly outputs: readonly string[] | undefined
  /** The pure functions that its nodes name. */
  readonly pure: ReadonlyMap<string, PureFunction>
  /** Those that it and the trees of its file name, as a run pins them. */
  readonly functions: readonly FunctionPin[]
  /** True if it, or a tree that it refers to at once, reads keys that all trees share. */
  readonly readsGlobals: boolean
  /** The keys under which answers of models grow. */
  readonly streams: ReadonlySet<string>
  /** The keys that its nodes read; undefined if it has code, which may read any key. */
  readonly reads: ReadonlySet<string> | undefined
  /** True if a run of it takes events as long as it lasts. */
  readonly readsEvents: boolean
  readonly warnings: readonly Fault[]
  /** True if a run wrote its text and no person has approved it: its effects, and those of what it calls, have the lowest rights. */
  readonly isUntrusted: boolean
  /** Is told of each node that is ticked: live statistics of a tree in memory, and no part of its state. */
  readonly observer?: { visit(node: TreeNode): void } | undefined
}
