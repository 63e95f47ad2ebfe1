import { type Host, systemHost, copyJson, type Json, type Program, Runtime } from '../../../kernel/index.ts'
import { checkArguments, FUNCTION, TEXT } from '../../../text/index.ts'
import { ENGINE_OPTIONS, INIT_OPTIONS, PUSH_OPTIONS, REGISTRY, STEP_OPTIONS, UNWIND_OPTIONS } from '../model/argument-forms.ts'
import { ScopedBlackboardReader } from '../step/blackboard.ts'
import { checkInputs } from '../model/board-schemas/inputs.ts'
import { type CompiledWorkflow, compileWorkflow, workflowSource } from '../model/compile.ts'
import { pop, push, unwind } from './control.ts'
import { runSession, interrupt, makeStep, checkResumption } from './session-steps.ts'
import { EngineError } from '../step/engine-error.ts'
import { ExecutionTree } from './execution-tree.ts'
import { type AnyEventHandler, Handlers } from './handlers.ts'
import { workflowKind } from '../step/kind.ts'
import { decisionPort, type RunnableAgent } from '../step/port.ts'
import type { WorkflowRegistry } from './registry.ts'
import { checkSnapshot, renamedCalls, stateOf } from './snapshot.ts'
import { isBlocked, Session } from './session.ts'
import type {
  BlackboardReader,
  CursorReader,
  Edge,
  EngineEvent,
  EngineOptions,
  EngineSnapshot,
  EngineStatus,
  EventHandler,
  ExecutionRecord,
  ExecutionTreeMap,
  InitOptions,
  Node,
  PushWorkflowOptions,
  RestoreOptions,
  ResumeOptions,
  RunResult,
  StackFrame,
  StepResult,
  UnwindOptions,
  Workflow,
} from '../types/index.ts'

/**
 * Runs one workflow at a time, step by step or to its end (seed workflow 3.2). It is a thin layer over one run of the kernel in
 * memory, and reads everything that it shows from that run's journal.
 * Every failure during a step suspends the session and emits `engine:error`; the session can be resumed. A call in the wrong
 * state throws `EngineError` and changes nothing. Only one changing call runs at a time: `init`, `step`, `run`, `resume`,
 * `pushWorkflow`, `popWorkflow` and `unwindToDepth` throw while another one is under way, also if an agent or a handler calls
 * them.
 */
export class ReflexEngine {
  /** The registry of the engine. */
  readonly registry: WorkflowRegistry
  readonly #options: EngineOptions
  readonly #host: Host
  readonly #runtime: Runtime
  readonly #handlers = new Handlers()
  #session: Session | undefined
  #busy = false

  constructor(registry: WorkflowRegistry, agent: RunnableAgent, options: EngineOptions = {}) {
    checkArguments('createEngine', { registry: [registry, REGISTRY], options: [options, ENGINE_OPTIONS] })
    this.registry = registry
    this.#options = options
    this.#host = options.host ?? systemHost
    const decide = decisionPort(agent, {
      onThrown: (call, value) => {
        if (this.#session?.run.id === call.run) this.#session.thrown = { effect: call.id, value }
      },
    })
    const kinds = [workflowKind({ load: (source) => source as unknown as Workflow })]
    this.#runtime = new Runtime({ kinds, ports: { decide }, host: withoutTimers(this.#host) })
    this.#runtime.programs.resolver = (name) => (name.startsWith('workflow:') ? this.#program(name.slice('workflow:'.length)) : undefined)
  }

  #program(id: string): Program | undefined {
    const workflow = this.registry.get(id)
    if (workflow === undefined) return undefined
    const { source, local } = workflowSource(workflow)
    return this.#runtime.programs.add('workflow', id, source, { def: compileWorkflow(workflow), local })
  }

  // Lifecycle

  /**
   * Begins a session at the entry node and returns its id, which is the id of the run. Seeds are written before the entry is
   * entered. If the entry is a calling node, the first step makes the call. An earlier session is discarded.
   * Rejects with `EngineError` for an unknown workflow, with `R2004` for a seed that is not JSON and with `R2045` for a seed
   * that does not fit the board; nothing has changed then. Rejects with the error of a handler after the session has begun.
   */
  async init(workflowId: string, options: InitOptions = {}): Promise<string> {
    checkArguments('init', { workflowId: [workflowId, TEXT], options: [options, INIT_OPTIONS] })
    this.#rejectReentry('init()')
    const program = this.#program(workflowId)
    if (program === undefined) {
      throw new EngineError(`Cannot initialize: workflow '${workflowId}' is not registered`, { fix: `register ${workflowId} first` })
    }
    const seeds = (options.blackboard ?? []).flatMap(({ key, value }): Json[] => [key, copyJson(value, `${workflowId}/__init__.${key}`)])
    checkInputs(
      program.def as CompiledWorkflow,
      (options.blackboard ?? []).map(({ key, value }) => [key, value] as const),
    )
    return this.#runExclusively(async () => {
      const args = seeds.length === 0 ? {} : { args: seeds }
      const run = await this.#runtime.start(program, { ...args, prepare: (opened) => this.#attach(opened) })
      await run.idle()
      this.#handlers.rethrow()
      return run.id
    })
  }

  #attach(run: Session['run']): void {
    this.#replaceSession(new Session(run, this.#handlers)).watch()
  }

  #replaceSession(session: Session): Session {
    this.#session?.close()
    this.#session = session
    session.run.block(isBlocked)
    return session
  }

  /**
   * Replaces the session by that of a snapshot: same id, position, stack, boards and execution tree (reference workflow 12).
   * Emits no event. Throws `EngineError`, and changes nothing, if the snapshot has an unknown version or shape, or names a
   * workflow, node or guard that the registry does not have.
   */
  restore(snapshot: EngineSnapshot, options: RestoreOptions = {}): void {
    checkArguments('restore', { options: [options, ENGINE_OPTIONS] })
    this.#rejectReentry('restore()')
    checkSnapshot(snapshot, this.registry, options.guards)
    const tree = renamedCalls(snapshot)
    const state = stateOf({ ...snapshot, executionTree: tree }, (id) => this.#requireProgram(id), this.#host)
    const session = this.#replaceSession(new Session(this.#runtime.adopt(snapshot.sessionId, state), this.#handlers, tree))
    session.status = snapshot.status
    session.run.revive()
  }

  #requireProgram(id: string): Program {
    const program = this.#program(id)
    if (program === undefined) throw new EngineError(`Cannot restore: registry is missing workflow(s): '${id}'`, { code: 'R2058' })
    return program
  }

  /**
   * Makes one transition (seed workflow 1.4): a call, a return, or a decision of the agent. A suspended session is resumed: the
   * agent of the suspended node gets `input`; without it, the agent is asked again.
   * Rejects with `EngineError` if there is nothing to step or no wait for the input, and with `R2004` for an input that is not
   * JSON; nothing has changed then. Rejects with the error of a handler or of the persistence after the transition.
   */
  async step(options: ResumeOptions = {}): Promise<StepResult> {
    checkArguments('step', { options: [options, STEP_OPTIONS] })
    const session = this.#activeSession('step()')
    const resume = checkResumption(session, 'step()', options, this.#host.now())
    return this.#runExclusively(async () => {
      session.status = 'running'
      const result = await makeStep(session, resume)
      await this.#save(session)
      this.#handlers.rethrow()
      return result
    })
  }

  /**
   * Steps until the session completes, suspends or fails. Resumes a suspended session as `step` does. A failure is a result, not
   * a rejection: `error` is that of `engine:error`, or the error of a handler. Rejects otherwise as `step` does.
   */
  async run(options: ResumeOptions = {}): Promise<RunResult> {
    checkArguments('run', { options: [options, STEP_OPTIONS] })
    const session = this.#activeSession('run()')
    const resume = checkResumption(session, 'run()', options, this.#host.now())
    return this.#runExclusively(async () => {
      session.status = 'running'
      const result = await runSession(session, this.#handlers, resume)
      await this.#save(session)
      this.#handlers.rethrow()
      return result
    })
  }

  /** Answers the wait of the session, then runs on. */
  resume(input: unknown): Promise<RunResult> {
    return this.run({ input })
  }

  /**
   * Stops the step that is under way: the decision is abandoned, the agent's `signal` is aborted, and a later answer of the
   * agent is ignored. The session suspends and can be resumed. Does nothing if no step is under way.
   */
  interrupt(reason = 'interrupted'): void {
    checkArguments('interrupt', { reason: [reason, TEXT] })
    if (this.#busy && this.#session?.status === 'running') interrupt(this.#session, reason)
  }

  async #save(session: Session): Promise<void> {
    if (session.status === 'running') return
    try {
      await this.#options.persistence?.save(session.run.id, this.snapshot())
    } catch (thrown) {
      this.#handlers.addThrown(thrown)
    }
  }

  async #runExclusively<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#busy = true
    try {
      return await work()
    } finally {
      this.#busy = false
    }
  }

  #runSync<Result>(work: () => Result): Result {
    this.#busy = true
    try {
      const result = work()
      this.#handlers.rethrow()
      return result
    } finally {
      this.#busy = false
    }
  }

  #rejectReentry(what: string, note = ''): void {
    if (this.#busy)
      throw new EngineError(`${what} called while a step is in progress${note}`, {
        code: 'R2014',
        fix: 'await the step before the next call, or interrupt it',
      })
  }

  #activeSession(what: string): Session {
    this.#rejectReentry(what)
    const status = this.status()
    if (this.#session !== undefined && (status === 'running' || status === 'suspended')) return this.#session
    throw new EngineError(`${what} called in invalid state: '${status}' — engine must be 'running' or 'suspended'`)
  }

  // Control by the host: an agent cannot use it

  /**
   * Calls a workflow from the current node, at once, with copies of values that this node can read (reference workflow 13). The
   * agent decides at this node when the call has returned. Throws `R2045`, and changes nothing, for a value that does not fit
   * the board of the workflow.
   */
  pushWorkflow(workflowId: string, options: PushWorkflowOptions = {}): StepResult {
    checkArguments('pushWorkflow', { workflowId: [workflowId, TEXT], options: [options, PUSH_OPTIONS] })
    const session = this.#startedSession('pushWorkflow()')
    const program = this.#program(workflowId)
    if (program === undefined) throw new EngineError(`pushWorkflow() failed: workflow '${workflowId}' is not registered`)
    return this.#runSync(() => push(session, program, options))
  }

  /** Returns from the current workflow, at any node, as if it had completed (reference workflow 13). */
  popWorkflow(): StepResult {
    const session = this.#startedSession('popWorkflow()')
    return this.#runSync(() => pop(session))
  }

  #startedSession(what: string): Session {
    if (this.#session === undefined) throw new EngineError(`${what} called before init()`)
    return this.#activeSession(what)
  }

  /**
   * Discards the callees above a depth and suspends at the calling node (reference workflow 14). Return maps are not applied.
   * With `reinvoke` the next step repeats the call.
   */
  unwindToDepth(depth: number, options: UnwindOptions = {}): void {
    checkArguments('unwindToDepth', { options: [options, UNWIND_OPTIONS] })
    this.#rejectReentry('unwindToDepth()', '; it requires engine to be suspended')
    const session = this.#session
    if (session === undefined) throw new EngineError('unwindToDepth() called before init()')
    if (session.status !== 'suspended')
      throw new EngineError(`unwindToDepth() requires engine to be suspended, but status is '${session.status}'`)
    this.#runSync(() => unwind(session, depth, options))
  }

  // Events

  /**
   * Calls a handler at each event, synchronously and in the order of registration. The returned function removes the handler. If
   * a handler throws, the transition is still completed and the other handlers are still called.
   */
  on<Event extends EngineEvent>(event: Event, handler: EventHandler<Event>): () => void {
    checkArguments('on', { event: [event, TEXT], handler: [handler, FUNCTION] })
    this.#session?.watch()
    return this.#handlers.on(event, handler)
  }

  /** Calls a handler at every event, with the name of the event. The returned function removes the handler. */
  onAny(handler: AnyEventHandler): () => void {
    checkArguments('onAny', { handler: [handler, FUNCTION] })
    this.#session?.watch()
    return this.#handlers.onAny(handler)
  }

  // Reading. Inside a handler: the state at the moment of the event.

  /** Returns the id of the session: 128 random bits as 32 hexadecimal digits, or the id in its snapshot. Throws before `init`. */
  sessionId(): string {
    if (this.#session === undefined) throw new EngineError('Engine not initialized — call init() first')
    return this.#session.run.id
  }

  /** Returns `idle` before `init`. Never returns `error`: a failure suspends. */
  status(): EngineStatus {
    return this.#session?.status ?? 'idle'
  }

  /** Returns the node at which the session stands, also after completion. */
  currentNode(): Node | null {
    return this.#session?.node ?? null
  }

  /** Returns the workflow that the session is in, also after completion. */
  currentWorkflow(): Workflow | null {
    return this.#session?.workflow ?? null
  }

  /** Returns a reader of the active scope and of its callers: live for the active scope, as of now for the callers. */
  blackboard(): BlackboardReader {
    return this.#session?.board ?? new ScopedBlackboardReader([])
  }

  /** Returns the board of the active scope, to be read from a cursor on. A cursor belongs to one scope. */
  currentBlackboard(): CursorReader | null {
    return this.#session?.cursor ?? null
  }

  /** Returns the callers, nearest first. */
  stack(): readonly StackFrame[] {
    return this.#session?.stack ?? []
  }

  /** Returns the open edges; none if a guard fails, and none after completion. */
  validEdges(): Edge[] {
    return this.#session?.validEdges ?? []
  }

  /** Returns the calls that have not returned (reference workflow 15). */
  activeExecutions(): ExecutionRecord[] {
    return this.#session?.tree.activeExecutions() ?? []
  }

  /** Returns the calls of a node that have returned and are still valid. */
  completedExecutionsAt(workflowId: string, nodeId: string): ExecutionRecord[] {
    return this.#session?.tree.completedExecutionsAt(workflowId, nodeId) ?? []
  }

  /** Returns the calls that are no longer valid: repeated or discarded. */
  invalidatedExecutions(): ExecutionRecord[] {
    return this.#session?.tree.invalidatedExecutions() ?? []
  }

  /** Returns all calls of the session by id, in the order in which they were made, and the same calls as a list in `records`. */
  executionTree(): ExecutionTreeMap {
    return (this.#session?.tree ?? new ExecutionTree()).executionTree()
  }

  /** Returns the session as JSON, for `restoreEngine` (seed workflow 6.1). Throws before `init`. */
  snapshot(): EngineSnapshot {
    if (this.#session === undefined) throw new EngineError('snapshot() called before init() — no session state to capture')
    return this.#session.snapshot(this.registry.list(), this.#host)
  }
}

/**
 * Returns a host without timers. An engine checks deadlines when it steps, so nothing changes a session in the background, and
 * no timer keeps a process alive.
 */
function withoutTimers(host: Host): Host {
  return {
    now: () => host.now(),
    monotonic: () => host.monotonic(),
    entropy: () => host.entropy(),
    turn: (callback) => host.turn(callback),
    at: () => () => undefined,
  }
}
