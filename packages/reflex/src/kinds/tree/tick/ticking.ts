import type { Fault, FaultData, Json, JsonObject, StepContext } from '../../../kernel/index.ts'
import type { CompiledTree, NodeConditions } from '../compile/compiled.ts'
import type { ExpressionCode } from '../compile/code.ts'
import type { LaidNode } from '../compile/layout.ts'
import {
  FAILURE,
  type NodeBoard,
  type OperationOptions,
  type Outcome,
  RUNNING,
  type Settled,
  SUCCESS,
  type Tick,
  type TreeFacts,
} from '../manifest/behaviour.ts'
import { faults } from '../model/faults.ts'
import { Audit } from './audit.ts'
import { Debugger } from './debugger.ts'
import { FrameBoard, refusalOf } from './node-board.ts'
import { NodeCode } from './node-code.ts'
import { Operations } from './operations.ts'
import { type KnownFailure, Reasons } from './reasons.ts'
import { Scopes } from './scopes.ts'
import { Streams } from './streams.ts'
import { FRESH, HAS_FAILED, IS_RUNNING, SUCCEEDED, type TreeState } from './tree-state.ts'
import { judge } from './watchdog.ts'

/** An event of a tree, as a note of its record. */
export type TreeEvent = readonly [type: string, payload: JsonObject]

/** The key of the event that a tree handles. */
export const EVENT_KEY = '_event'

/** One tick of a tree: what nodes ask for becomes part of the step of the frame. */
export class Ticking implements Tick {
  readonly state: TreeState
  readonly now: number
  readonly events: TreeEvent[] = []
  readonly globals: (readonly [key: string, value: Json])[] = []
  readonly operations: Operations
  readonly reasons: Reasons
  /** The earliest time at which the tree has to be ticked. */
  wakeTime: number | undefined
  wantsAgain = false
  /** Undefined unless a person debugs the tree. */
  readonly debugger: Debugger | undefined
  readonly #x: StepContext<CompiledTree>
  /** The leaves that wait for a time of their own. */
  readonly #waiting = new Set<number>()
  readonly #audit: Audit
  readonly #streams: Streams
  readonly #scopes: Scopes
  readonly #code: NodeCode

  constructor(x: StepContext<CompiledTree>, state: TreeState) {
    this.#x = x
    this.state = state
    this.now = state.timeAt(x.now)
    this.wakeTime = state.open?.wake
    this.wantsAgain = state.open?.wantsAgain ?? false
    this.#audit = new Audit((type, payload) => this.emit(type, payload))
    this.#streams = new Streams(x)
    this.#scopes = new Scopes(x, state)
    this.#code = new NodeCode(this)
    this.operations = new Operations(x, this, this.#scopes)
    this.reasons = new Reasons(x, state)
    this.debugger = Debugger.of(x, this)
  }

  get count(): number {
    return this.state.execution.ticks
  }
  get event(): Json | undefined {
    return this.#x.get(EVENT_KEY)
  }

  /** Makes a leaf fail that is stuck. Returns the answer of a node that is RUNNING. */
  judged(node: LaidNode): typeof RUNNING | typeof FAILURE {
    const fault = judge(this, node)
    if (fault === undefined) return RUNNING
    this.halt(node)
    return this.fail(node, fault)
  }

  /** True if somebody counts the visits of nodes. */
  get isObserved(): boolean {
    return this.#x.def.observer !== undefined
  }

  visit(node: LaidNode): void {
    this.#x.def.observer?.visit(node)
    this.#audit.enter(node)
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

  /** A node begins: nothing of its last time is left, in it and below it. */
  begin(node: LaidNode): void {
    if (this.state.own(node.index) !== undefined) this.state.keep(node.index, undefined)
    this.refresh(node)
    this.reasons.forget(node)
  }

  /** The answer of a node, after its post-conditions and the audit of its contract. */
  finished(node: LaidNode, outcome: typeof SUCCESS | typeof FAILURE): typeof SUCCESS | typeof FAILURE {
    const final = node.isPlain ? outcome : this.#judged(node, outcome)
    if (final === FAILURE) this.reasons.failed(node)
    return final
  }

  #judged(node: LaidNode, outcome: typeof SUCCESS | typeof FAILURE): typeof outcome {
    let final = outcome
    const violation = this.#audit.leave(node)
    if (violation !== undefined) final = this.fail(node, violation)
    return node.compiled.conditions === undefined ? final : this.#code.after(node, node.compiled.conditions, final)
  }

  board(node: LaidNode): NodeBoard {
    return new FrameBoard(this.#x, node, this.#scopes, {
      wrote: (at, key) => {
        this.state.setProgress(at.index, this.now)
        this.#audit.wrote(at, key)
      },
      read: (at, key) => this.#audit.read(at, key),
      wroteGlobal: (key, value) => this.globals.push([key, value]),
    })
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

  /** Below a node that is not RUNNING nothing is. */
  haltChildren(node: LaidNode): void {
    const { children } = node
    for (let i = 0; i < children.length; i++) {
      const child = children[i]
      if (child !== undefined && this.state.state(child) === IS_RUNNING) this.halt(child)
    }
  }

  #stop(node: LaidNode): void {
    node.manifest.behaviour.halt?.(this, node)
    this.operations.drop(node)
    const { onHalted } = node.compiled.conditions ?? {}
    if (onHalted !== undefined) this.#code.assign(node, onHalted)
    this.emit('tree.node.cancelled', { node_id: node.id })
  }

  refresh(node: LaidNode): void {
    const { children } = node
    for (let i = 0; i < children.length; i++) {
      const child = children[i]
      if (child === undefined) continue
      const state = this.state.state(child)
      if (state === IS_RUNNING || state === FRESH) continue
      this.refresh(child)
      this.state.setState(child.index, FRESH, this.now)
    }
  }

  reason(node: LaidNode): string {
    return this.failure(node).reason
  }
  failure(node: LaidNode): KnownFailure {
    return this.reasons.of(node)
  }
  fail(node: LaidNode, reason: string | Fault | FaultData): typeof FAILURE {
    this.reasons.note(node, reason)
    return FAILURE
  }

  wakeAt(node: LaidNode, time: number): void {
    this.#waiting.add(node.index)
    this.wake(time)
  }
  /** Ticks the tree at a time, if it is RUNNING then. */
  wake(time: number): void {
    if (this.wakeTime === undefined || time < this.wakeTime) this.wakeTime = time
  }
  /** True for a node that waits for a time which it has named in this tick. */
  waits(node: LaidNode): boolean {
    return this.#waiting.has(node.index)
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
    const missing = this.#audit.missing(node, this.board(node))
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
  requestId(node: LaidNode): string {
    return this.operations.requestId(node)
  }
  takeSettled(node: LaidNode): Settled | undefined {
    return this.operations.take(node)
  }

  stream(_node: LaidNode, key: string, piece: string): void {
    this.#streams.add(key, piece)
  }
  endStream(_node: LaidNode, key: string): void {
    this.#streams.end(key)
  }

  openScope(child: LaidNode): void {
    this.#scopes.open(child)
  }
  scopeWrites(child: LaidNode): ReadonlyMap<string, Json> {
    return this.#scopes.writes(child)
  }
  shutScope(child: LaidNode): void {
    this.#scopes.shut(child)
  }

  link(node: LaidNode): Fault | undefined {
    return this.state.linkNode(node.index)
  }
  treeBelow(node: LaidNode): TreeFacts | undefined {
    const tree = node.children[0]?.tree
    if (tree === undefined) return undefined
    const { defaults, outputs, schemas, source } = tree
    const { inputs = {}, inouts = {} } = source.contract ?? {}
    return { defaults, outputs, inputs: Object.keys({ ...inputs, ...inouts }), declares: (key) => schemas.has(key) }
  }
  keys(node: LaidNode): readonly string[] {
    return [...node.tree.schemas.keys()]
  }
  declares(node: LaidNode, key: string): boolean {
    return node.tree.schemas.has(key)
  }
  refusal(node: LaidNode, key: string, value: Json): Fault | undefined {
    return refusalOf(node, key, value)
  }
}
