import { type Frame, topOf, type Wait } from '../kernel/frame.ts'
import { type Host, systemHost } from '../kernel/host.ts'
import { copyJson, type Json } from '../kernel/json.ts'
import type { Call } from '../kernel/port.ts'
import type { Program } from '../kernel/program.ts'
import type { Queued } from '../kernel/queue.ts'
import type { Ref } from '../kernel/record.ts'
import type { Run } from '../kernel/run.ts'
import { Runtime } from '../kernel/runtime.ts'
import type { Change } from '../kernel/story.ts'
import { ScopedBlackboardReader } from './blackboard.ts'
import { CallLog } from './calls.ts'
import { type CompiledWorkflow, compileWorkflow, nodeAt, objectOf, workflowSource } from './compile.ts'
import { EngineError } from './engine-error.ts'
import { type Emission, type EngineView, errorOf, eventsOf } from './events.ts'
import { filterEdges } from './guards.ts'
import { ENGINE_ERROR, workflowKind, type WorkflowCommand } from './kind.ts'
import { decisionPort, type RunnableAgent } from './port.ts'
import type { WorkflowRegistry } from './registry.ts'
import { frameScopes, type WorkflowNames } from './scopes.ts'
import { cursorReader, frameAtDepth, snapshotOf, stateOf } from './session.ts'
import { localEntries, stackFrame, stackOf } from './stack.ts'
import type {
  BlackboardReader,
  CursorReader,
  Edge,
  EngineEvent,
  EngineEvents,
  EngineOptions,
  EngineSnapshot,
  EngineStatus,
  EventHandler,
  ExecutionRecord,
  ExecutionTreeState,
  InitOptions,
  Node,
  PushWorkflowOptions,
  ResumeOptions,
  RunResult,
  StackFrame,
  StepResult,
  UnwindOptions,
  Workflow,
} from './types.ts'

/** A handler of every event, with its name. */
export type AnyEventHandler = <Event extends EngineEvent>(event: Event, payload: EngineEvents[Event]) => void

interface Session {
  readonly run: Run
  readonly calls: CallLog
}

/**
 * Runs one workflow at a time, step by step or to its end (seed workflow 3.2): a thin face over one run of the
 * kernel, in memory, whose journal it reads for everything that it shows.
 */
export class ReflexEngine {
  /** The registry that it was made with. */
  readonly registry: WorkflowRegistry
  readonly #options: EngineOptions
  readonly #host: Host
  readonly #runtime: Runtime
  readonly #handlers = new Map<EngineEvent, EventHandler[]>()
  readonly #anyHandlers: AnyEventHandler[] = []
  readonly #thrown = new Map<Ref, unknown>()
  readonly #names: WorkflowNames = (frame) => this.#compiled(frame).workflow.id
  #session: Session | undefined
  #status: EngineStatus = 'idle'
  #busy = false
  #view: EngineView | undefined
  #outcome: StepResult | undefined
  #handlerErrors: unknown[] = []
  #unobserve: (() => void) | undefined

  constructor(registry: WorkflowRegistry, agent: RunnableAgent, options: EngineOptions = {}) {
    this.registry = registry
    this.#options = options
    this.#host = options.host ?? systemHost
    const port = decisionPort(agent, { thrown: (call: Call, value) => void this.#thrown.set(call.id, value) })
    this.#runtime = new Runtime({ kinds: [workflowKind({ load: (source) => source as unknown as Workflow })], ports: { decide: port }, host: this.#host })
    this.#runtime.programs.resolver = (name) => this.#program(name)
  }

  #program(name: string): Program | undefined {
    const workflow = name.startsWith('workflow:') ? this.registry.get(name.slice('workflow:'.length)) : undefined
    if (workflow === undefined) return undefined
    const { source, local } = workflowSource(workflow)
    return this.#runtime.programs.add('workflow', workflow.id, source, { def: compileWorkflow(workflow), local })
  }

  #compiled(frame: Frame): CompiledWorkflow {
    return this.#need().run.definition(frame.pin) as CompiledWorkflow
  }

  // Lifecycle

  /**
   * Begins a session at the entry node and gives its id, which is the run's. Seeds are written before the entry is
   * entered. Rejects with `EngineError` for an unknown workflow, changing nothing.
   */
  async init(workflowId: string, options: InitOptions = {}): Promise<string> {
    this.#refuseReentry('init()')
    const program = this.#program(`workflow:${workflowId}`)
    if (program === undefined) throw new EngineError(`Cannot initialize: workflow '${workflowId}' is not registered`, { fix: `register ${workflowId} first` })
    const seeds = (options.blackboard ?? []).flatMap(({ key, value }): Json[] => [key, copyJson(value, `${workflowId}/__init__.${key}`)])
    this.#busy = true
    try {
      const run = await this.#runtime.start(program, { ...(seeds.length === 0 ? {} : { args: seeds }), prepare: (made) => this.#adopt(made) })
      await run.idle()
    } finally {
      this.#busy = false
    }
    this.#rethrow()
    return this.sessionId()
  }

  #adopt(run: Run): void {
    this.#session?.run.close()
    this.#unobserve?.()
    this.#session = { run, calls: new CallLog(run.state, run.records) }
    this.#status = 'running'
    this.#thrown.clear()
    run.hold(heldBack)
    this.#watch()
  }

  /** Puts a restored session in place; `restoreEngine` alone calls it. */
  restore(snapshot: EngineSnapshot): void {
    const program = (id: string) => this.#program(`workflow:${id}`)
    const run = this.#runtime.adopt(snapshot.sessionId, stateOf(snapshot, program, this.#host))
    this.#session = { run, calls: new CallLog(run.state, run.records, snapshot.executionTree) }
    this.#status = snapshot.status
    run.hold(heldBack)
    run.revive()
  }

  /**
   * Makes one transition (seed workflow 1.4): a call, a return, or what the agent decides. A suspended session is
   * resumed, with `input` for the agent of the suspended node. Rejects with `EngineError` when there is nothing to
   * step, and with what an event handler threw, after the transition.
   */
  async step(options: ResumeOptions = {}): Promise<StepResult> {
    const { run } = this.#begin('step()', options)
    try {
      run.hold(heldBack)
      this.#watch()
      this.#outcome = undefined
      await this.#resume(run, options)
      if (this.#outcome === undefined) run.release()
      await run.idle()
      await this.#settle(run)
    } finally {
      this.#busy = false
    }
    this.#rethrow()
    return this.#outcome ?? this.#stopped(run)
  }

  /**
   * Steps until the session completes, suspends or fails. `error` holds what `engine:error` tells. Works on a
   * suspended session, as `step` does.
   */
  async run(options: ResumeOptions = {}): Promise<RunResult> {
    const { run } = this.#begin('run()', options)
    try {
      run.hold(undefined)
      if (this.#listening()) this.#watch()
      else this.#unwatch()
      await this.#resume(run, options)
      run.release()
      await run.idle()
      await this.#settle(run)
    } finally {
      this.#busy = false
    }
    return this.#result(run)
  }

  /** Resumes a suspended session with an answer and runs on. */
  resume(input: unknown): Promise<RunResult> {
    return this.run({ input })
  }

  #begin(what: string, options: ResumeOptions): Session {
    this.#refuseReentry(what)
    if (this.#session === undefined || (this.#status !== 'running' && this.#status !== 'suspended')) {
      throw new EngineError(`${what} called in invalid state: '${this.#status}' — engine must be 'running' or 'suspended'`)
    }
    if (options.input !== undefined && this.#openWait() === undefined) throw new EngineError(`${what} was given input, and nothing waits for it`)
    this.#busy = true
    this.#status = 'running'
    return this.#session
  }

  async #resume(run: Run, { input }: ResumeOptions): Promise<void> {
    const wait = this.#openWait()
    if (wait !== undefined) await run.answer(wait.id, input ?? null)
  }

  #openWait(): Wait | undefined {
    return this.#session === undefined ? undefined : topOf(this.#session.run.state.root).waits?.[0]
  }

  async #settle(run: Run): Promise<void> {
    this.#status = run.state.ended !== undefined ? 'completed' : this.#openWait() !== undefined ? 'suspended' : 'running'
    if (this.#status !== 'running') await this.#options.persistence?.save(run.id, this.snapshot())
  }

  #stopped(run: Run): StepResult {
    if (run.state.ended !== undefined) return { status: 'completed' }
    return { status: 'suspended', reason: reasonOf(this.#openWait()) }
  }

  #result(run: Run): RunResult {
    const wait = this.#openWait()
    const thrown = this.#handlerErrors.splice(0)
    const nodeId = this.currentNode()?.id ?? ''
    if (thrown.length > 0) return { status: 'error', error: { error: oneOf(thrown), nodeId } }
    if (wait?.name === ENGINE_ERROR) return { status: 'error', error: { error: this.#lastThrown(wait), nodeId } }
    const { ended } = run.state
    if (ended !== undefined) return ended.status === 'done' ? { status: 'completed' } : { status: 'error', error: { error: errorOf(ended.value), nodeId } }
    return { status: 'suspended', reason: reasonOf(wait) }
  }

  #lastThrown(wait: Wait): unknown {
    const record = this.#session?.run.records.at(-1)
    const thrown = record?.input?.[0] === 'err' ? this.#thrown.get(record.input[1]) : undefined
    return thrown ?? errorOf(objectOf(wait.about).fault)
  }

  #refuseReentry(what: string): void {
    if (this.#busy) throw new EngineError(`${what} called while a step is in progress`, { code: 'R2014', fix: 'await the step before the next call' })
  }

  #need(): Session {
    if (this.#session === undefined) throw new EngineError('Engine not initialized — call init() first')
    return this.#session
  }

  // Looking

  /** Which is the id of the run. Throws before `init`. */
  sessionId(): string {
    return this.#need().run.id
  }

  status(): EngineStatus {
    return this.#status
  }

  /** The node that the session stands at, also after completion. */
  currentNode(): Node | null {
    const view = this.#look()
    return view === undefined ? null : (this.#compiled(view.frame).nodes.get(view.node ?? '')?.node ?? null)
  }

  currentWorkflow(): Workflow | null {
    const view = this.#look()
    return view === undefined ? null : this.#compiled(view.frame).workflow
  }

  /** Reads of the active scope and outward; live for the active scope. */
  blackboard(): BlackboardReader {
    const view = this.#look()
    return new ScopedBlackboardReader(view === undefined ? [] : frameScopes(view.frame, this.#names, view.bound, view.callers))
  }

  /** The active scope's own board, to be read from where one left off. A cursor belongs to one scope. */
  currentBlackboard(): CursorReader | null {
    const view = this.#look()
    return view === undefined ? null : cursorReader(() => localEntries(view.frame, this.#names))
  }

  /** The callers, the nearest first. */
  stack(): readonly StackFrame[] {
    const view = this.#look()
    return view === undefined ? [] : stackOf(view.frame, this.#names, view.callers)
  }

  /** The edges that are open now; none when a guard fails, and none after completion. */
  validEdges(): Edge[] {
    const view = this.#look()
    if (view === undefined || this.#status === 'completed') return []
    const sorted = filterEdges(this.#compiled(view.frame).nodes.get(view.node ?? '')?.edges ?? [], this.blackboard())
    return sorted.ok ? sorted.open : []
  }

  #look(): EngineView | undefined {
    if (this.#view !== undefined || this.#session === undefined) return this.#view
    const frame = topOf(this.#session.run.state.root)
    return viewOf(frame)
  }

  /** Calls that have not returned (reference workflow 15). */
  activeExecutions(): ExecutionRecord[] {
    return this.#tree()?.activeExecutions() ?? []
  }

  completedExecutionsAt(workflowId: string, nodeId: string): ExecutionRecord[] {
    return this.#tree()?.completedExecutionsAt(workflowId, nodeId) ?? []
  }

  invalidatedExecutions(): ExecutionRecord[] {
    return this.#tree()?.invalidatedExecutions() ?? []
  }

  executionTree(): ExecutionTreeState {
    return this.#tree()?.executionTree() ?? { records: [] }
  }

  #tree(): CallLog['tree'] | undefined {
    this.#session?.calls.catchUp()
    return this.#session?.calls.tree
  }

  /** The session as JSON, apart from the engine: for `restoreEngine` (seed workflow 6.1, reference workflow 12). */
  snapshot(): EngineSnapshot {
    if (this.#session === undefined) throw new EngineError('snapshot() called before init() — no session state to capture')
    const { run } = this.#session
    return snapshotOf(run, { names: this.#names, status: this.#status, workflowIds: this.registry.list(), tree: this.executionTree(), host: this.#host })
  }

  // Control by the host

  /** Calls a workflow from the current node, at once (reference workflow 13). For the host alone: an agent cannot. */
  pushWorkflow(workflowId: string, options: PushWorkflowOptions = {}): StepResult {
    const frame = this.#controlled('pushWorkflow()')
    if (this.#program(`workflow:${workflowId}`) === undefined) throw new EngineError(`pushWorkflow() failed: workflow '${workflowId}' is not registered`)
    const board = this.blackboard()
    const seeds = (options.inputMap ?? []).flatMap(({ from, to }): Json[] => (board.has(from) ? [to, board.get(from) as Json] : []))
    const map = (options.returnMap ?? []).map(({ parentKey, childKey }) => [parentKey, childKey] as const)
    return this.#command(frame, { push: workflowId, seeds, map })
  }

  /** Returns from the current workflow, at whatever node it stands (reference workflow 13). */
  popWorkflow(): StepResult {
    const frame = this.#controlled('popWorkflow()')
    if (frame.link === undefined) throw new EngineError('popWorkflow() called with empty stack — nothing to pop')
    return this.#command(frame, { pop: 1 })
  }

  #controlled(what: string): Frame {
    this.#refuseReentry(what)
    if (this.#session === undefined) throw new EngineError(`${what} called before init()`)
    if (this.#status !== 'running' && this.#status !== 'suspended') {
      throw new EngineError(`${what} called in invalid state: '${this.#status}' — engine must be 'running' or 'suspended'`)
    }
    return topOf(this.#session.run.state.root)
  }

  #command(frame: Frame, order: WorkflowCommand): StepResult {
    const { run } = this.#need()
    run.hold(heldBack)
    this.#watch()
    this.#outcome = undefined
    run.command(frame.id, order as unknown as Json).catch((thrown: unknown) => this.#handlerErrors.push(thrown))
    this.#rethrow()
    return this.#outcome ?? this.#stopped(run)
  }

  /**
   * Gives up the callees above a depth and stands again at the node that called, suspended (reference workflow 14).
   * Nothing is returned. With `reinvoke` the next step makes the call again.
   */
  unwindToDepth(depth: number, options: UnwindOptions = {}): void {
    this.#refuseReentry('unwindToDepth()')
    if (this.#session === undefined) throw new EngineError('unwindToDepth() called before init()')
    if (this.#status !== 'suspended') throw new EngineError(`unwindToDepth() requires engine to be suspended, but status is '${this.#status}'`)
    const { run, calls } = this.#session
    const top = topOf(run.state.root)
    if (!Number.isInteger(depth) || depth < 0 || depth > top.depth) throw new EngineError(`unwindToDepth(${depth}) out of range — valid range is 0..${top.depth}`)
    if (depth === top.depth) return
    const target = frameAtDepth(top, depth)
    const discarded = this.#discarded(top, depth)
    calls.catchUp()
    const invalidatedIds = calls.tree.invalidate(discardedIds(top, depth))
    if (invalidatedIds.length > 0) this.#deliver({ event: 'execution:invalidate', payload: { invalidatedIds }, view: viewOf(top) })
    const reinvoke = options.reinvoke ?? false
    this.#command(target, { unwind: reinvoke ? 'reinvoke' : 'decide' })
    this.#status = 'suspended'
    const { workflow, nodes } = this.#compiled(target)
    const id = nodeAt(target.position)
    const restoredNode = nodes.get(id ?? '')?.node
    if (restoredNode === undefined) return
    this.#deliver({ event: 'stack:unwind', payload: { discardedFrames: discarded, targetDepth: depth, restoredWorkflow: workflow, restoredNode, reinvoke }, view: viewOf(target) })
    this.#rethrow()
  }

  #discarded(top: Frame, depth: number): StackFrame[] {
    const frames: StackFrame[] = [Object.freeze({ workflowId: this.#names(top), currentNodeId: nodeAt(top.position) ?? '', returnMap: [], blackboard: localEntries(top, this.#names), ...(top.link === undefined ? {} : { invocationId: String(top.id) }) })]
    for (let at = top; at.link !== undefined && at.link.caller.depth > depth; at = at.link.caller) frames.push(stackFrame(at, this.#names))
    return frames
  }

  // Events

  /** Calls a handler at each event, at once and in the order of registration. The returned function ends it. */
  on<Event extends EngineEvent>(event: Event, handler: EventHandler<Event>): () => void {
    const handlers = this.#handlers.get(event) ?? []
    this.#handlers.set(event, handlers)
    const own: EventHandler = (payload) => handler(payload as EngineEvents[Event])
    handlers.push(own)
    return () => void removeFrom(handlers, own)
  }

  /** Calls a handler at every event, with its name. The returned function ends it. */
  onAny(handler: AnyEventHandler): () => void {
    const own: AnyEventHandler = (event, payload) => handler(event, payload)
    this.#anyHandlers.push(own)
    return () => void removeFrom(this.#anyHandlers, own)
  }

  #listening(): boolean {
    return this.#anyHandlers.length > 0 || [...this.#handlers.values()].some((handlers) => handlers.length > 0)
  }

  #watch(): void {
    this.#unobserve ??= this.#session?.run.observe((change) => this.#observe(change))
  }

  #unwatch(): void {
    this.#unobserve?.()
    this.#unobserve = undefined
  }

  #observe(change: Change): void {
    this.#note(change)
    if (!this.#listening() || change.record.more?.start !== undefined) return
    const emissions = eventsOf(change, {
      names: this.#names,
      calls: this.#need().calls,
      thrown: (effect) => this.#thrown.get(effect),
      compiled: (frame) => this.#compiled(frame),
    })
    for (const emission of emissions) this.#deliver(emission)
    // A handler that threw ends a run after the transition, which is whole and told to everybody (D6).
    if (this.#handlerErrors.length > 0) this.#need().run.hold(() => true)
  }

  /** What a step did, for its result. */
  #note({ record, frame, state }: Change): void {
    const compiled = this.#compiled(frame)
    if (state.ended !== undefined) this.#outcome = { status: 'completed' }
    else if (record.more?.call !== undefined) {
      const { workflow, nodes } = this.#compiled(state.frame(`${state.n}f`))
      const entry = nodes.get(workflow.entry)
      if (entry !== undefined) this.#outcome = { status: 'invoked', workflow, node: entry.node }
    } else if (record.more?.wait !== undefined) this.#outcome = { status: 'suspended', reason: reasonOf(this.#openWait()) }
    else if (record.input?.[0] === 'ret' || (record.input?.[0] === 'ok' && record.position !== undefined)) {
      const node = compiled.nodes.get(nodeAt(frame.position) ?? '')?.node
      if (node !== undefined) this.#outcome = record.input[0] === 'ret' ? { status: 'popped', workflow: compiled.workflow, node } : { status: 'advanced', node }
    }
  }

  #deliver({ event, payload, view }: Emission): void {
    this.#view = view
    if (event === 'engine:complete') this.#status = 'completed'
    if (event === 'engine:suspend' || event === 'engine:error') this.#status = 'suspended'
    for (const handler of this.#handlers.get(event) ?? []) this.#call(() => handler(payload))
    for (const handler of this.#anyHandlers) this.#call(() => handler(event, payload))
    this.#view = undefined
  }

  #call(handler: () => void): void {
    try {
      handler()
    } catch (thrown) {
      this.#handlerErrors.push(thrown)
    }
  }

  #rethrow(): void {
    const thrown = this.#handlerErrors.splice(0)
    if (thrown.length > 0) throw oneOf(thrown)
  }
}

/** An engine over a registry and an agent (seed workflow 3.2). */
export function createEngine(registry: WorkflowRegistry, agent: RunnableAgent, options: EngineOptions = {}): ReflexEngine {
  return new ReflexEngine(registry, agent, options)
}

/** Step by step: effects wait to be released, and so does the call of a node that was entered before. */
function heldBack(next: Queued | { readonly port: string }): boolean {
  if ('port' in next) return true
  return next.input === undefined && typeof next.frame.position === 'string' && next.frame.callee === undefined
}

function viewOf(frame: Frame): EngineView {
  return { frame, node: nodeAt(frame.position), bound: Number.POSITIVE_INFINITY, callers: Number.POSITIVE_INFINITY }
}

function reasonOf(wait: Wait | undefined): string {
  const { reason } = objectOf(wait?.about)
  return typeof reason === 'string' ? reason : ''
}

function oneOf(thrown: readonly unknown[]): unknown {
  return thrown.length === 1 ? thrown[0] : new AggregateError(thrown, 'several event handlers threw')
}

function discardedIds(top: Frame, depth: number): string[] {
  const ids: string[] = []
  for (let at: Frame | undefined = top; at !== undefined && at.depth > depth; at = at.link?.caller) ids.push(String(at.id))
  return ids
}

function removeFrom<Item>(items: Item[], item: Item): void {
  const at = items.indexOf(item)
  if (at >= 0) items.splice(at, 1)
}
