import { faultData, isObject, type Json, type JsonObject, type Ref, type StepContext } from '../../../kernel/index.ts'
import type { CompiledTree } from '../compile/compiled.ts'
import type { LaidNode } from '../compile/layout.ts'
import type { OperationOptions, Settled } from '../manifest/behaviour.ts'
import { faults } from '../model/faults.ts'
import { CALLBACK, FUNCTION_PORT, SCRIPT_PORT } from '../nodes/conditions.ts'
import type { NodeOperation } from './position-items.ts'
import type { Scopes } from './scopes.ts'
import type { TreeState } from './tree-state.ts'

/** What operations need of a tick. */
export interface TickBase {
  readonly state: TreeState
  readonly now: number
  wake(time: number): void
  emit(type: string, payload: JsonObject): void
}

/** The operations of leaves in one tick: effects, questions and called programs, and their ends. */
export class Operations {
  readonly #x: StepContext<CompiledTree>
  readonly #tick: TickBase
  readonly #scopes: Scopes
  /** The ends that this step brings, until their nodes are ticked. */
  readonly #settled = new Map<number, Settled>()
  /** What was requested in this tick by nodes that have not answered yet. */
  readonly #requested = new Map<number, NodeOperation>()

  constructor(x: StepContext<CompiledTree>, tick: TickBase, scopes: Scopes) {
    this.#x = x
    this.#tick = tick
    this.#scopes = scopes
  }

  /** Hands over the end of an operation; it is taken when its node is ticked. */
  settle(node: LaidNode, settled: Settled): void {
    const { state, now } = this.#tick
    this.#settled.set(node.index, settled)
    // A leaf that is asked again with every tick makes no progress by answering.
    if (state.open?.index !== node.index && !isRunning(settled)) state.setProgress(node.index, now)
  }

  /** Returns the operation on which the tick waits at a leaf. */
  stopAt(node: LaidNode): Ref {
    const requested = this.#requested.get(node.index)
    if (requested === undefined) throw new TypeError(`${node.path} stops the tick and has requested nothing`)
    this.#requested.delete(node.index)
    return requested.ref
  }

  /** A leaf whose tick is open takes longer: it is RUNNING from now on. */
  leaveOpen(node: LaidNode): void {
    const { open } = this.#tick.state
    if (open === undefined) return
    this.#tick.state.open = undefined
    this.#requested.set(node.index, { ref: open.ref, due: this.#dueOf(optionsOf(node)), hasSettled: false })
  }

  /** Takes the end of the operation of a node; undefined if it is still on its way. */
  take(node: LaidNode): Settled | undefined {
    const { state } = this.#tick
    const operation = state.operation(node.index)
    const settled = this.#settled.get(node.index) ?? this.#stored(node, operation) ?? this.#timedOut(node, operation)
    if (settled === undefined) {
      if (operation !== undefined && operation.due > 0) this.#tick.wake(operation.due)
      return undefined
    }
    this.#settled.delete(node.index)
    if (state.open?.index === node.index) state.open = undefined
    else if (operation !== undefined) state.setOperation(node.index, undefined)
    return settled
  }

  #stored({ index }: LaidNode, operation: NodeOperation | undefined): Settled | undefined {
    if (operation?.hasSettled !== true) return undefined
    const key = settledKey(index)
    const stored = this.#x.get(key)
    this.#x.delete(key)
    return isObject(stored) ? (stored as unknown as Settled) : undefined
  }

  #timedOut(node: LaidNode, operation: NodeOperation | undefined): Settled | undefined {
    const { now, state } = this.#tick
    if (operation === undefined || operation.due <= 0 || operation.due > now) return undefined
    this.#giveUp(operation.ref)
    const fault = faults.make('R1251', `${node.path} took longer than ${operation.due - state.since(node.index)} ms`, {
      rule: 'E6001',
      path: node.path,
    })
    return { ok: false, fault: faultData(fault), isTimeout: true }
  }

  /** Keeps the ends of operations whose nodes were not ticked. */
  store(): void {
    const { state } = this.#tick
    for (const [index, settled] of this.#settled) {
      const operation = state.operation(index)
      if (operation === undefined) continue
      const { strand: _, ...plain } = settled as Settled & { strand?: unknown }
      this.#x.setInternal(settledKey(index), plain)
      state.setOperation(index, { ...operation, hasSettled: true })
    }
  }

  /** Attaches what a node has requested, now that it is RUNNING. */
  attach(node: LaidNode): void {
    const requested = this.#requested.get(node.index)
    if (requested === undefined) return
    this.#requested.delete(node.index)
    const { state, now } = this.#tick
    state.setOperation(node.index, requested)
    // A leaf with a timeout that tries again begins with its whole time.
    if (requested.due > 0 && state.since(node.index) < now) state.setProgress(node.index, now)
    if (requested.due > 0) this.#tick.wake(requested.due)
  }

  request(node: LaidNode, port: string, args: Json, options: OperationOptions = {}): void {
    const isCode = port === SCRIPT_PORT || port === FUNCTION_PORT
    this.#add(node, this.#x.request(port, isCode && isObject(args) ? this.#codeArgs(node, port, args) : args), options)
  }

  /** Code sees the blackboard as its node does. Errors of Lua name the file of the tree, or that of the script. */
  #codeArgs(node: LaidNode, port: string, args: JsonObject): JsonObject {
    const { source } = node.tree
    const scope = this.#scopes.read(node)
    const { code_file } = node.params
    const file = typeof code_file === 'string' ? code_file : source.file
    const line = typeof code_file === 'string' ? 1 : (node.compiled.source.code_line ?? node.compiled.source.line)
    return {
      ...args,
      node: node.path,
      ...(scope === undefined ? {} : { scope }),
      ...(port === FUNCTION_PORT ? {} : { tree: node.tree.id }),
      ...(port === FUNCTION_PORT || file === undefined ? {} : { file }),
      ...(port === FUNCTION_PORT || line === undefined ? {} : { line }),
    }
  }

  /** Calls a function beside the operation of a node. */
  callBack(node: LaidNode, fn: string, args: Json): void {
    this.#x.request(FUNCTION_PORT, this.#codeArgs(node, FUNCTION_PORT, { fn, args, as: CALLBACK }))
  }

  call(node: LaidNode, program: string, args: Json, options: OperationOptions = {}): void {
    this.#add(node, this.#x.spawn(program, { args, sees: 'nothing' }), options)
  }

  ask(node: LaidNode, about: Json, options: OperationOptions = {}): void {
    this.#add(node, this.#x.wait('answer', node.path, { about }), options)
  }

  /** A record in which leaves begin operations counts as a step of the run. */
  #add(node: LaidNode, ref: Ref, options: OperationOptions): void {
    this.#x.enter()
    this.#requested.set(node.index, { ref, due: this.#dueOf(options), hasSettled: false })
  }

  #dueOf({ timeoutMs, isLimited }: OperationOptions): number {
    if (timeoutMs === undefined) return isLimited === false ? -1 : 0
    return this.#tick.now + timeoutMs
  }

  drop(node: LaidNode): void {
    const operation = this.#of(node)
    if (operation === undefined) return
    this.#requested.delete(node.index)
    if (operation.hasSettled) this.#x.delete(settledKey(node.index))
    else if (!this.#settled.has(node.index)) this.#giveUp(operation.ref)
    this.#settled.delete(node.index)
    this.#tick.state.setOperation(node.index, undefined)
    this.#tick.emit('async.cancelled', { node_id: node.id })
  }

  /** Aborts an effect, closes a question, or cancels a called program. */
  #giveUp(ref: Ref): void {
    if (this.#x.strandResult(ref) === undefined) this.#x.drop(ref)
    else this.#x.kill(ref)
  }

  #of({ index }: LaidNode): NodeOperation | undefined {
    return this.#requested.get(index) ?? this.#tick.state.operation(index)
  }
}

function optionsOf({ params }: LaidNode): OperationOptions {
  return typeof params.timeout === 'number' ? { timeoutMs: params.timeout } : {}
}

function settledKey(index: number): string {
  return `_settled.${index}`
}

/** True for code that has answered RUNNING. */
function isRunning(settled: Settled): boolean {
  return settled.ok && isObject(settled.value) && settled.value.status === 'running'
}
