import { type Frame, type StepContext, type UsageMeter, faultData, type Json, type JsonObject } from '../../../kernel/index.ts'
import type { TypedGraph, TypedNode } from '../model/typed.ts'
import { textOf } from '../dot/graph.ts'
import { authorOf } from '../model/program-author.ts'
import { type BranchArgs, branchOf } from '../contract/branch.ts'
import { storeBranchGates } from './gates.ts'
import type { Permissions } from '../contract/handler.ts'
import { permissionsOf } from '../contract/permissions.ts'
import { StepToken } from './step-token.ts'
import { labelOfKey, labelsOfResults } from './labels.ts'
import type { Engine } from './engine.ts'
import type { Position } from '../contract/position.ts'
import { budgetStatus } from './budget.ts'
import { contextReader, FrameNodeContext, type Remark, type ContextSource } from '../contract/node-context.ts'
import type { Label } from '../../../policy/label.ts'
import { INTERNAL, EngineBoard } from '../contract/engine-board.ts'

/** A step of a pipeline. */
export type Step = StepContext<TypedGraph>

/**
 * One step of a frame: its position, its reads and its writes. It exists only for this step; everything that lasts is
 * in the position and on the board.
 */
export class FrameStep implements ContextSource {
  readonly x: Step
  readonly engine: Engine
  /** The branch that the frame walks; undefined for a whole pipeline. */
  readonly branch: BranchArgs | undefined
  readonly remarks: Remark[] = []
  readonly permissions: Permissions
  #typed: TypedGraph | undefined
  #position: Position | undefined
  #hasMoved = false
  #node: TypedNode | undefined
  #board: EngineBoard | undefined
  #boardRound = 0
  #meter: UsageMeter | undefined
  #isGathered = false

  constructor(x: Step, engine: Engine) {
    this.x = x
    this.engine = engine
    this.branch = branchOf(x.frame)
    this.permissions = permissionsOf(x.frame)
  }

  get typed(): TypedGraph {
    return this.#typed ?? this.x.def
  }

  /**
   * Continues with a changed pipeline from now on. Its author stays as trusted as before, unless `by` is untrusted.
   * Throws the first error of a text that has errors.
   */
  become(dot: string, version: number, by?: 'untrusted'): void {
    const author = by ?? authorOf(this.typed)
    this.#node = undefined
    this.#typed = this.x.become({ dot, transformed: true, ...(author === undefined ? {} : { author }) }, version)
  }

  get position(): Position {
    this.#position ??= this.x.position as unknown as Position
    return this.#position
  }

  get round(): number {
    return this.position.round ?? 0
  }

  get engineBoard(): EngineBoard {
    const { round } = this
    if (this.#board === undefined || this.#boardRound !== round) {
      this.#board = EngineBoard.in(this.x, round)
      this.#boardRound = round
    }
    return this.#board
  }

  get frame(): Frame {
    return this.x.frame
  }

  get now(): number {
    return this.x.now
  }

  /** The usage before this step enters a node. */
  get meterBefore(): UsageMeter {
    this.#meter ??= this.x.meter
    return this.#meter
  }

  /** The node at which the frame stands. */
  get node(): TypedNode {
    this.#node ??= this.#findNode()
    return this.#node
  }

  #findNode(): TypedNode {
    const item = this.branch?.spec.item
    if (item !== undefined) return this.engine.itemNode(item)
    const node = this.typed.nodes.get(this.position.node)
    if (node === undefined) throw new TypeError(`no node ${this.position.node}`)
    return node
  }

  /** Moves the frame. Undefined fields are not recorded. */
  setPosition(position: Position): void {
    if (position.node !== this.#position?.node) this.#node = undefined
    this.#position = position
    this.#hasMoved = true
  }

  /** Gives the record what the step has collected: the last position, and the remarks. */
  end(): void {
    if (this.#hasMoved) this.x.go(plain(this.position))
    if (this.remarks.length > 0) this.x.note(this.remarks)
  }

  note(type: string, payload: JsonObject): void {
    this.remarks.push([type, payload])
  }

  /** Returns the context for the handler of the node: the values before its execution. */
  nodeContext(): FrameNodeContext {
    return new FrameNodeContext(this, this.node)
  }

  /** Returns a reader of the context as conditions read it. */
  reader(): (key: string) => Json | undefined {
    return contextReader(this)
  }

  read(key: string): Json | undefined {
    return this.x.get(key)
  }

  budget(): Json {
    return budgetStatus(this.x)
  }

  label(key: string): Label {
    return labelOfKey(this, key)
  }

  /** Returns the execution as the chain sees it. */
  token(): StepToken {
    return new StepToken(this)
  }

  /** Returns the results of a pipeline: its context, without the keys of the engine. */
  results(): JsonObject {
    const reader = this.x.reader()
    const results: [string, Json][] = []
    for (const key of reader.keys()) {
      // The engine keeps at least one key of its own for each node.
      const value = key.startsWith(INTERNAL) ? undefined : reader.get(key)
      if (value !== undefined) results.push([key, value])
    }
    for (const [key, value] of Object.entries(this.x.pending())) if (!key.startsWith(INTERNAL)) results.push([key, value])
    return Object.fromEntries(results)
  }

  /** Returns the fields besides the results: the usage, and for a caller the labels of the results. */
  returnedFields(): JsonObject {
    const { tokens, cost, calls, steps } = this.x.meter.program(this.x.frame)
    return { spent: { tokens, cost, calls, steps }, ...labelsOfResults(this) }
  }

  /** Stores the facts of ended branches that hold for the whole run, before this step drops the branches. */
  gather(): void {
    if (this.#isGathered) return
    this.#isGathered = true
    storeBranchGates(this)
  }

  /** Ends the frame with a failure; its data names the stage that failed, and the code of that failure. */
  fail(reason: string, node: string, code?: string): void {
    const name = textOf(this.typed.graph.attributes, 'label') ?? this.typed.graph.id
    const stage = code === undefined ? {} : { stage: { node, code, message: reason } }
    const data = { ...stage, ...(this.x.frame.link === undefined ? {} : this.returnedFields()) }
    this.x.fail({ ...faultData(this.engine.failed(reason, node, name)), ...(Object.keys(data).length === 0 ? {} : { data }) })
  }
}

function plain(position: Position): Json {
  for (const key in position) if (position[key as keyof Position] === undefined) return withoutUndefined(position)
  return position as unknown as Json
}

function withoutUndefined(position: Position): Json {
  return Object.fromEntries(Object.entries(position).filter(([, value]) => value !== undefined))
}
