import { type Json, systemHost } from '../../../kernel/index.ts'
import type { TypedBlackboard } from '../board/typed-blackboard.ts'
import type { RunStatus } from '../model/run-status.ts'
import type { Services } from './services.ts'

/** The blackboard as a node has it: that of the tree, or the scope that its node stands in. */
export type NodeBlackboard = Pick<TypedBlackboard, 'get' | 'set' | 'trySet' | 'setGlobal' | 'has' | 'delete'>

/** What a context is made with. A tree fills in its own blackboard, services, budget and clock. */
export interface TickContextOptions {
  /** Absent: that of the tree that is ticked. */
  readonly blackboard?: NodeBlackboard
  /** What the host injects. Absent: that of the tree, or nothing. */
  readonly services?: Services
  /** The ticks of the execution so far. */
  readonly tickCount?: number
  /** The most ticks before the tree yields; 1000 by default. */
  readonly tickBudget?: number
  /** The start of the tick. Default: now. */
  readonly startTime?: Date
  /** The event that causes the tick. */
  readonly event?: Json
  /** True: each tick of a node is an event `node.tick`. */
  readonly traceEnabled?: boolean
  /** The user for whom the tree is ticked. */
  readonly userId?: string
  /** `TREE@NUMBER`: the tree sets it. */
  readonly executionId?: string
  /** Returns milliseconds since the epoch. */
  readonly now?: () => number
}

/** What a context and its copies with another blackboard have in common. */
interface Shared {
  readonly pending: Set<string>
  abort: AbortController
  cancellation: string | undefined
  lastProgressAt: number
  /** Called when an operation has ended or a node has made progress: with its path. */
  onProgress: (path: readonly string[]) => void
  emit: (type: string, payload: { readonly [key: string]: Json }) => void
}

/**
 * What nodes get with each tick (seed tree 2.4). Operations, cancellation and progress belong to the execution, so every context of it has the same.
 * Throws a `RangeError` for a count below 0 and for a budget that is not above 0.
 */
export class TickContext {
  /** The blackboard of the node: that of the tree, or the scope of a parallel child. */
  readonly blackboard: NodeBlackboard
  readonly services: Services
  /** The ticks of the execution so far, with this one. */
  readonly tickCount: number
  readonly tickBudget: number
  readonly startTime: Date
  /** The event that caused the tick; undefined for a tick without one. */
  readonly event: Json | undefined
  readonly traceEnabled: boolean
  readonly userId: string | undefined
  readonly executionId: string | undefined
  readonly #options: TickContextOptions
  readonly #now: () => number
  #path: string[] = []
  #shared: Shared
  #failure: string | undefined

  constructor(options: TickContextOptions = {}) {
    this.#options = options
    this.#now = options.now ?? (() => systemHost.now())
    this.blackboard = options.blackboard ?? NO_BLACKBOARD
    this.services = options.services ?? {}
    this.tickCount = options.tickCount ?? 0
    this.tickBudget = options.tickBudget ?? 1000
    this.startTime = options.startTime ?? new Date(this.#now())
    this.event = options.event
    this.traceEnabled = options.traceEnabled ?? false
    this.userId = options.userId
    this.executionId = options.executionId
    if (!(this.tickCount >= 0)) throw new RangeError('tickCount must be 0 or more')
    if (!(this.tickBudget > 0)) throw new RangeError('tickBudget must be above 0')
    this.#shared = {
      pending: new Set(),
      abort: new AbortController(),
      cancellation: undefined,
      lastProgressAt: this.startTime.getTime(),
      onProgress: () => undefined,
      emit: () => undefined,
    }
  }

  /** Milliseconds since the start of this tick. */
  elapsedMs(): number {
    return this.#now() - this.startTime.getTime()
  }
  /** The ticks that are left before the tree yields. Below 0 if it has had more. */
  budgetRemaining(): number {
    return this.tickBudget - this.tickCount
  }
  /** True if the ticks have reached the budget. */
  budgetExceeded(): boolean {
    return this.tickCount >= this.tickBudget
  }

  /** The ids of the nodes around the one that is ticked, from the root on. */
  get parentPath(): readonly string[] {
    return [...this.#path]
  }
  /** The ids of the path as a text: `root > plan > search`. */
  get pathText(): string {
    return this.#path.join(' > ')
  }
  /** Adds a node to the path, before it is ticked. Throws a `RangeError` for one that is in it already. */
  pushPath(nodeId: string): void {
    if (this.#path.includes(nodeId)) throw new RangeError(`${nodeId} is in the path already`)
    this.#path.push(nodeId)
  }
  /** Removes the last node of the path, after it was ticked. Does nothing to an empty path. */
  popPath(): void {
    this.#path.pop()
  }

  /** Returns a copy with another blackboard. Operations, cancellation and progress stay common (reference tree C37). */
  withBlackboard(blackboard: NodeBlackboard): TickContext {
    return this.with({ blackboard })
  }

  /** Returns a copy with other options. Operations, cancellation and progress stay common. */
  with(options: TickContextOptions): TickContext {
    const copy = new TickContext({ ...this.#options, startTime: this.startTime, ...options })
    copy.#path = [...this.#path]
    copy.#shared = this.#shared
    return copy
  }

  /** Makes the operations, the cancellation and the progress of an execution those of this context. What it has of them already is added. */
  join(context: TickContext): void {
    const execution = context.#shared
    const { pending, cancellation } = this.#shared
    for (const id of pending) execution.pending.add(id)
    execution.cancellation ??= cancellation
    this.#shared = execution
  }

  /** Connects the context with the tree that is ticked with it. */
  connect(to: Pick<Shared, 'onProgress' | 'emit'>): void {
    Object.assign(this.#shared, to)
  }

  /** Registers an operation of a node: the tree is not ticked again before one of its operations has ended. */
  addAsync(id: string): void {
    this.#shared.pending.add(id)
  }
  /** Marks an operation as ended. That is progress, also for an id that is not known. */
  completeAsync(id: string): void {
    this.#shared.pending.delete(id)
    this.markProgress()
  }
  /** The ids of the operations that are on their way. A copy. */
  get asyncPending(): ReadonlySet<string> {
    return new Set(this.#shared.pending)
  }
  /** True if an operation is on its way. A node that is RUNNING then is not ticked before one has ended. */
  hasPendingAsync(): boolean {
    return this.#shared.pending.size > 0
  }
  /** Forgets all operations and a request to cancel, and aborts the signal of the execution. */
  endExecution(): void {
    this.#shared.pending.clear()
    this.#shared.cancellation = undefined
    this.#shared.abort.abort()
    this.#shared.abort = new AbortController()
  }
  /** Aborted when the execution ends or is cancelled: for operations that a node starts itself. */
  get signal(): AbortSignal {
    return this.#shared.abort.signal
  }

  /** Reports progress of the node that is ticked, so that it is not taken for stuck. */
  markProgress(): void {
    this.#shared.lastProgressAt = this.#now()
    this.#shared.onProgress(this.#path)
  }
  /** Milliseconds since the epoch. */
  get lastProgressAt(): number {
    return this.#shared.lastProgressAt
  }

  /** True from the request until the tree is cancelled. */
  get cancellationRequested(): boolean {
    return this.#shared.cancellation !== undefined
  }
  /** The reason of the requested cancellation. */
  get cancellationReason(): string | undefined {
    return this.#shared.cancellation
  }
  /** Requests that the tree is cancelled with its next tick: its RUNNING nodes fail with the reason `cancelled:REASON`, and so does the tree. */
  requestCancellation(reason = 'user_request'): void {
    this.#shared.cancellation = reason
  }
  forgetCancellation(): void {
    this.#shared.cancellation = undefined
  }

  /** Publishes an event. It is delivered after the tick. */
  emit(type: string, payload: { readonly [key: string]: Json } = {}): void {
    this.#shared.emit(type, payload)
  }

  /** Returns FAILURE and keeps its reason. */
  fail(reason: string): RunStatus {
    this.#failure = reason
    return 'FAILURE'
  }
  /** The reason that `fail` was called with. */
  get failureReason(): string | undefined {
    return this.#failure
  }
}

const NO_BLACKBOARD: NodeBlackboard = new Proxy({} as NodeBlackboard, {
  get: () => () => {
    throw new TypeError('the context has no blackboard: tick a tree with it, or construct it with one')
  },
})
