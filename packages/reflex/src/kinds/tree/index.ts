// Trees in memory, without a store (seed tree, part 2).
export { BehaviorNode, type NodeOptions } from './seed/behavior-node.ts'
export { BehaviorTree, type StatusListener } from './seed/behavior-tree.ts'
export { type NodeBlackboard, TickContext, type TickContextOptions } from './seed/tick-context.ts'
export type { TickResult } from './seed/tick-result.ts'
export type { TreeForm } from './seed/tree-form.ts'
export type { SeedNode } from './seed/node-manifest.ts'
export type { TreeHost } from './seed/tree-host.ts'
export type { MockAnswer, Substitute, Substitutes } from './compile/substitutes.ts'
export type { LlmClient, OperationContext, Services, ToolExecutor } from './seed/services.ts'
export type { TreeClock } from './seed/memory-run.ts'

// Files of trees.
export { TreeBuilder } from './seed/tree-builder.ts'
export {
  JSON_TREES,
  type LoaderOptions,
  LUA_TREES,
  type ReadTree,
  type TreeDefinition,
  type TreeFormat,
  TreeLoader,
  XML_TREES,
} from './seed/tree-loader.ts'
export { BT, sourceOf } from './formats/builders.ts'
export { type RefusedFile, type RegistryOptions, TreeRegistry } from './seed/tree-registry.ts'
export { nodeFiles, type TreeFiles } from './seed/tree-files.ts'
export { type KnownTrees, TreeValidator } from './seed/tree-validator.ts'

// What drives trees.
export { EventBus, type EventBusOptions, type EventHandler, type SubscribeOptions } from './seed/event-bus.ts'
export type { BusEvent, EventOptions, EventPayload, EventPriority } from './seed/tree-event.ts'
export { type SchedulerMode, type SchedulerOptions, TickScheduler } from './seed/tick-scheduler.ts'
export { Recovery, type RecoveryOptions } from './seed/recovery.ts'
export { TreeWatchdog } from './seed/tree-watchdog.ts'

// Statuses, and trees as data.
export { fromBool, isComplete, isRunning, NodeType, RunStatus, TreeStatus } from './model/run-status.ts'
export { type BoardKey, type ContractSource, type NodeSource, type ReloadPolicy, TREE_FORMAT, type TreeSource } from './model/source.ts'

// The blackboard, contracts and merges.
export { type BoardOptions, type KeyOptions, type SetResult, TypedBlackboard } from './board/typed-blackboard.ts'
export { type ContractOptions, NodeContract } from './board/contract.ts'
export { type SchemaRegistry, type SchemaType, TreeSchema } from './board/schema.ts'
export { luaToInt } from './board/lua-int.ts'
export {
  CollectStrategy,
  FailOnConflictStrategy,
  FirstWinsStrategy,
  LastWinsStrategy,
  MergeDictStrategy,
  type MergeStrategy,
  MergeStrategyType,
} from './board/merge-strategy.ts'
export { type MergeResult, ParallelMerger } from './board/parallel-merger.ts'
export * from './board/errors.ts'

// Nodes of a host's own, and what it registers: new Reflex({ tree }).
export { type Behaviour, FAILURE, OPEN, RUNNING, SKIPPED, SUCCESS, type Tick, type TreeNode } from './manifest/behaviour.ts'
export { defineNode, type NodeManifest, type Outcomes, type Parameter } from './manifest/manifest.ts'
export type { FunctionAnswer, FunctionBoard, PureContext, PureEntry } from './compile/pure-functions.ts'
export type { FunctionContext, FunctionEntry, FunctionRegistry, TreeFunction } from './tick/function-port.ts'
export type { TreeOptions } from './face/host-options.ts'
export { treeKind } from './tick/kind.ts'
export type { FailureEntry } from './tick/failures.ts'
