import type { Fault, Json, JsonObject } from '../../../kernel/index.ts'
import type { NodeConditions } from '../compile/compiled.ts'
import type { ExpressionCode } from '../compile/code.ts'
import type { LaidNode } from '../compile/layout.ts'
import {
  type FAILURE,
  type NodeBoard,
  type OperationOptions,
  type Outcome,
  RUNNING,
  type Settled,
  type SUCCESS,
  type Tick,
} from '../manifest/behaviour.ts'
import { faults } from '../model/faults.ts'
import { CALLBACK } from '../nodes/conditions.ts'
import { applyAnswer } from '../nodes/run-code.ts'
import { Audit } from './audit.ts'
import { Debugger } from './debugger.ts'
import { FrameBoard } from './node-board.ts'
import { NodeCode } from './node-code.ts'
import { NodeTicking } from './node-ticking.ts'
import { Operations } from './operations.ts'
import { Scopes } from './scopes.ts'
import { Streams } from './streams.ts'
import type { TreeState } from './tree-state.ts'
import type { TreeStep } from './tree-step.ts'
import { judge } from './watchdog.ts'

/** An event of a tree, as a note of its record. */
export type TreeEvent = readonly [type: string, payload: JsonObject]

/** The key of the event that a tree handles. */
export const EVENT_KEY = '_event'

const KNOWN = new WeakMap<TreeState, Ticking>()

/** One tick of a tree: what nodes ask for becomes part of the step of the frame. What few ticks need is made when it is first used. */
export class Ticking extends NodeTicking implements Tick {
  events: TreeEvent[] = []
  globals: (readonly [key: string, value: Json])[] = []
  /** The earliest time at which the tree has to be ticked. */
  wakeTime: number | undefined
  wantsAgain = false
  /** Undefined unless a person debugs the tree. */
  debugger: Debugger | undefined
  /** True if each node that is ticked is reported to a debugger, or to an observer. */
  isWatched = false
  readonly #boards: FrameBoard[] = []
  readonly #code = new NodeCode(this)
  /** The leaves that wait for a time of their own. */
  #waiting: Set<number> | undefined
  #operations: Operations | undefined
  #audit: Audit | undefined
  #streams: Streams | undefined
  #scopes: Scopes | undefined

  /** Begins a tick in a step, or what else ends, stops or asks for something in it. */
  static begin(x: TreeStep, state: TreeState): Ticking {
    let ticking = KNOWN.get(state)
    if (ticking === undefined) KNOWN.set(state, (ticking = new Ticking(x, state)))
    ticking.#begin(x)
    return ticking
  }

  #begin(x: TreeStep): void {
    this.beginNodes(x)
    if (this.events.length > 0) this.events = []
    if (this.globals.length > 0) this.globals = []
    const { open } = this.state
    this.wakeTime = open?.wake
    this.wantsAgain = open?.wantsAgain ?? false
    this.#waiting = undefined
    this.#operations = undefined
    this.#audit = undefined
    this.#streams = undefined
    this.#scopes = undefined
    this.debugger = Debugger.of(x, this)
    this.isWatched = this.debugger !== undefined || x.def.observer !== undefined
  }

  get operations(): Operations {
    return (this.#operations ??= new Operations(this.x, this, this.scopes))
  }
  get scopes(): Scopes {
    return (this.#scopes ??= new Scopes(this.x, this.state))
  }
  get #audited(): Audit {
    return (this.#audit ??= new Audit((type, payload) => this.emit(type, payload)))
  }
  get #streamed(): Streams {
    return (this.#streams ??= new Streams(this.x))
  }

  get count(): number {
    return this.state.execution.ticks
  }
  get event(): Json | undefined {
    return this.x.get(EVENT_KEY)
  }

  /** Makes a leaf fail that is stuck. Returns the answer of a node that is RUNNING. */
  judged(node: LaidNode): typeof RUNNING | typeof FAILURE {
    const fault = judge(this, node)
    if (fault === undefined) return RUNNING
    this.halt(node)
    return this.fail(node, fault)
  }

  /** Reports a node before it is ticked. */
  visit(node: LaidNode): void {
    this.x.def.observer?.visit(node)
    if (node.compiled.contract !== undefined) this.#audited.enter(node)
  }

  /** Returns the leaf at which the last tick has stopped. */
  openLeaf(): LaidNode | undefined {
    const { open } = this.state
    return open === undefined ? undefined : this.state.layout.nodes[open.index]
  }

  /** The tick stops at a leaf that has requested something. */
  stopAt(node: LaidNode): void {
    const ref = this.operations.stopAt(node)
    this.state.open = { index: node.index, ref, wake: this.wakeTime, wantsAgain: this.wantsAgain }
  }

  /** A node is RUNNING: what it has requested in this tick is its operation. */
  attach(node: LaidNode): void {
    this.#operations?.attach(node)
  }
  /** Keeps the ends of operations whose nodes were not ticked. */
  store(): void {
    this.#operations?.store()
  }

  /** Returns the answer of a node after its post-conditions and the audit of its contract. */
  afterwards(node: LaidNode, outcome: typeof SUCCESS | typeof FAILURE): typeof outcome {
    let final = outcome
    const violation = this.#audit?.leave(node)
    if (violation !== undefined) final = this.fail(node, violation)
    return node.compiled.conditions === undefined ? final : this.#code.after(node, node.compiled.conditions, final)
  }

  board(node: LaidNode): NodeBoard {
    return (this.#boards[node.index] ??= new FrameBoard(this, node))
  }
  /** A node has read a key. */
  wasRead(node: LaidNode, key: string): void {
    this.#audit?.read(node, key)
  }
  /** A node has written a key: it has made progress. */
  wasWritten(node: LaidNode, key: string): void {
    this.state.setProgress(node.index, this.now)
    this.#audit?.wrote(node, key)
  }

  protected stopped(node: LaidNode): void {
    node.manifest.behaviour.halt?.(this, node)
    if (this.#operations !== undefined || this.state.operation(node.index) !== undefined) this.operations.drop(node)
    const { onHalted } = node.compiled.conditions ?? {}
    if (onHalted !== undefined) this.#code.assign(node, onHalted)
    this.emit('tree.node.cancelled', { node_id: node.id })
  }

  wakeAt(node: LaidNode, time: number): void {
    ;(this.#waiting ??= new Set()).add(node.index)
    this.wake(time)
  }
  /** Ticks the tree at a time, if it is RUNNING then. */
  wake(time: number): void {
    if (this.wakeTime === undefined || time < this.wakeTime) this.wakeTime = time
  }
  /** True for a node that waits for a time which it has named in this tick. */
  waits(node: LaidNode): boolean {
    return this.#waiting?.has(node.index) === true
  }
  again(_node: LaidNode): void {
    this.wantsAgain = true
  }
  emit(type: string, payload: JsonObject): void {
    this.events.push([type, payload])
  }

  preconditions(node: LaidNode, conditions: NodeConditions): Outcome | undefined {
    return this.#code.before(node, conditions)
  }
  holds(node: LaidNode, code: ExpressionCode): boolean {
    return this.#code.holds(node, code)
  }
  test(node: LaidNode, condition: Json): boolean | Fault | undefined {
    return this.#code.test(node, condition)
  }
  evaluate(node: LaidNode, expression: string): { readonly value: Json } | { readonly error: string } {
    return this.#code.evaluate(node, expression)
  }

  lackingInput(node: LaidNode): Fault | undefined {
    if (node.compiled.contract === undefined) return undefined
    const missing = this.#audited.missing(node, this.board(node))
    if (missing === undefined) return undefined
    this.emit('node.contract.missing_input', { node_id: node.id, missing_key: missing })
    return faults.make('R1221', `${node.path} needs ${missing}, which has no value`, {
      rule: 'E2001',
      path: node.path,
      data: { key: missing },
    })
  }

  request(node: LaidNode, port: string, args: Json, options?: OperationOptions): void {
    this.operations.request(node, port, args, options)
  }
  call(node: LaidNode, program: string, args: Json, options?: OperationOptions): void {
    this.operations.call(node, program, args, options)
  }
  ask(node: LaidNode, about: Json, options?: OperationOptions): void {
    this.operations.ask(node, about, options)
  }
  drop(node: LaidNode): void {
    this.operations.drop(node)
  }
  takeSettled(node: LaidNode): Settled | undefined {
    return this.operations.take(node)
  }

  stream(node: LaidNode, key: string, piece: string): Json {
    return this.#streamed.add(node.path, this.scopes.write(node) ?? null, key, piece)
  }
  streamed(node: LaidNode, key: string): string | undefined {
    return this.#streamed.text(node.path, key)
  }
  endStream(node: LaidNode, key: string): void {
    this.#streamed.end(node.path, key)
  }
  compute(node: LaidNode, fn: string, args: Json): Settled | undefined {
    return this.#code.compute(node, fn, args)
  }
  callBack(node: LaidNode, fn: string, args: Json): void {
    const settled = this.#code.compute(node, fn, args, CALLBACK)
    if (settled === undefined) this.operations.callBack(node, fn, args)
    else this.calledBack(node, settled)
  }
  /** Takes the answer of a function that was called beside the operation of a node. Its failure is an event and nothing else. */
  calledBack(node: LaidNode, settled: Settled): void {
    const fault = applyAnswer(this, node, settled)
    if (fault !== undefined) this.emit('llm.chunk.failed', { node_id: node.id, error_message: fault.message })
  }

  openScope(child: LaidNode): void {
    this.scopes.open(child)
  }
  scopeWrites(child: LaidNode): ReadonlyMap<string, Json> {
    return this.scopes.writes(child)
  }
  shutScope(child: LaidNode): void {
    this.scopes.shut(child)
  }
}
