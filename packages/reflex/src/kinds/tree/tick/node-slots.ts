import { isList, type Json, type Ref } from '../../../kernel/index.ts'
import type { LaidNode, Layout } from '../compile/layout.ts'
import { isSame, type NodeOperation, operationItem, operationOf } from './position-items.ts'
import { FRESH, IS_RUNNING } from './states.ts'

/** What a node has besides its state: while it is RUNNING, or above the leaf at which a tick has stopped. Times are milliseconds after the start. */
interface NodeDetails {
  since: number
  own: readonly Json[] | undefined
  operation: NodeOperation | undefined
  progress: number
  /** True if there was a warning about it since its last progress. */
  isWarned: boolean
}

/**
 * The states of the nodes of a tree in memory, by their places in the layout. In a position a node is 0 FRESH, 2 SUCCESS, 3 FAILURE, or
 * `[state, since, own, operation, progress, warned]` without zeros at its end.
 */
export class NodeSlots {
  readonly layout: Layout
  /** The state of each node. Only this class changes it. */
  codes = new Uint8Array(0)
  /** The states as the last record has them. */
  #recorded = new Uint8Array(0)
  /** 1 for a node whose details may have changed since then. */
  #touched = new Uint8Array(0)
  readonly #details: (NodeDetails | undefined)[] = []

  constructor(layout: Layout) {
    this.layout = layout
    this.grow()
  }

  /** Makes room for the nodes that the layout has got. */
  protected grow(): void {
    const { length } = this.layout.nodes
    this.codes = resized(this.codes, length)
    this.#recorded = resized(this.#recorded, length)
    this.#touched = resized(this.#touched, length)
    for (let index = this.#details.length; index < length; index++) {
      this.#details.push(undefined)
      this.#touched[index] = 1
    }
  }

  state({ index }: { readonly index: number }): number {
    return this.codes[index] ?? FRESH
  }
  /** The state of a node before this tick. */
  recorded(index: number): number {
    return this.#recorded[index] ?? FRESH
  }
  /** True for a node that has more than a state. */
  hasDetails(index: number): boolean {
    return this.#details[index] !== undefined
  }
  /** The start of RUNNING, in milliseconds after the start of the execution. */
  protected sinceOf(index: number): number {
    return this.#details[index]?.since ?? 0
  }
  /** The last progress of a node while it is RUNNING, in milliseconds after the start of the execution. */
  protected progressOf(index: number): number {
    const details = this.#details[index]
    return details === undefined ? 0 : Math.max(details.progress, details.since)
  }
  own(index: number): readonly Json[] | undefined {
    return this.#details[index]?.own
  }
  operation(index: number): NodeOperation | undefined {
    return this.#details[index]?.operation
  }
  isWarned(index: number): boolean {
    return this.#details[index]?.isWarned === true
  }
  /** True if the end of an operation came while a tick waited for another leaf, and no tick has taken it. */
  get hasStored(): boolean {
    return this.#details.some((details) => details?.operation?.hasSettled === true)
  }
  /** Returns the node whose operation has a ref. */
  protected runningNodeOf(ref: Ref): LaidNode | undefined {
    return this.layout.nodes[this.#details.findIndex((details) => details?.operation?.ref === ref)]
  }

  /** Sets the state of a node. One that is not RUNNING forgets what it had only while it was. `time`: milliseconds after the start. */
  protected change(index: number, state: number, time: number): void {
    if (state !== IS_RUNNING) {
      if (this.#details[index] !== undefined) this.#forget(index)
      this.codes[index] = state
    } else if (this.codes[index] !== IS_RUNNING) {
      this.codes[index] = state
      this.#detailsOf(index).since = time
    }
  }
  #forget(index: number): void {
    this.#details[index] = undefined
    this.#touched[index] = 1
  }
  #detailsOf(index: number): NodeDetails {
    this.#touched[index] = 1
    return (this.#details[index] ??= { since: 0, own: undefined, operation: undefined, progress: 0, isWarned: false })
  }

  /** Makes every node of a range of places FRESH, except for those that are RUNNING and those below them. */
  refreshRange(from: number, end: number): void {
    const { codes } = this
    const details = this.#details
    for (let index = from; index < end; index++) {
      if (codes[index] === IS_RUNNING) {
        index = (this.layout.nodes[index]?.end ?? end) - 1
        continue
      }
      codes[index] = FRESH
      if (details[index] !== undefined) this.#forget(index)
    }
  }

  keep(index: number, own: readonly Json[] | undefined): void {
    if (own === undefined && this.codes[index] !== IS_RUNNING) this.#forget(index)
    else this.#detailsOf(index).own = own
  }
  setOperation(index: number, operation: NodeOperation | undefined): void {
    if (operation !== undefined || this.#details[index] !== undefined) this.#detailsOf(index).operation = operation
  }
  protected setProgressOf(index: number, time: number): void {
    if (this.codes[index] !== IS_RUNNING || this.#details[index]?.progress === time) return
    const details = this.#detailsOf(index)
    details.isWarned = false
    details.progress = time
  }
  setWarned(index: number): void {
    this.#detailsOf(index).isWarned = true
  }

  /** Reads the items of a position, of which the first belong to the tree. */
  protected loadSlots(position: readonly Json[], header: number): void {
    for (let place = header; place < position.length; place++) {
      const [index, slot] = [place - header, position[place] ?? FRESH]
      const [state, since = 0, own = 0, operation = 0, progress = 0, warned = 0] = isList(slot) ? slot : [slot]
      this.codes[index] = Number(state)
      if (!isList(slot)) continue
      this.#details[index] = {
        since: Number(since),
        own: isList(own) ? own : undefined,
        operation: operationOf(operation),
        progress: Number(progress),
        isWarned: warned === 1,
      }
    }
    this.#touched.fill(0)
    this.#recorded.set(this.codes)
  }

  /** Returns the items of all nodes. */
  protected slots(): Json[] {
    this.forgetChanges()
    return this.layout.nodes.map(({ index }) => this.#slot(index))
  }

  /**
   * Adds the nodes whose items differ from those of a position, as place, item, place, item, in order. Returns true if there are any.
   * `items` undefined: nothing is added.
   */
  protected addChanges(position: readonly Json[], header: number, items: Json[] | undefined): boolean {
    const { codes } = this
    const recorded = this.#recorded
    const touched = this.#touched
    const { length } = codes
    let hasChanged = false
    for (let index = 0; index < length; index++) {
      if (codes[index] === recorded[index] && touched[index] === 0) continue
      const slot = this.#details[index] === undefined ? (codes[index] ?? FRESH) : this.#slot(index)
      const before = position[header + index]
      if (before !== undefined && isSame(slot, before)) continue
      if (items === undefined) return true
      items.push(header + index, slot)
      hasChanged = true
    }
    return hasChanged
  }

  protected forgetChanges(): void {
    this.#touched.fill(0)
    this.#recorded.set(this.codes)
  }

  #slot(index: number): Json {
    const state = this.codes[index] ?? FRESH
    const details = this.#details[index]
    if (details === undefined) return state
    const { since, own, operation, progress, isWarned } = details
    if (state !== IS_RUNNING) return own === undefined ? state : [state, 0, own]
    const items = [own ?? 0, operation === undefined ? 0 : operationItem(operation), progress, isWarned ? 1 : 0]
    return [IS_RUNNING, since, ...items.slice(0, items.findLastIndex((item) => item !== 0) + 1)]
  }
}

function resized(bytes: Uint8Array, length: number): Uint8Array<ArrayBuffer> {
  const grown = new Uint8Array(length)
  grown.set(bytes)
  return grown
}
