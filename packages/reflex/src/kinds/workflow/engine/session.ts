import {
  type PendingEffect,
  type Frame,
  topOf,
  type Wait,
  type Host,
  type QueuedInput,
  type Ref,
  type Run,
  type Change,
} from '../../../kernel/index.ts'
import { entriesAfter, type ReadableScope, ScopedBlackboardReader } from '../step/blackboard.ts'
import { CallLog } from './call-log.ts'
import { type CompiledNode, type CompiledWorkflow, nodeAt } from '../model/compile.ts'
import { type Emission, type EngineView, eventsOf } from './events.ts'
import type { ExecutionTree } from './execution-tree.ts'
import { filterEdges } from '../guards/guards.ts'
import type { Handlers } from './handlers.ts'
import { callerScopes, frameScope, workflowName } from '../step/scopes.ts'
import { snapshotOf } from './snapshot.ts'
import { stackOf } from '../step/stack.ts'
import type {
  BlackboardReader,
  CursorReader,
  Edge,
  EngineSnapshot,
  EngineStatus,
  ExecutionTreeState,
  Node,
  StackFrame,
  StepResult,
  Workflow,
} from '../types/index.ts'
import { suspendedResult } from './suspended-result.ts'

/**
 * One session of an engine: a run of the kernel, and the view of it. During an event it shows the state at the moment of the
 * event; otherwise it shows the present.
 */
export class Session {
  readonly run: Run
  status: EngineStatus = 'running'
  /** The result of the transition under way. */
  outcome: StepResult | undefined
  /** The value that an agent or a guard threw last, and its effect. */
  thrown: { readonly effect: Ref; readonly value: unknown } | undefined
  /** The reason to stop the step under way, if there is one. */
  interrupted: string | undefined
  readonly #handlers: Handlers
  readonly #calls: CallLog
  #deliveredView: EngineView | undefined
  #unobserve: (() => void) | undefined

  constructor(run: Run, handlers: Handlers, tree?: ExecutionTreeState) {
    this.run = run
    this.#handlers = handlers
    this.#calls = new CallLog(run.id, run.state, run.records, tree)
  }

  /** Closes the session. A later answer of its agent is ignored. */
  close(): void {
    this.unwatch()
    this.run.close()
  }

  readonly names = (frame: Frame): string => workflowName(this.run.definition(frame.pin))

  compiled(frame: Frame): CompiledWorkflow {
    return this.run.definition(frame.pin) as CompiledWorkflow
  }

  /** The frame that is active now, also during an event. */
  get top(): Frame {
    return topOf(this.run.state.root)
  }

  /** The wait of the active frame. */
  get wait(): Wait | undefined {
    return this.top.waits?.[0]
  }

  get tree(): ExecutionTree {
    this.#calls.catchUp()
    return this.#calls.tree
  }

  // Reading

  get #view(): EngineView {
    return this.#deliveredView ?? this.viewOf(this.top)
  }

  /** Returns the view of a frame as of now. */
  viewOf(frame: Frame): EngineView {
    return { frame, position: frame.position, bound: Number.POSITIVE_INFINITY, callers: this.run.state.n }
  }

  get #compiledNode(): CompiledNode | undefined {
    const { frame, position } = this.#view
    return this.compiled(frame).nodes.get(nodeAt(position) ?? '')
  }

  get node(): Node | null {
    return this.#compiledNode?.node ?? null
  }

  get workflow(): Workflow {
    return this.compiled(this.#view.frame).workflow
  }

  get board(): BlackboardReader {
    const { frame, callers } = this.#view
    const bound = (): number => this.#boundOf(frame)
    // The view is live for its own scope: during an event, entries of the record may still be missing.
    const scope: ReadableScope = {
      ...frameScope(frame, this.names),
      get bound() {
        return bound()
      },
    }
    return new ScopedBlackboardReader([scope, ...callerScopes(frame, this.names, callers)])
  }

  get cursor(): CursorReader {
    const { frame } = this.#view
    const scope = (): ReadableScope => frameScope(frame, this.names, this.#boundOf(frame))
    return { cursor: () => frame.scope.sizeAt(this.#boundOf(frame)), entriesFrom: (cursor) => entriesAfter(scope(), cursor) }
  }

  #boundOf(frame: Frame): number {
    return this.#deliveredView?.frame === frame ? this.#deliveredView.bound : Number.POSITIVE_INFINITY
  }

  get stack(): readonly StackFrame[] {
    const { frame, callers } = this.#view
    return stackOf(frame, this.names, this.run.id, callers)
  }

  get validEdges(): Edge[] {
    const sorted = filterEdges(this.#compiledNode?.edges ?? [], this.board)
    return sorted.ok ? sorted.open : []
  }

  snapshot(workflowIds: string[], host: Host): EngineSnapshot {
    const { tree, names, status, run, wait } = this
    const createdAt = new Date(host.now()).toISOString()
    return snapshotOf(this.#view, { names, status, wait, workflowIds, createdAt, sessionId: run.id, executionTree: tree.executionTree() })
  }

  // Events

  /** Observes every record and emits its events, until `unwatch`. */
  watch(): void {
    this.#unobserve ??= this.run.observe((change) => this.#observe(change))
  }

  unwatch(): void {
    this.#unobserve?.()
    this.#unobserve = undefined
  }

  #observe(change: Change): void {
    this.outcome = this.#outcomeOf(change) ?? this.outcome
    if (!this.#handlers.hasHandlers) return
    for (const emission of eventsOf(change, {
      names: this.names,
      session: this.run.id,
      calls: this.#calls,
      thrownBy: (effect) => (this.thrown?.effect === effect ? this.thrown.value : undefined),
      compiled: (frame) => this.compiled(frame),
    })) {
      this.emit(emission)
    }
    // If a handler threw, the run stops after the transition, which is completed and emitted to all handlers (D6).
    if (this.#handlers.hasThrown) this.run.block(isBlocked)
  }

  /** Delivers an event. Meanwhile the session shows the state at the moment of the event. */
  emit({ event, payload, view }: Emission): void {
    this.#deliveredView = view
    if (event === 'engine:complete') this.status = 'completed'
    if (event === 'engine:suspend' || event === 'engine:error') this.status = 'suspended'
    this.#handlers.deliver(event, payload)
    this.#deliveredView = undefined
  }

  #outcomeOf({ record, frame, state }: Change): StepResult | undefined {
    const { input, more } = record
    if (state.ended !== undefined) return { status: 'completed' }
    if (more?.wait !== undefined) return suspendedResult(more.wait[0]?.[3])
    if (more?.call !== undefined) {
      const { workflow, nodes } = this.compiled(state.frame(`${state.n}f`))
      const entry = nodes.get(workflow.entry)?.node
      return entry === undefined ? undefined : { status: 'invoked', workflow, node: entry }
    }
    const { workflow, nodes } = this.compiled(frame)
    const node = nodes.get(nodeAt(frame.position) ?? '')?.node
    if (node === undefined) return undefined
    if (input?.[0] === 'ret') return { status: 'popped', workflow, node }
    return input?.[0] === 'ok' && record.position !== undefined ? { status: 'advanced', node } : undefined
  }
}

/** True if a step must not begin this by itself: effects wait to be released, and so does the call of a node that was entered before. */
export function isBlocked(next: QueuedInput | PendingEffect): boolean {
  if ('port' in next) return true
  const { position, callee, cancelReason } = next.frame
  return next.input === undefined && typeof position === 'string' && callee === undefined && cancelReason === undefined
}
