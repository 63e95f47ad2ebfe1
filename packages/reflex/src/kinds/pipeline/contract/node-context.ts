import { digestFraction, type Frame, type Json, type JsonObject } from '../../../kernel/index.ts'
import type { TypedGraph, TypedNode } from '../model/typed.ts'
import type { Attributes } from '../dot/graph.ts'
import { folderAt } from './paths.ts'
import { worseBudget } from './inputs.ts'
import { lookUp, type ReadKey } from '../language/look-up.ts'
import { renderText } from '../language/render.ts'
import type { ModelMessage } from '../../../models/index.ts'
import { branchOf } from './branch.ts'
import { type Fidelity, resolveFidelity } from './fidelity.ts'
import type { Permissions, NodeContext, Stage } from './handler.ts'
import { type Label, LEVELS, unpackLabel, LABELS } from '../../../policy/label.ts'
import type { Outcome } from './outcome.ts'
import type { Position } from './position.ts'
import { stagesOf } from './stages.ts'
import { INTERNAL, outcomeOf, RESUMED, type EngineBoard } from './engine-board.ts'
import { turnsOf } from './threads.ts'

/** A note of a step for readers: `[type, payload]`. */
export type Remark = readonly [type: string, payload: JsonObject]

/** The source of a `FrameNodeContext`. */
export interface ContextSource {
  readonly typed: TypedGraph
  readonly position: Position
  /** Reads the board. */
  read(key: string): Json | undefined
  readonly frame: Frame
  readonly engineBoard: EngineBoard
  readonly permissions: Permissions
  readonly now: number
  readonly remarks: Remark[]
  /** Returns the budget status. */
  budget(): Json
  /** Returns the label of a value of the context. */
  label(key: string): Label
}

/**
 * Returns a reader of context keys for conditions, prompts and handlers. The engine's own facts are computed, not stored: the
 * graph's attributes, the node, the result of the last stage (reference pipeline 6.1).
 */
export function contextReader(source: ReadSource): ReadKey {
  return (key) => readContext(source, key)
}

type ReadSource = Omit<ContextSource, 'frame' | 'remarks' | 'now' | 'label'>

function readContext(source: ReadSource, key: string): Json | undefined {
  switch (key) {
    case 'current_node':
      return source.position.node
    case 'outcome':
      return source.position.status
    case 'preferred_label':
      return source.position.label
    case 'last_stage':
      return source.position.last
    case 'workdir':
      return source.read(key) ?? source.permissions.workdir
    case 'budget_status':
      return worseBudget(source.budget(), source.read(key))
    case 'internal.run_id':
      return source.permissions.run
    default:
      break
  }
  if (key.startsWith('graph.')) return source.typed.graph.attributes.get(key.slice(6))?.value ?? source.read(key)
  if (key.startsWith('internal.fidelity.')) return fidelityFact(key.slice(18), source)
  if (key.startsWith('internal.retry_count.')) return source.engineBoard.outcome(key.slice(21))?.retries
  return key.startsWith(INTERNAL) ? undefined : source.read(key)
}

type FidelitySource = Pick<ContextSource, 'typed' | 'position' | 'read'>

/** Returns the fidelity mode or the conversation of the current node of a frame. */
function fidelityFact(name: string, source: FidelitySource): Json | undefined {
  const node = source.typed.nodes.get(source.position.node)
  if (node === undefined) return undefined
  const { mode, thread } = fidelityAt(source, node)
  return name === 'mode' ? mode : name === 'thread_id' ? thread : undefined
}

function fidelityAt(source: FidelitySource, node: TypedNode): Fidelity {
  const { typed, position } = source
  const edge = position.edge === undefined ? undefined : typed.graph.edges[position.edge]?.attributes
  return resolveFidelity({ typed, node, edge, previous: position.last, resumed: source.read(RESUMED) === true })
}

/** The node context of one execution. */
export class FrameNodeContext implements NodeContext {
  readonly node: TypedNode
  readonly attributes: Attributes
  readonly #source: ContextSource
  #draws = 0

  constructor(from: ContextSource, node: TypedNode, attributes: Attributes = node.node.attributes) {
    this.#source = from
    this.node = node
    this.attributes = attributes
  }

  get typed(): TypedGraph {
    return this.#source.typed
  }

  get injected(): Readonly<Record<string, string>> {
    return this.node.injected
  }

  get permissions(): Permissions {
    return this.#source.permissions
  }

  get folder(): string {
    return folderAt(this.permissions.folder, this.#source.frame)
  }

  get attempt(): number {
    return this.#source.position.attempt ?? 1
  }

  get isBranch(): boolean {
    return branchOf(this.#source.frame) !== undefined
  }

  get visit(): number {
    return (this.#source.engineBoard.outcome(this.node.id)?.v ?? 0) + 1
  }

  get now(): number {
    return this.#source.position.began ?? this.#source.now
  }

  get kept(): Json | undefined {
    return this.#source.position.kept
  }

  get previous(): string | undefined {
    return this.#source.position.last
  }

  get fidelity(): Fidelity {
    return fidelityAt(this.#source, this.node)
  }

  get(key: string): Json | undefined {
    return lookUp((spelling) => readContext(this.#source, spelling), key)
  }

  text(key: string): string {
    return renderText(this.get(key))
  }

  isHostile(key: string): boolean {
    return LEVELS.indexOf('hostile') <= unpackLabel(this.#source.read(`${LABELS}${key}`)).level
  }

  label(key: string): Label {
    return this.#source.label(key)
  }

  keys(): readonly string[] {
    const own = this.#source.frame
      .reader()
      .keys()
      .filter((key) => !key.startsWith(INTERNAL))
    return own.sort((a, b) => (a < b ? -1 : 1))
  }

  outcome(node: string): Outcome | undefined {
    const kept = this.#source.engineBoard.outcome(node)
    return kept === undefined ? undefined : outcomeOf(kept)
  }

  stages(): readonly Stage[] {
    return stagesOf(this.#source.typed, this.#source.frame.kindReader(), this.#round)
  }

  conversation(thread: string): readonly (readonly ModelMessage[])[] {
    return turnsOf((key) => this.#source.read(key), this.#round, thread)
  }

  get #round(): number {
    return this.#source.position.round ?? 0
  }

  random(): number {
    const { position } = this.#source
    return digestFraction(`${this.#source.permissions.origin}:${position.at ?? 0}:${this.node.id}:${this.attempt}:${this.#draws++}`)
  }

  note(type: string, payload: JsonObject): void {
    this.#source.remarks.push([type, payload])
  }
}
