import type { FaultData } from '../../../kernel/index.ts'
import type { TypedGraph, TypedNode } from '../model/typed.ts'
import type { Middleware } from './middleware.ts'
import type { BranchSpec, Permissions, Handler, NodeContext, Steps } from '../contract/handler.ts'
import type { Outcome } from '../contract/outcome.ts'

/** The members of a chain, and those that a node was allowed to skip. */
export interface MiddlewareChain {
  readonly members: readonly Middleware[]
  /** The members that may wait: the handler of the node requests their phases. */
  readonly asynchronous: readonly Middleware[]
  readonly skipped: readonly string[]
  /** The members that it must not skip, although its text says so. */
  readonly refused: readonly string[]
}

/** The parts that a step needs from the operations and the middleware. */
export interface Engine {
  /** Returns the handler of a node. */
  handler(node: TypedNode): Handler
  chain(node: TypedNode, typed: TypedGraph, permissions: Permissions): MiddlewareChain
  /** Returns the node for one item of a map; it is in no graph. */
  itemNode(item: NonNullable<BranchSpec['item']>): TypedNode
  /** True if a node waits for people or a council: its timeout then applies to the question. */
  isWaiting(node: TypedNode): boolean
  /** True if a hook runs before the first attempt at a node, or behind its last one. */
  hasHook(context: NodeContext, phase: 'pre' | 'post'): boolean
  /** Runs a hook. A failure before the first attempt is the failure of the node; `outcome` is the outcome of the node. */
  hook(context: NodeContext, phase: 'pre' | 'post', outcome?: Outcome): Steps
  /** True if there is a hook at the end of a pipeline. */
  hasClosingHook(typed: TypedGraph, permissions: Permissions): boolean
  /** Runs the hook at the end of a pipeline. */
  closing(context: NodeContext): Outcome | Steps
  /** Returns the failure of a pipeline. */
  failed(reason: string, node: string, name: string): FaultData
}
