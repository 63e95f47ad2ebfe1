import type { JsonObject } from '../../../kernel/index.ts'
import { TypedBlackboard } from '../board/typed-blackboard.ts'
import type { RawTree } from '../formats/raw.ts'
import type { TreeNode } from '../manifest/behaviour.ts'
import { faults } from '../model/faults.ts'
import { TreeStatus } from '../model/run-status.ts'
import type { TreeSource } from '../model/source.ts'
import type { FailureEntry } from '../tick/failures.ts'
import { type TreeDifference, treeDifference } from '../tick/tree-difference.ts'
import { type BehaviorNode, seatAlone } from './behavior-node.ts'
import { TickContext } from './tick-context.ts'
import { type TickResult, tickResult } from './tick-result.ts'
import type { TreeEngine } from './tree-engine.ts'
import type { TreeForm } from './tree-form.ts'
import type { TreeHost } from './tree-host.ts'
import { type TreeParts, treeParts } from './tree-parts.ts'

/** Called with each change of the status of a tree. What it throws becomes the event `tree.listener.failed`. */
export type StatusListener = (tree: BehaviorTree, before: TreeStatus, after: TreeStatus) => void

/**
 * A behaviour tree in memory (seed tree part 2): its ticks are those of a run, without a journal. `tick` is synchronous. What takes longer is
 * RUNNING, and its end counts with the next tick. It ends with its process: a tree that must survive is a run of `Reflex`.
 */
export class BehaviorTree {
  /** The id of the tree in files, references and events. */
  readonly id: string
  readonly name: string
  /** The tree as data, in its normal form. */
  readonly source: TreeSource
  /** What nodes read and write. Its values stay after an execution; the next one deletes those that the last one wrote. */
  readonly blackboard: TypedBlackboard
  readonly #host: TreeHost
  readonly #parts: TreeParts
  readonly #engine: TreeEngine
  readonly #listeners = new Set<StatusListener>()
  #context = new TickContext()
  #isTicking = false
  #status: TreeStatus = TreeStatus.IDLE
  /** True while a newer version of the tree waits for the end of the execution. A registry sets it. */
  reloadPending = false

  /**
   * Makes a tree of data in which nodes of the host may stand, or of what `BT.tree` returns. Throws everything that is wrong with it as one error
   * of the class of its first mistake, `R1231` for a tree of a reference that is missing, and `R1232` for a tree that refers to itself.
   */
  constructor(form: TreeForm | RawTree, host: TreeHost = {}) {
    this.#host = host
    this.#parts = treeParts(form, host, {
      context: () => this.#context,
      tick: (ctx) => this.tick(ctx).run_status,
      reset: () => this.reset(),
      halt: (node) => void this.#perform(() => this.#engine.command({ do: 'halt', node })),
    })
    const { def, name, blackboard, engine } = this.#parts
    this.id = def.id
    this.name = name
    this.source = def.source
    this.blackboard = blackboard
    this.#engine = engine
    this.#context = this.#contextOf(undefined)
  }

  /** Operations and cancellation belong to the execution, and not to one tick. */
  #contextOf(given: TickContext | undefined): TickContext {
    const now = (): number => this.#parts.clock.now()
    const { services } = this.#host
    const options = { blackboard: this.blackboard, now, startTime: new Date(now()), tickBudget: this.source.tick_budget ?? 1000 }
    const context = (given ?? new TickContext()).with({ ...options, ...(services === undefined ? {} : { services }) })
    context.join(this.#context)
    given?.join(this.#context)
    context.connect({
      onProgress: (path) => this.#progressed(path),
      emit: (type, payload) => (this.#isTicking ? this.#parts.events.hold(type, payload) : this.#parts.events.emit(type, payload)),
    })
    return context
  }

  /** A node has made progress: during a tick, or in an operation between two ticks. */
  #progressed(nodePath: readonly string[]): void {
    const { state } = this.#parts.seats
    const node = state?.layout.nodes.find(({ path }) => path === nodePath.at(-1))
    if (state !== undefined && node !== undefined) state.setProgress(node.index, this.#parts.clock.now())
    if (!this.#isTicking) this.#engine.operations.wake()
  }

  /** IDLE before the first tick and after a reset; RUNNING, YIELDED, COMPLETED or FAILED after a tick. */
  get status(): TreeStatus {
    return this.#status
  }
  /** True for a tree that is RUNNING or YIELDED. */
  get isActive(): boolean {
    return this.#status === 'RUNNING' || this.#status === 'YIELDED'
  }
  /** True for a tree that is COMPLETED or FAILED: the next tick begins a new execution. */
  get isTerminal(): boolean {
    return this.#status === 'COMPLETED' || this.#status === 'FAILED'
  }
  /** True during a tick of this tree, in which it cannot be ticked again. */
  get isTicking(): boolean {
    return this.#isTicking
  }
  /** The root as an object that shows its status. Nodes of the catalogue have such objects, too. */
  get root(): BehaviorNode {
    return this.#parts.nodes.root
  }
  /** The nodes of the tree, with those of the trees to which it refers at once. */
  get nodeCount(): number {
    return this.#parts.nodes.count
  }
  /** The nodes on the longest path; 1 if the root stands alone. */
  get maxDepth(): number {
    return this.#parts.nodes.maxDepth
  }
  /** Finds a node by its id, or by its path if it stands in the tree of a reference. */
  getNodeById(id: string): BehaviorNode | undefined {
    return this.#parts.nodes.find(id)
  }
  /** Returns the nodes from the root to a node; nothing for an unknown one. */
  getNodePath(id: string): readonly BehaviorNode[] {
    return this.#parts.nodes.pathOf(id)
  }
  /** Returns the nodes that are RUNNING, in preorder. */
  getRunningNodes(): readonly BehaviorNode[] {
    return this.#parts.nodes.all().filter(({ status }) => status === 'RUNNING')
  }
  /** Returns the nodes, by their paths, in which this version differs from an earlier one. */
  changesSince(before: BehaviorTree): TreeDifference {
    return treeDifference(before.#parts.layout, this.#parts.layout)
  }
  /** Calls back when the status of the tree has changed. Returns the function that ends it. */
  onStatusChange(listener: StatusListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** The newest 50 failures of the execution, oldest first (EP-03). The next execution begins with none. */
  get failureTrace(): readonly FailureEntry[] {
    return this.#engine.failures
  }
  /** The token that resumes the tree; undefined unless it has yielded. */
  get resumeToken(): string | undefined {
    const { token } = this.#engine
    return this.#status === 'YIELDED' && typeof token === 'string' ? token : undefined
  }
  /** True if the next tick has something to do at once: a node asks for it, or an operation has ended. */
  get wantsTick(): boolean {
    const { hasArrivals, asksAgain } = this.#engine
    return this.isActive && (hasArrivals || (this.#status === 'RUNNING' && asksAgain))
  }
  /** The time at which the tree has to be ticked, in milliseconds since the epoch; undefined if no time is awaited. */
  get nextDue(): number | undefined {
    return this.#engine.nextDue
  }

  /**
   * Ticks the tree once. A tree that has ended begins a new execution; one that has yielded continues only with an event. A context whose
   * cancellation is requested cancels it. Throws `R1239` inside a tick of this tree.
   */
  tick(context?: TickContext): TickResult {
    this.#context = this.#contextOf(context)
    const { cancellationReason, event } = this.#context
    if (cancellationReason !== undefined) return this.cancel(cancellationReason)
    if (this.#status === 'YIELDED' && event === undefined) return this.#result(0)
    return this.#perform(() => this.#engine.tick(event, this.isActive))
  }

  /** Resumes a tree that has yielded. Throws `R1238` for a token that is not that of the last yield; the tree stays as it is. */
  resume(token: string): TickResult {
    if (this.resumeToken === undefined || this.resumeToken !== token)
      throw faults.make('R1238', `${this.id} ${this.#status === 'YIELDED' ? 'has yielded with another token' : 'has not yielded'}`)
    return this.#perform(() => this.#engine.resume(token))
  }

  /**
   * Cancels the execution: operations are aborted at once, RUNNING nodes and the tree fail with the reason `cancelled:…`. The next tick begins a
   * new execution. Does nothing to a tree that is not active. Throws `R1239` inside a tick of this tree.
   */
  cancel(reason = 'user_request'): TickResult {
    this.#context.forgetCancellation()
    if (!this.isActive) return this.#result(0)
    return this.#perform(() => this.#engine.command({ do: 'cancel', reason }))
  }

  /** Cancels the execution and forgets everything but counts and schemas: the tree is IDLE, its blackboard has its first values. */
  reset(): void {
    this.#refuseNesting()
    // A cancellation halts what is RUNNING, and that forgets it.
    const running = this.getRunningNodes()
    if (this.isActive) this.cancel('reset')
    for (const node of this.#parts.nodes.all()) if (!running.includes(node)) node.onReset()
    this.#engine.reset()
    this.#setStatus('IDLE')
  }

  #refuseNesting(): void {
    if (this.#isTicking) throw faults.make('R1239', `${this.id} is being ticked`)
  }

  /** Does something to the tree. Events are held until it is over. */
  #perform(what: () => void): TickResult {
    this.#refuseNesting()
    const release = this.#parts.events.begin()
    const before = this.#parts.clock.now()
    this.#isTicking = true
    this.#parts.visits.begin()
    let result: TickResult
    try {
      what()
    } finally {
      this.#isTicking = false
      this.#parts.visits.end()
      this.#announce()
      // Before the events are delivered: their handlers may tick the tree again.
      result = this.#result(this.#parts.clock.now() - before)
      release()
    }
    return result
  }

  /** Publishes the events of a tick, and what became of the tree. */
  #announce(): void {
    const { visited } = this.#parts.visits
    if (this.#context.traceEnabled) for (const node of visited) this.#parts.events.hold('node.tick', this.#traced(node))
    this.#parts.events.publish()
    const { ticks = 0 } = this.#engine.state?.execution ?? {}
    const { status } = this.#engine
    if (visited.length > 0) this.#parts.events.emit('tree.tick.complete', { tick_number: ticks, status, nodes_ticked: visited.length })
    this.#setStatus(status)
  }

  #traced({ id, index, manifest }: TreeNode): JsonObject {
    return {
      node_id: id,
      node_type: manifest.type,
      status: this.#parts.seats.status(index),
      duration_ms: this.#parts.visits.duration(index),
    }
  }

  #setStatus(status: TreeStatus): void {
    const before = this.#status
    this.#status = status
    if (before === status) return
    if (!this.isActive) this.#context.endExecution()
    for (const listener of this.#listeners) {
      try {
        listener(this, before, status)
      } catch (thrown) {
        this.#parts.events.emit('tree.listener.failed', { error_message: String(thrown) })
      }
    }
  }

  #result(duration_ms: number): TickResult {
    const stuck = this.#parts.events.last('tree.watchdog.timeout')?.node_id
    return tickResult(this, {
      tick_count: this.#engine.state?.execution.ticks ?? 0,
      duration_ms,
      nodes_ticked: this.#parts.visits.visited.length,
      events_emitted: this.#parts.events.count,
      ...(typeof stuck === 'string' ? { stuck_node: stuck } : {}),
    })
  }

  /** The context of the last tick. */
  get lastContext(): TickContext {
    return this.#context
  }
  /** Resolves when no operation of the tree is on its way, those of cancelled executions included. */
  operationsEnded(): Promise<void> {
    return this.#engine.operations.ended()
  }
  /** Calls back whenever an operation of the tree has ended or progressed. Returns the function that ends it. */
  onSettled(listener: () => void): () => void {
    return this.#engine.operations.onWake(listener)
  }
  /** Resolves when an operation of the tree has ended or progressed since its last tick: it should be ticked then. */
  async settled(): Promise<void> {
    if (!this.#engine.hasArrivals) await this.#engine.operations.next()
  }
}

seatAlone((node, ctx) => {
  const board = ctx.blackboard instanceof TypedBlackboard ? { blackboard: ctx.blackboard } : {}
  void new BehaviorTree({ id: node.id, root: node }, { ...board, services: ctx.services })
})
