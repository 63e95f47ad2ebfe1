import { Fault, type FaultData, type Frame, isList, type Json, type Ref, type Change } from '../../../kernel/index.ts'
import { scopeEntries } from '../step/blackboard.ts'
import type { CallLog } from './call-log.ts'
import { type CompiledWorkflow, nodeAt, objectOf, textOf } from '../model/compile.ts'
import { EngineError } from '../step/engine-error.ts'
import { hasFailed, isFailure } from '../step/run-faults.ts'
import { frameScope, type WorkflowNames } from '../step/scopes.ts'
import { stackFrame } from '../step/stack.ts'
import type { BlackboardEntry, EngineEvent, EngineEvents, Node } from '../types/index.ts'
import { suspendedResult } from './suspended-result.ts'

/** The state that an engine shows: the present, or, during an event, the state at the moment of the event. */
export interface EngineView {
  readonly frame: Frame
  readonly position: Json | undefined
  /** The last visible record of its own scope (`bound`) and of the scopes of its callers (`callers`). */
  readonly bound: number
  readonly callers: number
}

/** One event, and the state that the engine shows during the event. */
export interface Emission {
  readonly event: EngineEvent
  readonly payload: EngineEvents[EngineEvent]
  readonly view: EngineView
}

/** The facts that the projection needs besides the record. */
export interface EventSources {
  readonly names: WorkflowNames
  readonly session: string
  readonly calls: CallLog
  /** Returns the value that an agent or a guard threw, if this process caught it. */
  thrownBy(effect: Ref): unknown
  compiled(frame: Frame): CompiledWorkflow
}

/** Returns the events of one record, in the order of seed workflow 3.2 and reference workflow 16. */
export function eventsOf(change: Change, sources: EventSources): Emission[] {
  const { record, before } = change
  const emit = new Emitter(change, sources)
  if (record.more?.start !== undefined) emit.addInit(record.more.start.run)
  emit.addInvalidations()
  switch (record.input?.[0]) {
    case undefined:
      if (before === undefined && record.position !== undefined) emit.addBegin(record.position)
      break
    case 'ok':
      if (!hasFailed(record)) emit.addDecision(record.input[2])
      break
    case 'ret':
      if (record.input[2] === 'done') emit.addPop(record.input[1])
      break
    default:
      break
  }
  if (record.more?.call !== undefined) emit.addPush()
  for (const [, name, , about] of record.more?.wait ?? []) emit.addWait(name, about)
  return emit.emissions
}

class Emitter {
  readonly emissions: Emission[] = []
  readonly #change: Change
  readonly #sources: EventSources
  readonly #compiled: CompiledWorkflow
  readonly #calls: ReturnType<CallLog['catchUp']>

  constructor(change: Change, sources: EventSources) {
    this.#change = change
    this.#sources = sources
    this.#compiled = sources.compiled(change.frame)
    // Events of records that had no listener are not emitted later.
    sources.calls.catchUp(change.n - 1)
    this.#calls = sources.calls.catchUp(change.n)
  }

  #add<Event extends EngineEvent>(
    event: Event,
    payload: EngineEvents[Event],
    position: Json | undefined,
    frame = this.#change.frame,
    bound = this.#change.n,
  ): void {
    // The values that a return wrote for the callers are emitted with the pop, in the next record.
    const callers = frame.gone ? this.#change.n - 1 : bound
    Object.freeze(payload)
    this.emissions.push({ event, payload, view: { frame, position, bound, callers } })
  }

  #node(id: string | undefined): Node {
    const node = this.#compiled.nodes.get(id ?? '')?.node
    if (node === undefined) throw new TypeError(`no node ${id}`)
    return node
  }

  /** Returns the entries of the frame's own scope after a record, at most `atMost`. */
  #entries(after: number, atMost: number): BlackboardEntry[] {
    const scope = frameScope(this.#change.frame, this.#sources.names)
    return scopeEntries(scope, Math.max(scope.scope.sizeAt(after), scope.scope.size - atMost))
  }

  #addWrites(at: Json | undefined): void {
    const { writes } = this.#change.record
    if (writes === undefined) return
    const entries = Object.freeze(this.#entries(this.#change.n - 1, writes.length / 2))
    this.#add('blackboard:write', { entries, workflow: this.#compiled.workflow }, at)
  }

  #addEnter(): void {
    const { position } = this.#change.frame
    this.#add('node:enter', { node: this.#node(nodeAt(position)), workflow: this.#compiled.workflow }, position)
  }

  addInit(sessionId: string): void {
    const { workflow } = this.#compiled
    this.#add('engine:init', { sessionId, workflow }, workflow.entry)
  }

  addBegin(entry: Json): void {
    this.#addWrites(entry)
    this.#addEnter()
  }

  addDecision(decision: Json): void {
    const { before, frame, n } = this.#change
    const { workflow, nodes } = this.#compiled
    if (!isList(decision)) {
      this.#addWrites(before)
      if (frame.gone && frame.link === undefined) this.#add('engine:complete', { workflow }, before)
      return
    }
    const leftNode = nodeAt(before)
    const edge = nodes.get(leftNode ?? '')?.edgeById.get(textOf(decision[0]))
    if (edge === undefined) return
    this.#add('node:exit', { node: this.#node(leftNode), workflow }, before, frame, n - 1)
    this.#add('edge:traverse', { edge, workflow }, before, frame, n - 1)
    this.#addWrites(before)
    this.#addEnter()
  }

  /** Adds the event of calls that are no longer valid after this record. It comes before all others. */
  addInvalidations(): void {
    const { invalidated } = this.#calls
    if (invalidated.length > 0) this.#add('execution:invalidate', { invalidatedIds: Object.freeze(invalidated) }, this.#change.before)
  }

  addPush(): void {
    const { frame, state, n } = this.#change
    const child = state.frame(`${n}f`)
    const { workflow } = this.#sources.compiled(child)
    for (const record of this.#calls.calls) this.#add('execution:record', { record }, workflow.entry, child)
    this.#add(
      'workflow:push',
      { frame: stackFrame(frame, child.link?.map ?? [], this.#sources.names, this.#sources.session, n), workflow },
      workflow.entry,
      child,
    )
  }

  /** Adds the events of a return: its values one by one, then the pop, then the enter of the parent (reference workflow 5, 6; D5). */
  addPop(callee: Ref): void {
    const { frame } = this.#change
    const { workflow } = this.#compiled
    const { record, map } = this.#sources.calls.callOf(callee)
    for (const entry of this.#entries(record, map.length))
      this.#add('blackboard:write', { entries: Object.freeze([entry]), workflow }, frame.position)
    this.#add(
      'workflow:pop',
      { frame: stackFrame(frame, map, this.#sources.names, this.#sources.session, record), workflow },
      frame.position,
    )
    this.#addEnter()
  }

  addWait(name: string, about: Json | undefined): void {
    const { before, frame, record } = this.#change
    const position = before ?? frame.position
    const nodeId = nodeAt(position) ?? ''
    if (!isFailure(name, about)) {
      const { reason, ask } = suspendedResult(about)
      this.#add('engine:suspend', { reason, nodeId, ...(ask === undefined ? {} : { ask }) }, position)
      return
    }
    const fault = objectOf(objectOf(about).fault) as unknown as FaultData
    const thrown = record.input?.[0] === 'err' ? this.#sources.thrownBy(record.input[1]) : undefined
    this.#add(
      'engine:error',
      { error: thrown ?? errorOf(fault), fault, nodeId, workflow: this.#compiled.workflow, node: this.#node(nodeId) },
      position,
    )
  }
}

/** Returns the error of a fault: an `EngineError` for faults of the engine itself (reference workflow 7). */
export function errorOf(fault: FaultData): Fault {
  return fault.code.startsWith('R205') ? new EngineError(fault.message, fault) : new Fault(fault.code, fault.message, fault.verdict, fault)
}
