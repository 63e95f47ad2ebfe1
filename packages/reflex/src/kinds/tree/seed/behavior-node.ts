import type { Json, JsonObject } from '../../../kernel/index.ts'
import { quote } from '../../../text/index.ts'
import { NodeContract } from '../board/contract.ts'
import { NAME } from '../formats/names.ts'
import type { NodeManifest, Propagation } from '../manifest/manifest.ts'
import { faults } from '../model/faults.ts'
import { RunStatus } from '../model/run-status.ts'
import type { TickContext } from './tick-context.ts'

/** What a node is made with, besides its id. */
export interface NodeOptions {
  /** Absent: the id. */
  readonly name?: string
  /** What the host notes about the node. It has no effect. */
  readonly metadata?: JsonObject
  /** The nodes below it. Each node has one parent. */
  readonly children?: readonly BehaviorNode[]
}

/** The place of a node in a tree: what it asks its tree for. */
export interface Seat {
  status(): RunStatus
  /** Milliseconds since the epoch; undefined unless the node is RUNNING. */
  runningSince(): number | undefined
  tickCount(): number
  lastTickDurationMs(): number
  path(): string
  tick(ctx: TickContext): RunStatus
  reset(): void
}

/** Seats a node that stands alone, when it is first ticked. Set by the room that makes trees, which this file must not import. */
const SOLO: { seat: ((node: BehaviorNode, ctx: TickContext) => void) | undefined } = { seat: undefined }
export function seatAlone(seat: (node: BehaviorNode, ctx: TickContext) => void): void {
  SOLO.seat = seat
}

/**
 * The base class of nodes that a host writes (seed tree 2.3). Override `_tick`, and `onReset` for what the node keeps while it is RUNNING. A node
 * with children ticks them itself, with `child.tick(ctx)`. Status and counts are those of the tree in which the node stands.
 */
export abstract class BehaviorNode {
  /** The id, which no other node of its tree has (E2005). */
  readonly id: string
  readonly name: string
  readonly #metadata: JsonObject
  readonly #children: readonly BehaviorNode[]
  #parent: BehaviorNode | undefined
  #seat: Seat | undefined

  /** Throws `R1225` for an id that is no name, and `R1226` for a child that has a parent already. */
  constructor(id: string, { name = id, metadata = {}, children = [] }: NodeOptions = {}) {
    if (typeof id !== 'string' || !NAME.test(id))
      throw faults.make('R1225', `${quote(id)} is no id of a node`, {
        rule: 'E2004',
        fix: 'begin with a letter, and use letters, digits, _ and - only',
      })
    this.id = id
    this.name = name
    this.#metadata = { ...metadata }
    this.#children = [...children]
    for (const child of children) {
      if (child.#parent !== undefined)
        throw faults.make('R1226', `${child.id} stands under ${child.#parent.id} already`, {
          rule: 'E2005',
          fix: 'make a node for each place',
        })
      child.#parent = this
    }
  }

  /** The contract of the class: none unless it is overridden. */
  static contract(): NodeContract {
    return new NodeContract()
  }

  /** The contract of this node: that of its class. */
  contract(): NodeContract {
    return (this.constructor as typeof BehaviorNode).contract()
  }

  /** What the host noted about the node. A copy. */
  get metadata(): JsonObject {
    return { ...this.#metadata }
  }
  /** The nodes below this one, in the order of their definition. The list is a copy. */
  get children(): readonly BehaviorNode[] {
    return [...this.#children]
  }
  /** The node above; undefined for a root. */
  get parent(): BehaviorNode | undefined {
    return this.#parent
  }
  /** How a failure of a child reaches the parent of this node (EP-01), for the docs: a node of a host decides by a policy of its own. */
  get propagatesFailure(): Propagation {
    return this.#children.length === 0 ? 'leaf' : 'policy'
  }
  /** The answer of the last tick; FRESH before the first, and after a reset. */
  get status(): RunStatus {
    return this.#seat?.status() ?? RunStatus.FRESH
  }
  /** The ticks of this node since it was made. `reset` keeps it. */
  get tickCount(): number {
    return this.#seat?.tickCount() ?? 0
  }
  /** The start of RUNNING; undefined unless the node is RUNNING. */
  get runningSince(): Date | undefined {
    const time = this.#seat?.runningSince()
    return time === undefined ? undefined : new Date(time)
  }
  /** The milliseconds of the last tick of this node, with those of the nodes below it. */
  get lastTickDurationMs(): number {
    return this.#seat?.lastTickDurationMs() ?? 0
  }

  /** Gives the node its place. Throws `R1226` if it has one. */
  sit(seat: Seat): void {
    if (this.#seat !== undefined)
      throw faults.make('R1226', `${this.id} stands in a tree already`, { rule: 'E2005', fix: 'make a node for each tree' })
    this.#seat = seat
  }

  /**
   * Ticks the node: a child during the tick of its parent, the root of a tree, or a node that stands alone. Throws `R1239` for another node of a
   * tree, because its parent decides when it is ticked, and inside a tick of its tree. A `_tick` that throws is FAILURE with the message as reason.
   */
  tick(ctx: TickContext): RunStatus {
    if (this.#seat === undefined && this.#parent === undefined) SOLO.seat?.(this, ctx)
    if (this.#seat === undefined) throw faults.make('R1239', `${this.id} stands in no tree; tick its root`)
    return this.#seat.tick(ctx)
  }

  /** What the node does with a tick. SUCCESS or FAILURE ends it; RUNNING continues with the next tick. A throw is a failure. */
  abstract _tick(ctx: TickContext): RunStatus

  /** Called before the node begins, and when it is halted: forget what belongs to one time of RUNNING. */
  onReset(): void {}

  /** Halts the node and all below it, deepest first: their operations are aborted, `onReset` is called, and they are FRESH. Counts stay. */
  reset(): void {
    if (this.#seat === undefined) this.onReset()
    else this.#seat.reset()
  }

  /** Returns what a debugger shows of the node: id, name, status, ticks, start of RUNNING, duration, path, and `debugDetails`. */
  debugInfo(): JsonObject {
    return {
      id: this.id,
      name: this.name,
      status: this.status,
      tick_count: this.tickCount,
      running_since: this.runningSince?.toISOString() ?? null,
      last_tick_duration_ms: this.lastTickDurationMs,
      path: this.#seat?.path() ?? this.id,
      ...this.debugDetails(),
    }
  }
  /** What a subclass adds to `debugInfo`. */
  debugDetails(): { readonly [key: string]: Json } {
    return {}
  }
}

/** A node of the catalogue in a tree, for those who look at its status. Its tree ticks it. */
export class CatalogueNode extends BehaviorNode {
  readonly type: string
  readonly #propagates: Propagation

  constructor(id: string, { type, propagates }: Pick<NodeManifest, 'type' | 'propagates'>, options: NodeOptions) {
    super(id, options)
    this.type = type
    this.#propagates = propagates
  }

  override get propagatesFailure(): Propagation {
    return this.#propagates
  }

  override _tick(): RunStatus {
    throw new TypeError(`${this.id} is ticked by its tree`)
  }

  override debugDetails(): { readonly [key: string]: Json } {
    return { type: this.type }
  }
}
