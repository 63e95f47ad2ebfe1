import { Fault, type FaultData } from '../kernel/fault.ts'
import type { Frame } from '../kernel/frame.ts'
import { isList, type Json } from '../kernel/json.ts'
import type { Change } from '../kernel/story.ts'
import { boardEntry } from './blackboard.ts'
import type { CallLog } from './calls.ts'
import { type CompiledWorkflow, nodeAt, objectOf } from './compile.ts'
import { EngineError } from './engine-error.ts'
import { ENGINE_ERROR } from './kind.ts'
import { frameScope, type WorkflowNames } from './scopes.ts'
import { stackFrame } from './stack.ts'
import type { BlackboardEntry, EngineEvent, EngineEvents, Node } from './types.ts'

/** What an engine shows while an event is delivered: as it was, or will have been, at that moment. */
export interface EngineView {
  readonly frame: Frame
  readonly node: string | undefined
  /** Entries of later records are not there yet: in its own scope, and in those of its callers. */
  readonly bound: number
  readonly callers: number
}

/** One event, and what the engine shows while it is delivered. */
export type Emission = { [Event in EngineEvent]: { readonly event: Event; readonly payload: EngineEvents[Event]; readonly view: EngineView } }[EngineEvent]

/** What the projection needs beside the record. */
export interface EventSources {
  readonly names: WorkflowNames
  readonly calls: CallLog
  /** The value that an agent or a guard threw, if this process saw it. */
  thrown(effect: string | number): unknown
  compiled(frame: Frame): CompiledWorkflow
}

/** The events of one record, in the order of seed workflow 3.2 and reference workflow 16. */
export function eventsOf(change: Change, sources: EventSources): Emission[] {
  const { record, before, frame, n } = change
  const compiled = sources.compiled(frame)
  const emit = new Emitter(change, sources, compiled)
  switch (record.input?.[0]) {
    case undefined:
      if (before === undefined && record.position !== undefined) {
        emit.wrote(nodeAt(record.position))
        emit.entered()
      }
      break
    case 'ok':
      if (record.more?.wait?.[0]?.[1] !== ENGINE_ERROR) emit.decided(record.input[2])
      break
    case 'ret':
      if (record.input[2] === 'done') emit.popped(record.input[1])
      break
    default:
      break
  }
  if (record.more?.call !== undefined) emit.pushed(`${n}f`)
  for (const wait of record.more?.wait ?? []) emit.waits(wait[1], wait[3])
  return emit.emissions
}

class Emitter {
  readonly emissions: Emission[] = []
  readonly #change: Change
  readonly #sources: EventSources
  readonly #compiled: CompiledWorkflow

  constructor(change: Change, sources: EventSources, compiled: CompiledWorkflow) {
    this.#change = change
    this.#sources = sources
    this.#compiled = compiled
  }

  #add<Event extends EngineEvent>(event: Event, payload: EngineEvents[Event], node: string | undefined, frame = this.#change.frame, bound = this.#change.n): void {
    // What a return has brought to the callers is told of with the pop, in the next record.
    const callers = frame.gone ? this.#change.n - 1 : bound
    this.emissions.push({ event, payload: Object.freeze(payload), view: { frame, node, bound, callers } } as unknown as Emission)
  }

  #node(id: string | undefined): Node {
    const node = this.#compiled.nodes.get(id ?? '')?.node
    if (node === undefined) throw new TypeError(`no node ${id}`)
    return node
  }

  #entries(record: number): BlackboardEntry[] {
    const view = frameScope(this.#change.frame, this.#sources.names)
    return [...view.scope.entries()].filter((entry) => entry.record === record && entry.value !== undefined).map((entry) => boardEntry(entry, view.source(entry)))
  }

  wrote(at: string | undefined): void {
    if (this.#change.record.writes === undefined) return
    this.#add('blackboard:write', { entries: Object.freeze(this.#entries(this.#change.n)), workflow: this.#compiled.workflow }, at)
  }

  entered(): void {
    const id = nodeAt(this.#change.frame.position)
    this.#add('node:enter', { node: this.#node(id), workflow: this.#compiled.workflow }, id)
  }

  decided(decision: Json): void {
    const { before, frame, n } = this.#change
    const left = nodeAt(before)
    const { workflow } = this.#compiled
    if (!isList(decision)) {
      this.wrote(left)
      if (frame.gone && frame.link === undefined) this.#add('engine:complete', { workflow }, left)
      return
    }
    const edge = this.#compiled.nodes.get(left ?? '')?.edge.get(String(decision[0]))
    if (edge === undefined) return
    this.#add('node:exit', { node: this.#node(left), workflow }, left, frame, n - 1)
    this.#add('edge:traverse', { edge, workflow }, left, frame, n - 1)
    this.wrote(left)
    this.entered()
  }

  pushed(id: string): void {
    const { frame, state } = this.#change
    const child = state.frame(id)
    const { workflow } = this.#sources.compiled(child)
    const { made, invalidated } = this.#sources.calls.catchUp()
    if (invalidated.length > 0) this.#add('execution:invalidate', { invalidatedIds: Object.freeze(invalidated) }, nodeAt(frame.position))
    for (const record of made) this.#add('execution:record', { record }, workflow.entry, child)
    this.#add('workflow:push', { frame: stackFrame(child, this.#sources.names), workflow }, workflow.entry, child)
  }

  /** The parent goes on first, then its returned values are told one by one (reference workflow 5, 6; D5). */
  popped(callee: string | number): void {
    const { frame, before } = this.#change
    const at = nodeAt(before)
    const { workflow } = this.#compiled
    const called = this.#sources.calls.recordOf(callee)
    this.#sources.calls.catchUp()
    const view = frameScope(frame, this.#sources.names)
    for (const entry of view.scope.entries()) {
      if (entry.record <= called || entry.value === undefined) continue
      this.#add('blackboard:write', { entries: Object.freeze([boardEntry(entry, view.source(entry))]), workflow }, at)
    }
    const popped = waitingFrame(frame, this.#sources.names, called)
    this.#add('workflow:pop', { frame: popped, workflow }, at)
    this.entered()
  }

  waits(name: string, about: Json | undefined): void {
    const { before, frame, record } = this.#change
    const nodeId = nodeAt(before) ?? nodeAt(frame.position) ?? ''
    const details = objectOf(about)
    if (name !== ENGINE_ERROR) {
      this.#add('engine:suspend', { reason: typeof details.reason === 'string' ? details.reason : '', nodeId }, nodeId)
      return
    }
    const effect = record.input?.[0] === 'err' ? record.input[1] : undefined
    const thrown = effect === undefined ? undefined : this.#sources.thrown(effect)
    this.#add('engine:error', { error: thrown ?? errorOf(details.fault), nodeId, workflow: this.#compiled.workflow, node: this.#node(nodeId) }, nodeId)
  }
}

/** A fault of the engine's own as its users know it (reference workflow 7). */
export function errorOf(fault: Json | undefined): Fault {
  const data = objectOf(fault) as unknown as FaultData
  return data.code?.startsWith('R205') ? new EngineError(data.message, data) : new Fault(data.code ?? 'R9001', data.message ?? 'unknown', data.verdict ?? 'bug', data)
}

/** A caller as it waited: its board without what came back. */
function waitingFrame(frame: Frame, names: WorkflowNames, called: number): EngineEvents['workflow:pop']['frame'] {
  const view = frameScope(frame, names, called)
  return Object.freeze({
    workflowId: names(frame),
    currentNodeId: nodeAt(frame.position) ?? '',
    returnMap: [],
    get blackboard() {
      return [...view.scope.entries(called)].map((entry) => boardEntry(entry, view.source(entry)))
    },
    ...(frame.link === undefined ? {} : { invocationId: String(frame.id) }),
  })
}
