import type { StepContext } from '../../../kernel/step/context.ts'
import { faultData } from '../../../kernel/journal/fault.ts'
import { isObject, type Json, type JsonObject } from '../../../kernel/journal/json.ts'
import type { TypedGraph, TypedNode } from '../model/typed.ts'
import { textOf } from '../dot/graph.ts'
import { authorOf } from '../model/vouching.ts'
import type { Token } from './middleware.ts'
import { type BranchArgs, branchOf } from '../contract/branch.ts'
import { keepBranchGates } from './gates.ts'
import type { Charter } from '../contract/handler.ts'
import { carriedLabel, labelOfKey, labelsOfResults, markLabel, storedKey, touchedLabel, worstLabel } from './labels.ts'
import type { Engine } from './parts.ts'
import type { Position } from '../contract/position.ts'
import { Purse } from './purse.ts'
import { contextReader, NodeScene, type Remark, type Surroundings } from '../contract/scene.ts'
import { OWN, Tally } from '../contract/tally.ts'

/** A step of a pipeline. */
export type Step = StepContext<TypedGraph>

/**
 * One step of a frame, in the hands of those who take it: where it stands, what it reads and writes. Made for each step
 * and gone with it; everything that lasts is in the position and on the board.
 */
export class Walk {
  readonly x: Step
  readonly engine: Engine
  /** The branch that the frame walks; nothing for a whole pipeline. */
  readonly branch: BranchArgs | undefined
  readonly remarks: Remark[] = []
  readonly purse: Purse
  #typed: TypedGraph | undefined
  #position: Position | undefined
  #charter: Charter | undefined
  #gathered = false

  constructor(x: Step, engine: Engine) {
    this.x = x
    this.engine = engine
    this.branch = branchOf(x.frame)
    this.purse = new Purse(x, () => this.charter)
  }

  get typed(): TypedGraph {
    return this.#typed ?? this.x.def
  }

  /**
   * Goes on with a changed pipeline, from this moment on; nobody vouches for it who did not for the one before. Throws the
   * first error of a text that has any.
   */
  become(dot: string, version: number, by?: 'untrusted'): void {
    const author = by ?? authorOf(this.typed)
    this.#typed = this.x.become({ dot, transformed: true, ...(author === undefined ? {} : { author }) }, version)
  }

  get position(): Position {
    this.#position ??= this.x.position as unknown as Position
    return this.#position
  }

  get lap(): number {
    return this.position.lap ?? 0
  }

  get tally(): Tally {
    return Tally.in(this.x, this.lap)
  }

  get charter(): Charter {
    this.#charter ??= this.tally.charter
    if (this.#charter === undefined) throw new TypeError('the run has no charter yet')
    return this.#charter
  }

  /** The node where the frame stands. */
  get node(): TypedNode {
    const item = this.branch?.spec.item
    if (item !== undefined) return this.engine.itemNode(item)
    const node = this.typed.nodes.get(this.position.node)
    if (node === undefined) throw new TypeError(`no node ${this.position.node}`)
    return node
  }

  /** Moves the frame. Fields that are undefined are left out of the record. */
  go(position: Position): void {
    this.#position = position
    this.x.go(plain(position))
  }

  note(type: string, payload: JsonObject): void {
    this.remarks.push([type, payload])
  }

  /** What the handler of the node sees: the context as it was before its execution. */
  scene(): NodeScene {
    return new NodeScene(this.#surroundings(), this.node)
  }

  /** Reads the context as conditions do. */
  reader(): (key: string) => Json | undefined {
    return contextReader(this.#surroundings())
  }

  #surroundings(): Surroundings {
    const { x, typed, position, tally, charter, remarks } = this
    return {
      typed,
      position,
      tally,
      charter,
      remarks,
      frame: x.frame,
      now: x.now,
      read: (key: string) => x.get(key),
      budget: () => this.purse.status,
      label: (key: string) => labelOfKey(this, key),
    }
  }

  /** The execution as the chain sees it. */
  token(): Token {
    const scene = this.scene()
    const { purse } = this
    return {
      scene,
      get used() {
        return purse.usedByPipeline
      },
      label: (key) => labelOfKey(this, key),
      worst: () => worstLabel(this),
      stored: (key) => storedKey(this, key),
      mark: (key, label) => markLabel(this, key, label),
      carried: (keys) => carriedLabel(this, keys),
      touched: () => touchedLabel(this),
      permitted: (grant) => this.permitted(grant),
      uses: (grant) => purse.spentByRun.uses?.[grant] ?? 0,
      note: (type, payload) => this.note(type, { node_id: scene.node.id, ...payload }),
    }
  }

  /** What was decided on a grant for the node where the frame stands; nothing if nobody has decided. */
  permitted(grant: string): boolean | undefined {
    const decided = this.x.get(permitKey(this.position.node))
    const word = isObject(decided) ? decided[grant] : undefined
    return typeof word === 'boolean' ? word : undefined
  }

  /** Keeps what was decided on a grant, for this node and for the effects that it asks for. */
  permit(grant: string, allowed: boolean): void {
    const key = permitKey(this.position.node)
    const decided = this.x.get(key)
    if (this.permitted(grant) !== allowed) this.x.set(key, { ...(isObject(decided) ? decided : {}), [grant]: allowed })
  }

  /** What a pipeline gives to whoever started or called it: its context, without what the engine keeps. */
  results(): JsonObject {
    const own = { ...this.x.reader().snapshot(), ...this.x.pending() }
    return Object.fromEntries(Object.entries(own).filter(([key]) => !key.startsWith(OWN)))
  }

  /** What a pipeline gives beside its results: what was used for them, and for a caller where they come from. */
  brought(): JsonObject {
    return { spent: { ...this.purse.total }, ...labelsOfResults(this) }
  }

  /** Keeps what counts for the run of branches that have ended, before this step forgets them. */
  gather(): void {
    if (this.#gathered) return
    this.#gathered = true
    this.purse.gather()
    keepBranchGates(this)
  }

  /** Ends the frame with a failure; its data names the stage that failed, with the code of that failure. */
  fail(reason: string, node: string, code?: string): void {
    const name = textOf(this.typed.graph.attributes, 'label') ?? this.typed.graph.id
    const stage = code === undefined ? {} : { stage: { node, code, message: reason } }
    const data = { ...stage, ...(this.x.frame.link === undefined ? {} : this.brought()) }
    this.x.fail({ ...faultData(this.engine.failed(reason, node, name)), ...(Object.keys(data).length === 0 ? {} : { data }) })
  }
}

/** Where it is kept what a node was permitted; the policy reads it when an effect is performed. */
export function permitKey(node: string): string {
  return `#may/${node}`
}

function plain(position: Position): Json {
  const fields = Object.entries(position).filter(([, value]) => value !== undefined)
  return Object.fromEntries(fields)
}
