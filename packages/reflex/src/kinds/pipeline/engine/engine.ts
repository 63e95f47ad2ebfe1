import type { FaultData } from '../../../kernel/journal/fault.ts'
import type { TypedGraph, TypedNode } from '../model/typed.ts'
import type { Middleware } from './middleware.ts'
import type { BranchSpec, Permissions, Handler, NodeContext, Steps } from '../contract/handler.ts'
import type { Outcome } from '../contract/outcome.ts'

/** The members of a chain, and those that a node was allowed to leave out. */
export interface MiddlewareChain {
  readonly members: readonly Middleware[]
  readonly skipped: readonly string[]
  /** Those that it may not leave out, though its text says so. */
  readonly refused: readonly string[]
}

/** What the walk asks of those who know handlers and middleware. */
export interface Engine {
  /** The handler of a node. */
  handler(node: TypedNode): Handler
  chain(node: TypedNode, typed: TypedGraph, charter: Permissions): MiddlewareChain
  /** A node that no graph has: the execution of one item of a map. */
  itemNode(item: NonNullable<BranchSpec['item']>): TypedNode
  /** Whether a node waits for people or a council, so that its timeout is theirs. */
  isWaiting(node: TypedNode): boolean
  /** Whether a hook runs before the first attempt at a node, or behind its last one. */
  hasHook(context: NodeContext, phase: 'pre' | 'post'): boolean
  /** Runs it. A failure before the first attempt is the failure of the node; `outcome` is what the node came to. */
  hook(context: NodeContext, phase: 'pre' | 'post', outcome?: Outcome): Steps
  /** Whether something is done when a pipeline ends. */
  hasClosingHook(typed: TypedGraph, charter: Permissions): boolean
  /** What is done then. */
  closing(context: NodeContext): Outcome | Steps
  /** The failure of a pipeline. */
  failed(reason: string, node: string, name: string): FaultData
}
