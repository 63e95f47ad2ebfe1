import {
  type Frame,
  isList,
  isObject,
  type Json,
  type JsonObject,
  type PendingEffect,
  type Program,
  type Rec,
  systemHost,
} from '../../../kernel/index.ts'
import { TypedBlackboard } from '../board/typed-blackboard.ts'
import type { CompiledTree } from '../compile/compiled.ts'
import { type LaidNode, Layout } from '../compile/layout.ts'
import { RUNNING, SUCCESS } from '../manifest/behaviour.ts'
import { faults } from '../model/faults.ts'
import { type RunStatus, TreeStatus } from '../model/run-status.ts'
import { textOf } from '../model/text-of.ts'
import type { TreeSource } from '../model/source.ts'
import { failureTrace } from '../tick/failures.ts'
import type { Ticking } from '../tick/ticking.ts'
import { FRESH, HAS_FAILED, IS_RUNNING, SUCCEEDED } from '../tick/states.ts'
import { walkBelow } from '../tick/walk.ts'
import { RESUME_TOPIC, TOKEN_KEY } from '../tick/yielding.ts'
import { advance, finishTick, sendMessage } from './advance.ts'
import { type BehaviorNode, type Seat, seatAlone } from './behavior-node.ts'
import { BoardLink } from './board-link.ts'
import { performEffect } from './memory-effects.ts'
import { programOf } from './memory-programs.ts'
import { MemoryRun, type TreeClock } from './memory-run.ts'
import { nodeBlackboard } from './node-board-view.ts'
import { TickContext } from './tick-context.ts'
import type { TickResult } from './tick-result.ts'
import { readForm, type TreeForm } from './tree-form.ts'
import { compileForm, compileSource, type TreeHost } from './tree-host.ts'
import { TreeNodes } from './tree-nodes.ts'
import { Visits } from './visits.ts'

export type StatusListener = (tree: BehaviorTree, before: TreeStatus, after: TreeStatus) => void

const TREE_STATUSES: readonly TreeStatus[] = ['IDLE', 'RUNNING', 'YIELDED', 'COMPLETED', 'FAILED']

/**
 * A behaviour tree in memory (seed tree part 2): its ticks are those of a run, without a journal. `tick` is synchronous. What takes longer is
 * RUNNING, and its end counts with the next tick.
 */
export class BehaviorTree {
  readonly id: string
  readonly name: string
  readonly source: TreeSource
  readonly blackboard: TypedBlackboard
  readonly #host: TreeHost
  readonly #clock: TreeClock
  readonly #program: Program<CompiledTree>
  readonly #link: BoardLink
  readonly #layout: Layout
  readonly #nodes: TreeNodes
  readonly #visits: Visits
  readonly #listeners = new Set<StatusListener>()
  readonly #waiters: (() => void)[] = []
  readonly #settledListeners = new Set<() => void>()
  readonly #operations = new Set<Promise<void>>()
  #run: MemoryRun | undefined
  #context: TickContext
  #path: LaidNode[] = []
  #ticking: Ticking | undefined
  #isTicking = false
  #events: (readonly [type: string, payload: JsonObject])[] = []
  #status: TreeStatus = TreeStatus.IDLE
  /** True while a newer version of the tree waits for the end of the execution. A registry sets it. */
  reloadPending = false

  /** Throws the fault of a tree that cannot be compiled, `R1231` for a missing tree, and `R1232` for one that refers to itself. */
  constructor(form: TreeForm, host: TreeHost = {}) {
    this.#host = host
    this.#clock = host.clock ?? systemHost
    const read = readForm(form, (tick, node, run) => this.#withContext(tick, node, run))
    this.#visits = new Visits(this.#clock)
    const { def, schemas, defaults } = compileForm(read, host, this.#visits)
    this.id = read.source.id
    this.name = form.name ?? this.id
    this.source = read.source
    this.#program = programOf(def)
    const { blackboard, globals } = host
    this.blackboard = blackboard ?? globals?.createChildScope(this.id) ?? new TypedBlackboard(undefined, this.id)
    this.#link = new BoardLink(this.blackboard, schemas, defaults)
    this.#layout = new Layout(def, (name) => this.#find(name))
    const own = (laid: LaidNode): BehaviorNode | undefined => (laid.tree === def ? read.nodes.get(laid.id) : undefined)
    this.#nodes = new TreeNodes(this.#layout, own, (laid) => this.#seatOf(laid))
    this.#context = this.#newContext()
  }

  #find(name: string): CompiledTree | undefined {
    if (name === this.id) return this.#program.def
    const own = this.source.trees?.[name]
    return own === undefined ? this.#host.find?.(name) : compileSource(own, this.#host)
  }

  #seatOf(laid: LaidNode): Seat {
    const { index } = laid
    return {
      status: () => this.#statusOf(index),
      runningSince: () => (this.#statusOf(index) === 'RUNNING' ? this.#run?.tree?.since(index) : undefined),
      tickCount: () => this.#visits.count(index),
      lastTickDurationMs: () => this.#visits.duration(index),
      path: () => laid.path,
      tick: (ctx) => this.#tickNode(laid, ctx),
      reset: () => this.#resetNode(laid),
    }
  }

  #statusOf(index: number): RunStatus {
    const state = (this.#ticking?.state ?? this.#run?.tree)?.state({ index }) ?? FRESH
    return state === IS_RUNNING ? 'RUNNING' : state === SUCCEEDED ? 'SUCCESS' : state === HAS_FAILED ? 'FAILURE' : 'FRESH'
  }

  /** A node ticks its child; or somebody ticks the root, which ticks the tree. */
  #tickNode(laid: LaidNode, ctx: TickContext): RunStatus {
    if (this.#ticking !== undefined) {
      const place = this.#ticking.state.layout.nodes[laid.index] ?? laid
      const outcome = walkBelow(this.#ticking, place)
      return outcome === RUNNING ? 'RUNNING' : outcome === SUCCESS ? 'SUCCESS' : this.#statusOf(laid.index)
    }
    if (laid.parent !== undefined) throw faults.make('R1239', `${laid.path} is ticked by ${laid.parent.path}`, { fix: 'tick the tree' })
    return this.tick(ctx).run_status
  }

  #resetNode(laid: LaidNode): void {
    if (this.#ticking !== undefined) return this.#ticking.halt(this.#ticking.state.layout.nodes[laid.index] ?? laid)
    if (laid.parent === undefined) return this.reset()
    this.#command({ do: 'halt', node: laid.path })
  }

  #withContext<T>(tick: Ticking, node: LaidNode, run: (ctx: TickContext) => T): T {
    const outer = this.#ticking
    this.#ticking = tick
    this.#path.push(node)
    const ctx = this.#context.with({
      blackboard: nodeBlackboard(tick.board(node), (key) => tick.declares(node, key)),
      tickCount: tick.count,
      ...(tick.event === undefined ? {} : { event: tick.event }),
    })
    for (const { id } of this.#path) ctx.pushPath(id)
    try {
      return run(ctx)
    } finally {
      this.#path.pop()
      this.#ticking = outer
    }
  }

  #newContext(given?: TickContext): TickContext {
    const now = (): number => this.#clock.now()
    const options = { blackboard: this.blackboard, now, startTime: new Date(now()), tickBudget: this.source.tick_budget ?? 1000 }
    const services = this.#host.services === undefined ? {} : { services: this.#host.services }
    const context = given === undefined ? new TickContext({ ...options, ...services }) : given.with({ ...options, ...services })
    context.connect({ onProgress: (path) => this.#progressed(path), emit: (type, payload) => this.#emit(type, payload) })
    return context
  }

  /** A node has made progress: during a tick, or in an operation between two ticks. */
  #progressed(path: readonly string[]): void {
    const state = this.#ticking?.state ?? this.#run?.tree
    const node = state?.layout.nodes.findLast(({ id }) => id === path.at(-1))
    if (state !== undefined && node !== undefined) state.setProgress(node.index, this.#clock.now())
    if (!this.#isTicking) this.#wake()
  }

  #emit(type: string, payload: JsonObject): void {
    if (this.#isTicking) this.#events.push([type, payload])
    else this.#host.events?.emit(type, { tree_id: this.id, ...payload }, { source: this.id })
  }

  get status(): TreeStatus {
    return this.#status
  }
  get isActive(): boolean {
    return this.#status === 'RUNNING' || this.#status === 'YIELDED'
  }
  get isTerminal(): boolean {
    return this.#status === 'COMPLETED' || this.#status === 'FAILED'
  }
  get isTicking(): boolean {
    return this.#isTicking
  }
  get root(): BehaviorNode {
    return this.#nodes.root
  }
  get nodeCount(): number {
    return this.#nodes.count
  }
  /** The nodes on the longest path; 1 if the root stands alone. */
  get maxDepth(): number {
    return this.#nodes.maxDepth
  }
  /** Finds a node by its id, or by its path if it stands in the tree of a reference. */
  getNodeById(id: string): BehaviorNode | undefined {
    return this.#nodes.find(id)
  }
  /** Returns the nodes from the root to a node; nothing for an unknown one. */
  getNodePath(id: string): readonly BehaviorNode[] {
    return this.#nodes.pathOf(id)
  }
  getRunningNodes(): readonly BehaviorNode[] {
    return this.#nodes.all().filter(({ status }) => status === 'RUNNING')
  }
  /** Calls back when the status of the tree has changed. Returns the function that ends it. */
  onStatusChange(listener: StatusListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** The token that resumes the tree; undefined unless it has yielded. */
  get resumeToken(): string | undefined {
    const token = this.#run?.root.reader().get(TOKEN_KEY)
    return this.#status === 'YIELDED' && typeof token === 'string' ? token : undefined
  }
  /** True if the next tick has something to do at once: a node asks for it, or an operation has ended. */
  get wantsTick(): boolean {
    const run = this.#run
    return run !== undefined && this.isActive && (run.hasArrivals || (this.#status === 'RUNNING' && run.isNext(run.root)))
  }
  /** The time at which the tree has to be ticked, in milliseconds since the epoch; undefined if no time is awaited. */
  get nextDue(): number | undefined {
    return this.#run?.nextDue
  }

  /**
   * Ticks the tree once. A tree that has ended begins a new execution; one that has yielded continues only with an event. Throws `R1239` inside a
   * tick of this tree.
   */
  tick(context?: TickContext): TickResult {
    this.#context = this.#newContext(context)
    if (this.#context.cancellationRequested) return this.cancel(this.#context.cancellationReason)
    if (this.#status === 'YIELDED' && this.#context.event === undefined) return this.#result(0)
    return this.#perform((run) => this.#advance(run, this.#context.event))
  }

  /** Resumes a tree that has yielded. Throws `R1238` for a token that is not that of the last yield; the tree stays as it is. */
  resume(token: string): TickResult {
    if (this.resumeToken === undefined || this.resumeToken !== token)
      throw faults.make('R1238', `${this.id} ${this.#status === 'YIELDED' ? 'has yielded with another token' : 'has not yielded'}`)
    return this.#perform((run) => sendMessage(run, RESUME_TOPIC, token))
  }

  /** Cancels the execution: operations are aborted, RUNNING nodes and the tree fail. The next tick begins a new execution. */
  cancel(reason = 'user_request'): TickResult {
    if (!this.isActive || this.#run === undefined) return this.#result(0)
    this.#context.forgetAsync()
    return this.#perform((run) => run.give(['host', { do: 'cancel', reason }]))
  }

  /** Cancels the execution and forgets everything but counts and schemas: the tree is IDLE, its blackboard has its first values. */
  reset(): void {
    this.#refuseNesting()
    if (this.isActive) this.cancel('reset')
    for (const node of this.#nodes.all()) node.onReset()
    this.#run = undefined
    this.#context.forgetAsync()
    this.#link.clear()
    this.#setStatus('IDLE')
  }

  #command(command: JsonObject): void {
    if (this.#run !== undefined) this.#perform((run) => run.give(['host', command]))
  }

  #refuseNesting(): void {
    if (this.#isTicking) throw faults.make('R1239', `${this.id} is being ticked`)
  }

  /** Does something to the run, and everything that follows at once. Events are held until it is over. */
  #perform(what: (run: MemoryRun) => void): TickResult {
    this.#refuseNesting()
    const release = this.#host.events?.hold()
    const before = this.#clock.now()
    this.#isTicking = true
    this.#events = []
    this.#visits.begin()
    const wasActive = this.isActive
    let result: TickResult
    try {
      this.#run ??= this.#begin()
      what(this.#run)
      finishTick(this.#run)
    } finally {
      this.#isTicking = false
      this.#visits.end()
      this.#announce(wasActive)
      // Before the events are delivered: their handlers may tick the tree again.
      result = this.#result(this.#clock.now() - before)
      release?.()
    }
    return result
  }

  /** Begins a run. Its first tick comes with the first step of the queue. */
  #begin(): MemoryRun {
    this.#link.forget()
    const world = {
      clock: this.#clock,
      find: (name: string) => this.#find(name),
      perform: (effect: PendingEffect, run: MemoryRun) => this.#performEffect(effect, run),
      onRecord: (record: Rec, frame: Frame) => this.#onRecord(record, frame),
    }
    return new MemoryRun(world, this.#program, { _stays: true })
  }

  #advance(run: MemoryRun, event: Json | undefined): void {
    const { isActive } = this
    if (!isActive) this.#link.beginExecution()
    this.#link.push(run, !isActive)
    advance(run, event, isActive, this.#clock.now())
  }

  #performEffect(effect: PendingEffect, run: MemoryRun): void {
    const { functions = {}, services = {}, writeGlobals } = this.#host
    performEffect(
      {
        functions,
        services,
        writeGlobals: (entries) => {
          this.#link.share(entries)
          writeGlobals?.(entries)
        },
        onStarted: (operation) => {
          const ended = operation.finally(() => this.#operations.delete(ended))
          this.#operations.add(ended)
        },
        onSettled: () => this.#wake(),
      },
      effect,
      run,
    )
  }

  #onRecord(record: Rec, frame: Frame): void {
    this.#link.pull(record)
    const note = record.more?.note
    if (frame.id !== 0 || !isObject(note) || !isList(note.events)) return
    for (const event of note.events) if (isList(event)) this.#events.push([textOf(event[0]), isObject(event[1]) ? event[1] : {}])
  }

  /** Publishes the events of a tick, and what became of the tree. */
  #announce(wasActive: boolean): void {
    const status = TREE_STATUSES[this.#run?.tree?.status ?? 0] ?? 'IDLE'
    const { events } = this.#host
    const emit = (type: string, payload: JsonObject): void => events?.emit(type, { tree_id: this.id, ...payload }, { source: this.id })
    for (const [type, payload] of this.#events) emit(type, payload)
    const has = (type: string): boolean => this.#events.some(([known]) => known === type)
    const tick_number = this.#run?.tree?.execution.ticks ?? 0
    if (this.#visits.visited > 0) emit('tree.tick.complete', { tick_number, status, nodes_ticked: this.#visits.visited })
    const ended = status === 'COMPLETED' ? 'tree.completed' : status === 'FAILED' ? 'tree.failed' : undefined
    const isNew = wasActive || this.#visits.visited > 0
    if (ended !== undefined && isNew && !has(ended)) emit(ended, this.#summary(tick_number))
    this.#setStatus(status)
  }

  #summary(total_ticks: number): JsonObject {
    const { entries, total } = this.#failures()
    if (this.#run?.tree?.status !== TREE_STATUSES.indexOf('FAILED')) return { final_status: 'SUCCESS', total_ticks }
    const reason = this.#run.root.reader().get('_failure_reason') ?? null
    return { final_status: 'FAILURE', total_ticks, failure_reason: reason, failure_trace: entries, total_errors: total }
  }

  #failures(): ReturnType<typeof failureTrace> {
    const reader = this.#run?.root.reader()
    return failureTrace((key) => reader?.get(key))
  }

  #setStatus(status: TreeStatus): void {
    const before = this.#status
    this.#status = status
    if (before === status) return
    if (!this.isActive) this.#context.forgetAsync()
    for (const listener of this.#listeners) {
      try {
        listener(this, before, status)
      } catch (thrown) {
        this.#host.events?.emit('tree.listener.failed', { tree_id: this.id, error_message: String(thrown) })
      }
    }
  }

  #result(duration: number): TickResult {
    const status = this.#status
    const run = status === 'COMPLETED' ? 'SUCCESS' : status === 'FAILED' ? 'FAILURE' : 'RUNNING'
    const token = this.resumeToken
    const stuck = this.#events.findLast(([type]) => type === 'tree.watchdog.timeout')?.[1].node_id
    return {
      status: status === 'YIELDED' ? 'YIELDED' : run,
      run_status: this.#statusOf(this.#layout.root.index),
      tree_status: status,
      tick_count: this.#run?.tree?.execution.ticks ?? 0,
      duration_ms: duration,
      nodes_ticked: this.#visits.visited,
      budget_exceeded: status === 'YIELDED',
      events_emitted: this.#events.length,
      ...(token === undefined ? {} : { resume_token: token }),
      ...(typeof stuck === 'string' ? { stuck_node: stuck } : {}),
      ...(status === 'FAILED' ? { failure_trace: this.#failures().entries } : {}),
    }
  }

  /** The context of the last tick. */
  get lastContext(): TickContext {
    return this.#context
  }

  /** Resolves when no operation of the tree is on its way, those of cancelled executions included. */
  async operationsEnded(): Promise<void> {
    await Promise.allSettled(this.#operations)
  }

  /** Calls back whenever an operation of the tree has ended or progressed. Returns the function that ends it. */
  onSettled(listener: () => void): () => void {
    this.#settledListeners.add(listener)
    return () => this.#settledListeners.delete(listener)
  }

  #wake(): void {
    for (const listener of this.#settledListeners) listener()
    for (const waiter of this.#waiters.splice(0)) waiter()
  }

  /** Resolves when an operation of the tree has ended or progressed since its last tick: it should be ticked then. */
  async settled(): Promise<void> {
    if (this.#run?.hasArrivals === true) return
    await new Promise<void>((resolve) => this.#waiters.push(resolve))
  }
}

seatAlone((node, ctx) => {
  const board = ctx.blackboard instanceof TypedBlackboard ? { blackboard: ctx.blackboard } : {}
  void new BehaviorTree({ id: node.id, root: node }, { ...board, services: ctx.services })
})
