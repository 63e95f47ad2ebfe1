import { type StepContext, faultData, type Json, type JsonObject } from '../../../kernel/index.ts'
import type { TypedGraph, TypedNode } from '../model/typed.ts'
import { textOf } from '../dot/graph.ts'
import { authorOf } from '../model/program-author.ts'
import type { Token } from './middleware.ts'
import { type BranchArgs, branchOf } from '../contract/branch.ts'
import { storeBranchGates } from './gates.ts'
import type { Permissions } from '../contract/handler.ts'
import { permissionsOf } from '../contract/permissions.ts'
import { carriedLabel, labelOfKey, labelsOfResults, markLabel, storedKey, touchedLabel, worstLabel } from './labels.ts'
import type { Engine } from './engine.ts'
import type { Position } from '../contract/position.ts'
import { budgetStatus } from './budget.ts'
import { contextReader, FrameNodeContext, type Remark, type ContextSource } from '../contract/node-context.ts'
import { INTERNAL, EngineBoard } from '../contract/engine-board.ts'

/** A step of a pipeline. */
export type Step = StepContext<TypedGraph>

/**
 * One step of a frame: its position, its reads and its writes. It exists only for this step; everything that lasts is
 * in the position and on the board.
 */
export class FrameStep {
  readonly x: Step
  readonly engine: Engine
  /** The branch that the frame walks; undefined for a whole pipeline. */
  readonly branch: BranchArgs | undefined
  readonly remarks: Remark[] = []
  #typed: TypedGraph | undefined
  #position: Position | undefined
  #isGathered = false

  constructor(x: Step, engine: Engine) {
    this.x = x
    this.engine = engine
    this.branch = branchOf(x.frame)
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
    this.#typed = this.x.become({ dot, transformed: true, ...(author === undefined ? {} : { author }) }, version)
  }

  get position(): Position {
    this.#position ??= this.x.position as unknown as Position
    return this.#position
  }

  get round(): number {
    return this.position.lap ?? 0
  }

  get engineBoard(): EngineBoard {
    return EngineBoard.in(this.x, this.round)
  }

  get permissions(): Permissions {
    return permissionsOf(this.x.frame)
  }

  /** The node at which the frame stands. */
  get node(): TypedNode {
    const item = this.branch?.spec.item
    if (item !== undefined) return this.engine.itemNode(item)
    const node = this.typed.nodes.get(this.position.node)
    if (node === undefined) throw new TypeError(`no node ${this.position.node}`)
    return node
  }

  /** Moves the frame. Undefined fields are not recorded. */
  setPosition(position: Position): void {
    this.#position = position
    this.x.go(plain(position))
  }

  note(type: string, payload: JsonObject): void {
    this.remarks.push([type, payload])
  }

  /** Returns the context for the handler of the node: the values before its execution. */
  nodeContext(): FrameNodeContext {
    return new FrameNodeContext(this.#contextSource(), this.node)
  }

  /** Returns a reader of the context as conditions read it. */
  reader(): (key: string) => Json | undefined {
    return contextReader(this.#contextSource())
  }

  #contextSource(): ContextSource {
    const { x, typed, position, engineBoard, permissions, remarks } = this
    return {
      typed,
      position,
      engineBoard,
      permissions,
      remarks,
      frame: x.frame,
      now: x.now,
      read: (key: string) => x.get(key),
      budget: () => budgetStatus(x),
      label: (key: string) => labelOfKey(this, key),
    }
  }

  /** Returns the execution as the chain sees it. */
  token(): Token {
    const context = this.nodeContext()
    const { x } = this
    return {
      context,
      get used() {
        return x.meter.program(x.frame)
      },
      label: (key) => labelOfKey(this, key),
      worstLabel: () => worstLabel(this),
      stored: (key) => storedKey(this, key),
      mark: (key, label) => markLabel(this, key, label),
      carriedLabel: (keys) => carriedLabel(this, keys),
      touchedLabel: () => touchedLabel(this),
      note: (type, payload) => this.note(type, { node_id: context.node.id, ...payload }),
    }
  }

  /** Returns the results of a pipeline: its context, without the keys of the engine. */
  results(): JsonObject {
    const own = { ...this.x.reader().snapshot(), ...this.x.pending() }
    return Object.fromEntries(Object.entries(own).filter(([key]) => !key.startsWith(INTERNAL)))
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
  const fields = Object.entries(position).filter(([, value]) => value !== undefined)
  return Object.fromEntries(fields)
}
