import {
  faultData,
  type Fault,
  type FaultData,
  isFault,
  isObject,
  type Json,
  type JsonObject,
  type Ref,
  type StepContext,
} from '../../../kernel/index.ts'
import { truthOf, valueOf } from '../compile/code.ts'
import type { CompiledTree, NodeConditions } from '../compile/compiled.ts'
import type { ExpressionCode } from '../compile/code.ts'
import type { LaidNode } from '../compile/layout.ts'
import type { Environment } from '../lua/expression/index.ts'
import {
  FAILURE,
  type Next,
  type NodeBoard,
  type OperationOptions,
  type Outcome,
  RUNNING,
  type Settled,
  SKIPPED,
  SUCCESS,
  type Tick,
} from '../manifest/behaviour.ts'
import { faults } from '../model/faults.ts'
import { FUNCTION_PORT, SCRIPT_PORT } from '../nodes/conditions.ts'
import { Audit } from './audit.ts'
import { type Failure, failureTrace } from './failures.ts'
import { FrameBoard, refusalOf } from './node-board.ts'
import { Streams } from './streams.ts'
import { FRESH, HAS_FAILED, IS_RUNNING, type NodeOperation, SUCCEEDED, type TreeState } from './tree-state.ts'

/** An event of a tree, as a note of its record. */
export type TreeEvent = readonly [type: string, payload: JsonObject]

/** The time for which a node may be RUNNING unless its tree says otherwise. */
export const DEFAULT_LIMIT_MS = 60_000

/** One tick of a tree: what nodes ask for becomes part of the step of the frame. */
export class Ticking implements Tick {
  readonly state: TreeState
  readonly now: number
  readonly event: Json | undefined
  readonly events: TreeEvent[] = []
  readonly failures: Failure[] = []
  readonly globals: (readonly [key: string, value: Json])[] = []
  /** The earliest time at which the tree has to be ticked. */
  wakeTime: number | undefined
  wantsAgain = false
  readonly #x: StepContext<CompiledTree>
  readonly #settled = new Map<number, Settled>()
  readonly #requested = new Map<number, NodeOperation>()
  readonly #forced = new Map<number, Fault>()
  readonly #reasons = new Map<number, Failure>()
  readonly #ended = new Set<number>()
  readonly #audit: Audit
  readonly #streams: Streams

  constructor(x: StepContext<CompiledTree>, state: TreeState, event: Json | undefined) {
    this.#x = x
    this.state = state
    this.now = x.now
    this.event = event
    this.#audit = new Audit((type, payload) => this.emit(type, payload))
    this.#streams = new Streams(x)
  }

  get count(): number {
    return this.state.execution.ticks
  }

  /** Hands over the end of an operation; it is taken when its node is ticked. */
  settle(node: LaidNode, settled: Settled): void {
    this.#settled.set(node.index, settled)
    this.state.setProgress(node.index, this.now)
  }

  /** Makes a node fail at its next tick. */
  force(node: LaidNode, fault: Fault): void {
    this.#forced.set(node.index, fault)
  }

  forcedAnswer(node: LaidNode): Next | undefined {
    const fault = this.#forced.get(node.index)
    if (fault === undefined) return undefined
    this.#forced.delete(node.index)
    this.halt(node)
    return this.fail(node, fault)
  }

  visit(node: LaidNode): void {
    this.#audit.enter(node)
  }

  /** Returns the leaf at which the last tick has stopped, if its operation has settled. */
  takeOpen(): LaidNode | undefined {
    const { open } = this.state
    return open === undefined ? undefined : this.state.layout.nodes[open.index]
  }

  /** The tick stops at a leaf that has requested something. */
  stopAt(node: LaidNode): void {
    const requested = this.#requested.get(node.index)
    if (requested === undefined) throw new TypeError(`${node.path} stops the tick and has requested nothing`)
    this.#requested.delete(node.index)
    this.state.open = { index: node.index, ref: requested.ref }
  }

  /** A leaf whose tick is open takes longer: it is RUNNING from now on. */
  leaveOpen(node: LaidNode): void {
    const { open } = this.state
    if (open === undefined) return
    this.state.open = undefined
    this.#requested.set(node.index, { ref: open.ref, due: this.#dueOf(node, this.#optionsOf(node)), hasSettled: false })
  }

  #optionsOf({ params }: LaidNode): OperationOptions {
    return typeof params.timeout === 'number' ? { timeoutMs: params.timeout } : {}
  }

  takeSettled(node: LaidNode): Settled | undefined {
    const { state } = this
    const operation = state.operation(node.index)
    const settled = this.#settled.get(node.index) ?? this.#stored(node, operation) ?? this.#timedOut(node, operation)
    if (settled === undefined) {
      if (operation !== undefined && operation.due > 0) this.wakeAt(node, operation.due)
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
    if (operation === undefined || operation.due <= 0 || operation.due > this.now) return undefined
    this.#x.drop(operation.ref)
    const fault = faults.make('R1251', `${node.path} took longer than ${operation.due - this.state.since(node.index)} ms`, {
      rule: 'E6001',
      path: node.path,
    })
    this.emit('async.timeout', { node_id: node.id })
    return { ok: false, fault: faultData(fault), isTimeout: true }
  }

  /** Keeps the ends of operations whose nodes were not ticked. */
  storeSettled(): void {
    for (const [index, settled] of this.#settled) {
      const operation = this.state.operation(index)
      if (operation === undefined) continue
      const { strand: _, ...plain } = settled as Settled & { strand?: unknown }
      this.#x.setInternal(settledKey(index), plain)
      this.state.setOperation(index, { ...operation, hasSettled: true })
    }
  }

  /** A node begins: nothing of its last time is left. */
  begin(node: LaidNode): void {
    if (this.state.own(node.index) !== undefined) this.state.keep(node.index, undefined)
    if (node.children.length > 0) this.refresh(node)
    this.#reasons.delete(node.index)
  }

  /** Attaches what a node has requested, now that it is RUNNING. */
  attach(node: LaidNode): void {
    const requested = this.#requested.get(node.index)
    if (requested === undefined) return
    this.#requested.delete(node.index)
    this.state.setOperation(node.index, requested)
    if (requested.due > 0) this.wakeAt(node, requested.due)
  }

  /** The answer of a node, after its post-conditions and the audit of its contract. */
  finished(node: LaidNode, outcome: typeof SUCCESS | typeof FAILURE): typeof SUCCESS | typeof FAILURE {
    let final = outcome
    const violation = this.#audit.leave(node)
    if (violation !== undefined) final = this.fail(node, violation)
    if (node.compiled.conditions !== undefined) final = this.#postconditions(node, node.compiled.conditions, final)
    if (final === FAILURE) this.#noteFailure(node)
    return final
  }

  #postconditions(node: LaidNode, conditions: NodeConditions, outcome: typeof SUCCESS | typeof FAILURE): typeof SUCCESS | typeof FAILURE {
    const own = outcome === SUCCESS ? conditions.onSuccess : conditions.onFailure
    for (const assignments of [own, conditions.after]) {
      const refused = this.#assign(node, assignments ?? [])
      if (refused !== undefined) return this.fail(node, refused)
    }
    return outcome
  }

  #assign(node: LaidNode, assignments: readonly (readonly [key: string, value: ExpressionCode])[]): Fault | undefined {
    for (const [key, code] of assignments) {
      const result = valueOf(code, this.#environment(node))
      if ('error' in result) return faults.make('R1242', `${node.path} assigns ${key}: ${result.error}`, { rule: 'E5002', path: node.path })
      try {
        this.board(node).set(key, result.value)
      } catch (thrown) {
        if (isFault(thrown)) return thrown
        throw thrown
      }
    }
    return undefined
  }

  /** A failure is noted when a node becomes FAILURE, not while it stays so from tick to tick. */
  #noteFailure(node: LaidNode): void {
    const stays = this.state.recorded(node.index) === HAS_FAILED && !this.#ended.has(node.index)
    this.#ended.add(node.index)
    const failure = this.#reasons.get(node.index) ?? { node, reason: this.#inherited(node) }
    this.#reasons.set(node.index, failure)
    if (!stays) this.failures.push(failure)
  }

  #inherited(node: LaidNode): string {
    const child = node.children.findLast((each) => this.state.state(each) === HAS_FAILED)
    return child === undefined ? `${node.manifest.type} ${node.id} failed` : `child ${child.id} failed: ${this.reason(child)}`
  }

  board(node: LaidNode): NodeBoard {
    return new FrameBoard(this.#x, node, this.#scopeOf(node), {
      wrote: (at, key) => {
        this.state.setProgress(at.index, this.now)
        this.#audit.wrote(at, key)
      },
      read: (at, key) => this.#audit.read(at, key),
      wroteGlobal: (key, value) => this.globals.push([key, value]),
      emit: (type, payload) => this.emit(type, payload),
      stream: (key) => this.#streams.value(key),
    })
  }

  #scopeOf(node: LaidNode): Ref | undefined {
    if (this.state.scopes.size === 0) return undefined
    for (let at: LaidNode | undefined = node; at !== undefined; at = at.parent) {
      const scope = this.state.scopes.get(at.index)
      if (scope !== undefined) return scope
    }
    return undefined
  }

  own(node: LaidNode): readonly Json[] | undefined {
    return this.state.own(node.index)
  }
  keep(node: LaidNode, own: readonly Json[] | undefined): void {
    this.state.keep(node.index, own)
  }
  lasting(node: LaidNode): Json | undefined {
    return this.state.lasting.get(node.index)
  }
  keepLasting(node: LaidNode, value: Json | undefined): void {
    if (value === undefined) this.state.lasting.delete(node.index)
    else this.state.lasting.set(node.index, value)
  }

  outcome(node: LaidNode): Outcome | undefined {
    switch (this.state.state(node)) {
      case IS_RUNNING:
        return RUNNING
      case SUCCEEDED:
        return SUCCESS
      case HAS_FAILED:
        return FAILURE
      default:
        return undefined
    }
  }

  runningSince(node: LaidNode): number {
    return this.state.state(node) === IS_RUNNING ? this.state.since(node.index) : this.now
  }

  halt(node: LaidNode): void {
    const { state } = this
    const wasRunning = state.state(node) === IS_RUNNING
    for (const child of node.children) if (state.state(child) !== FRESH) this.halt(child)
    if (wasRunning) this.#stop(node)
    state.setState(node.index, FRESH, this.now)
  }

  #stop(node: LaidNode): void {
    node.manifest.behaviour.halt?.(this, node)
    this.drop(node)
    const { onHalted } = node.compiled.conditions ?? {}
    if (onHalted !== undefined) this.#assign(node, onHalted)
    this.emit('tree.node.cancelled', { node_id: node.id })
  }

  refresh(node: LaidNode): void {
    for (const child of node.children) {
      if (this.state.state(child) === IS_RUNNING) continue
      this.state.setState(child.index, FRESH, this.now)
    }
  }

  reason(node: LaidNode): string {
    const known = this.#reasons.get(node.index)?.reason
    if (known !== undefined) return known
    const { entries } = failureTrace((key) => this.#x.get(key))
    return entries.findLast((entry) => entry.node_path === node.path)?.reason ?? `${node.id} failed`
  }

  fail(node: LaidNode, reason: string | Fault | FaultData): typeof FAILURE {
    const fault = typeof reason === 'string' ? undefined : isFault(reason) ? faultData(reason) : reason
    this.#reasons.set(node.index, { node, reason: fault?.message ?? String(reason), fault })
    return FAILURE
  }

  wakeAt(_node: LaidNode, time: number): void {
    if (this.wakeTime === undefined || time < this.wakeTime) this.wakeTime = time
  }

  again(_node: LaidNode): void {
    this.wantsAgain = true
  }

  emit(type: string, payload: JsonObject): void {
    this.events.push([type, payload])
  }

  /** Returns what the pre-conditions of a node answer in its place. */
  preconditions(node: LaidNode, conditions: NodeConditions): Outcome | undefined {
    if (conditions.skipIf !== undefined && this.holds(node, conditions.skipIf)) return SKIPPED
    if (conditions.successIf !== undefined && this.holds(node, conditions.successIf)) return SUCCESS
    if (conditions.failureIf !== undefined && this.holds(node, conditions.failureIf))
      return this.fail(node, `failure_if of ${node.id} is true`)
    return conditions.while !== undefined && !this.holds(node, conditions.while) ? SKIPPED : undefined
  }

  /** True if a condition holds; one that cannot be evaluated does not. */
  holds(node: LaidNode, code: ExpressionCode): boolean {
    const result = truthOf(code, this.#environment(node))
    return 'value' in result && result.value
  }

  lackingInput(node: LaidNode): Fault | undefined {
    const missing = this.#audit.missing(node, this.board(node))
    if (missing === undefined) return undefined
    this.emit('node.contract.missing_input', { node_id: node.id, missing_key: missing })
    return faults.make('R1221', `${node.path} needs ${missing}, which has no value`, {
      rule: 'E2001',
      path: node.path,
      data: { key: missing },
    })
  }

  test(node: LaidNode, condition: Json): boolean | Fault | undefined {
    const code = node.tree.code.get(JSON.stringify(condition))
    if (code === undefined) throw new TypeError(`${node.path} has a condition that was not compiled`)
    if (code.is === 'script') this.request(node, SCRIPT_PORT, { node: node.path, as: 'condition', code: code.text }, { isLimited: false })
    else if (code.is === 'function') this.request(node, FUNCTION_PORT, { fn: code.name, as: 'condition' }, { isLimited: false })
    else {
      const result = truthOf(code, this.#environment(node))
      if ('value' in result) return result.value
      return faults.make('R1242', `${node.path}: ${result.error}`, { rule: 'E5002', path: node.path })
    }
    return undefined
  }

  evaluate(node: LaidNode, expression: string): { readonly value: Json } | { readonly error: string } {
    const code = node.tree.code.get(JSON.stringify(expression))
    if (code?.is !== 'expression') throw new TypeError(`${node.path} has an expression that was not compiled`)
    return valueOf(code, this.#environment(node))
  }

  #environment(node: LaidNode): Environment {
    const board = this.board(node)
    return {
      bb: (key) => board.get(key),
      has: (key) => board.has(key),
      ctx: (field) => {
        if (field === 'tick_count') return this.count
        if (field === 'node_id') return node.id
        return field === 'tree_id' ? node.tree.id : this.event
      },
    }
  }

  request(node: LaidNode, port: string, args: Json, options: OperationOptions = {}): void {
    const scope = port === SCRIPT_PORT || port === FUNCTION_PORT ? this.#scopeOf(node) : undefined
    const ref = this.#x.request(port, scope === undefined || !isObject(args) ? args : { ...args, scope })
    this.#requested.set(node.index, { ref, due: this.#dueOf(node, options), hasSettled: false })
  }

  call(node: LaidNode, program: string, args: Json, options: OperationOptions = {}): void {
    const ref = this.#x.spawn(program, { args, sees: 'nothing' })
    this.#requested.set(node.index, { ref, due: this.#dueOf(node, options), hasSettled: false })
  }

  ask(node: LaidNode, about: Json, options: OperationOptions = {}): void {
    const ref = this.#x.wait('answer', node.path, { about })
    this.#requested.set(node.index, { ref, due: this.#dueOf(node, options), hasSettled: false })
  }

  #dueOf(node: LaidNode, { timeoutMs, isLimited }: OperationOptions): number {
    if (timeoutMs === undefined) return isLimited === false ? -1 : 0
    const explicit = node.tree.source.max_tick_duration_ms
    return this.now + (explicit === undefined ? timeoutMs : Math.min(timeoutMs, explicit))
  }

  drop(node: LaidNode): void {
    const operation = this.#requested.get(node.index) ?? this.state.operation(node.index)
    if (operation === undefined) return
    this.#requested.delete(node.index)
    const isStrand = this.#x.strandResult(operation.ref) !== undefined
    if (isStrand) this.#x.kill(operation.ref)
    else if (!operation.hasSettled && !this.#settled.has(node.index)) this.#x.drop(operation.ref)
    this.#settled.delete(node.index)
    this.emit('async.cancelled', { node_id: node.id })
  }

  requestId(node: LaidNode): string {
    const operation = this.#requested.get(node.index) ?? this.state.operation(node.index)
    return operation === undefined ? node.path : `${this.state.execution.number}/${node.path}/${operation.ref}`
  }

  stream(_node: LaidNode, key: string, piece: string): void {
    this.#streams.add(key, piece)
  }
  endStream(_node: LaidNode, key: string): void {
    this.#streams.end(key)
  }

  openScope(child: LaidNode): void {
    const outer = child.parent === undefined ? undefined : this.#scopeOf(child.parent)
    this.state.scopes.set(child.index, this.#x.open(outer ?? null))
  }
  scopeWrites(child: LaidNode): ReadonlyMap<string, Json> {
    const scope = this.state.scopes.get(child.index)
    return scope === undefined ? new Map() : this.#x.ownValues(scope)
  }
  shutScope(child: LaidNode): void {
    const scope = this.state.scopes.get(child.index)
    if (scope === undefined) return
    this.state.scopes.delete(child.index)
    this.#x.shut(scope)
  }

  link(node: LaidNode): Fault | undefined {
    return this.state.linkNode(node.index)
  }
  outputsBelow(node: LaidNode): readonly string[] | undefined {
    return node.children[0]?.tree.outputs
  }
  declares(node: LaidNode, key: string): boolean {
    return node.tree.schemas.has(key)
  }
  refusal(node: LaidNode, key: string, value: Json): Fault | undefined {
    return refusalOf(node, key, value)
  }
}

function settledKey(index: number): string {
  return `_settled.${index}`
}
