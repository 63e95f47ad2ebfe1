import { type Fault, isList, type Json, type Ref } from '../../../kernel/index.ts'
import type { LaidNode, Layout } from '../compile/layout.ts'
import {
  flatItem,
  isSame,
  type NodeOperation,
  type OpenLeaf,
  openItem,
  openOf,
  operationItem,
  operationOf,
  pairs,
} from './position-items.ts'

/** The states of a tree. */
export const IDLE = 0
export const ACTIVE = 1
export const YIELDED = 2
export const COMPLETED = 3
export const FAILED = 4

/** The states of a node, as they stand in a position. */
export const FRESH = 0
export const IS_RUNNING = 1
export const SUCCEEDED = 2
export const HAS_FAILED = 3

/** The items of a position before those of the nodes. */
export const HEADER = 10
const [RECORDS, STATUS, EXECUTION, TICKS, AGAINS, ALARM, SCOPES, LASTING, LINKS] = [0, 1, 2, 3, 4, 6, 7, 8, 9] as const
/** The item with the leaf that a tick waits for. */
export const OPEN_AT = 5
/** The item with the number of recorded ticks of the execution. */
export const TICKS_AT = 3

/** The execution that a tree is in. */
export interface Execution {
  /** The first is 1. */
  number: number
  /** Milliseconds since the epoch. */
  start: number
  /** The recorded ticks so far. */
  ticks: number
  /** The ticks, one right after another, that nodes have asked for since the last event, time or end of an operation. */
  agains: number
}

/**
 * The position of a tree in memory. A position is the list `[records, status, [execution, start, stopped, paused], ticks, agains, open, alarm, scopes, lasting,
 * links, …nodes]`, where a node is 0 FRESH, 2 SUCCESS, 3 FAILURE, or `[state, since, own, operation, progress]` with times in milliseconds after
 * the start of the execution. Only a node that is RUNNING, or above the leaf at which a tick has stopped, is such a list. What has changed is
 * written as a patch.
 */
export class TreeState {
  readonly layout: Layout
  status = IDLE
  execution: Execution = { number: 0, start: 0, ticks: 0, agains: 0 }
  open: OpenLeaf | undefined
  alarm: { readonly ref: Ref; readonly due: number } | undefined
  /** The milliseconds for which the time of the tree has stood still, because the walk had stopped before a node. */
  stopped = 0
  /** The start of the current stop, in milliseconds since the epoch. */
  pausedAt: number | undefined
  /** The record that has opened the topic for commands. Not part of the position. */
  topicRecord: number | undefined
  /** The scopes of nodes. null: nothing was written in it yet. */
  readonly scopes = new Map<number, Ref | null>()
  readonly lasting = new Map<number, Json>()
  /** The lazy references that were linked, in this order. */
  readonly links: number[] = []
  /** The number of the next position. */
  records = 0
  #states: Uint8Array
  #since: number[]
  #own: (readonly Json[] | undefined)[]
  #operations: (NodeOperation | undefined)[]
  #progress: number[]
  /** The nodes that were warned about since their last progress. */
  readonly #warned = new Set<number>()
  #changed: Uint8Array
  /** The states as the last record has them. */
  #recorded: Uint8Array
  readonly #changes: number[] = []

  constructor(layout: Layout) {
    const count = layout.nodes.length
    this.layout = layout
    this.#states = new Uint8Array(count)
    this.#changed = new Uint8Array(count)
    this.#recorded = new Uint8Array(count)
    this.#since = Array.from({ length: count }, () => 0)
    this.#progress = Array.from({ length: count }, () => 0)
    this.#own = Array.from({ length: count }, () => undefined)
    this.#operations = Array.from({ length: count }, () => undefined)
  }

  /** Reads a position. */
  load(position: readonly Json[]): void {
    const [records = 0, status = IDLE, execution, ticks = 0, agains = 0, open = 0, alarm = 0, scopes, lasting, links] = position
    this.records = Number(records)
    this.status = Number(status)
    const [number = 0, start = 0, stopped = 0, pausedAt = 0] = (isList(execution) ? execution : []) as number[]
    this.stopped = stopped
    this.pausedAt = pausedAt === 0 ? undefined : pausedAt
    this.execution = { number, start, ticks: Number(ticks), agains: Number(agains) }
    this.open = openOf(open)
    this.alarm = isList(alarm) ? { ref: alarm[0] as Ref, due: Number(alarm[1]) } : undefined
    for (const index of isList(links) ? links : []) this.linkNode(Number(index))
    for (const [index, ref] of pairs(scopes)) this.scopes.set(index, ref as Ref | null)
    for (const [index, value] of pairs(lasting)) this.lasting.set(index, value)
    for (let i = HEADER; i < position.length; i++) this.#loadNode(i - HEADER, position[i] ?? FRESH)
    this.#recorded.set(this.#states)
  }

  #loadNode(index: number, slot: Json): void {
    if (!isList(slot)) {
      this.#states[index] = Number(slot)
      return
    }
    const [state, since = 0, own = 0, operation = 0, progress = 0, warned = 0] = slot
    if (warned === 1) this.#warned.add(index)
    this.#states[index] = Number(state)
    this.#since[index] = Number(since)
    this.#own[index] = isList(own) ? own : undefined
    this.#operations[index] = operationOf(operation)
    this.#progress[index] = Number(progress)
  }

  /** Links the tree of a lazy reference. Returns what is wrong if it cannot be linked. */
  linkNode(index: number): Fault | undefined {
    const node = this.layout.nodes[index]
    if (node === undefined || node.children.length > 0) return undefined
    const fault = this.layout.link(node)
    if (fault === undefined) {
      this.links.push(index)
      this.#grow()
    }
    return fault
  }

  #grow(): void {
    const more = this.layout.nodes.length - this.#states.length
    if (more <= 0) return
    this.#states = withZeros(this.#states, more)
    this.#changed = withZeros(this.#changed, more)
    this.#recorded = withZeros(this.#recorded, more)
    for (let i = 0; i < more; i++) {
      this.touch(this.#since.length)
      this.#since.push(0)
      this.#progress.push(0)
      this.#own.push(undefined)
      this.#operations.push(undefined)
    }
  }

  /** The time of the tree at a time of the run. Everything that a tree measures is in this time, which stands still while it is paused. */
  timeAt(now: number): number {
    return (this.pausedAt ?? now) - this.stopped
  }

  /** Notes that the item of a node may have changed. */
  touch(index: number): void {
    if (this.#changed[index] === 1) return
    this.#changed[index] = 1
    this.#changes.push(index)
  }

  /** The state of a node before this tick. */
  recorded(index: number): number {
    return this.#recorded[index] ?? FRESH
  }

  state({ index }: { readonly index: number }): number {
    return this.#states[index] ?? FRESH
  }
  /** Returns the first node that is RUNNING, from a place of the layout on. */
  nextRunning(from: number): LaidNode | undefined {
    const index = this.#states.indexOf(IS_RUNNING, from)
    return index < 0 ? undefined : this.layout.nodes[index]
  }
  /** The start of RUNNING, in milliseconds since the epoch. */
  since(index: number): number {
    return this.execution.start + (this.#since[index] ?? 0)
  }
  own(index: number): readonly Json[] | undefined {
    return this.#own[index]
  }
  operation(index: number): NodeOperation | undefined {
    return this.#operations[index]
  }
  /** The last progress of a node while it is RUNNING, in milliseconds since the epoch. */
  progress(index: number): number {
    return this.execution.start + Math.max(this.#progress[index] ?? 0, this.#since[index] ?? 0)
  }

  setState(index: number, state: number, now: number): void {
    const before = this.#states[index]
    if (state !== IS_RUNNING && (before === IS_RUNNING || this.#own[index] !== undefined)) this.#clear(index)
    if (before === state) return
    this.touch(index)
    this.#states[index] = state
    if (state === IS_RUNNING) this.#since[index] = now - this.execution.start
  }
  /** Forgets what a node has only while it is RUNNING. */
  #clear(index: number): void {
    if (this.#own[index] !== undefined) this.touch(index)
    this.#warned.delete(index)
    this.#since[index] = 0
    this.#progress[index] = 0
    this.#own[index] = undefined
    this.#operations[index] = undefined
  }
  keep(index: number, own: readonly Json[] | undefined): void {
    this.touch(index)
    this.#own[index] = own
  }
  setOperation(index: number, operation: NodeOperation | undefined): void {
    this.touch(index)
    this.#operations[index] = operation
  }
  setProgress(index: number, now: number): void {
    if (this.#states[index] !== IS_RUNNING || this.#progress[index] === now - this.execution.start) return
    this.touch(index)
    this.#warned.delete(index)
    this.#progress[index] = now - this.execution.start
  }
  /** True if there was a warning about a node since its last progress. */
  isWarned(index: number): boolean {
    return this.#warned.has(index)
  }
  setWarned(index: number): void {
    this.touch(index)
    this.#warned.add(index)
  }

  /** True if the end of an operation came while a tick waited for another leaf, and no tick has taken it. */
  get hasStored(): boolean {
    return this.#operations.some((operation) => operation?.hasSettled === true)
  }

  /** Returns the node whose operation has a ref: the open one, or a RUNNING one. */
  nodeOf(ref: Ref): LaidNode | undefined {
    if (this.open?.ref === ref) return this.layout.nodes[this.open.index]
    const index = this.#operations.findIndex((operation) => operation?.ref === ref)
    return index < 0 ? undefined : this.layout.nodes[index]
  }

  /** The whole position. */
  position(): Json[] {
    this.#forgetChanges()
    return [...this.#header(), ...this.layout.nodes.map(({ index }) => this.#slot(index))]
  }

  /** True if nothing but the execution differs from a position: a tick that left everything as it was. */
  isUnchanged(position: readonly Json[]): boolean {
    const header = this.#header()
    for (let i = OPEN_AT; i < HEADER; i++) if (!isSame(header[i] ?? 0, position[i] ?? 0)) return false
    if (header[STATUS] !== position[STATUS]) return false
    return this.#changes.every((index) => isSame(this.#slot(index), position[HEADER + index] ?? FRESH))
  }

  /** Returns the changes against a position, as index, value, index, value. The number of records is not among them. */
  changes(position: readonly Json[]): Json[] {
    const items: Json[] = []
    const header = this.#header()
    for (let i = STATUS; i < HEADER; i++) if (!isSame(header[i] ?? 0, position[i] ?? 0)) items.push(i, header[i] ?? 0)
    // A composite that begins makes its children FRESH, so most of what was touched is as it was.
    const changed: number[] = []
    for (const index of this.#changes) if (!this.#isAsBefore(index, position)) changed.push(index)
    for (const index of changed.sort(ascending)) items.push(HEADER + index, this.#slot(index))
    this.#forgetChanges()
    return items
  }

  /** True if the item of a node is the one of a position. */
  #isAsBefore(index: number, position: readonly Json[]): boolean {
    const before = position[HEADER + index]
    return before !== undefined && isSame(this.#slot(index), before)
  }

  #forgetChanges(): void {
    for (const index of this.#changes) {
      this.#changed[index] = 0
      this.#recorded[index] = this.#states[index] ?? FRESH
    }
    this.#changes.length = 0
  }

  #header(): Json[] {
    const { number, start, ticks, agains } = this.execution
    const header: Json[] = []
    header[RECORDS] = this.records
    header[STATUS] = this.status
    header[EXECUTION] = [number, start]
    if (this.stopped > 0 || this.pausedAt !== undefined) header[EXECUTION] = [number, start, this.stopped, this.pausedAt ?? 0]
    header[TICKS] = ticks
    header[AGAINS] = agains
    header[OPEN_AT] = this.open === undefined ? 0 : openItem(this.open)
    header[ALARM] = this.alarm === undefined ? 0 : [this.alarm.ref, this.alarm.due]
    header[SCOPES] = flatItem(this.scopes)
    header[LASTING] = flatItem(this.lasting)
    header[LINKS] = this.links.length === 0 ? 0 : [...this.links]
    return header
  }

  #slot(index: number): Json {
    const state = this.#states[index] ?? FRESH
    const own = this.#own[index]
    if (state !== IS_RUNNING) return own === undefined ? state : [state, 0, own]
    const operation = this.#operations[index]
    const slot: Json[] = [IS_RUNNING, this.#since[index] ?? 0]
    const progress = this.#progress[index] ?? 0
    const items = [own ?? 0, operation === undefined ? 0 : operationItem(operation), progress, this.#warned.has(index) ? 1 : 0]
    // Zeros at the end are left out.
    return slot.concat(items.slice(0, items.findLastIndex((item) => item !== 0) + 1))
  }
}

function ascending(one: number, other: number): number {
  return one - other
}

function withZeros(bytes: Uint8Array, more: number): Uint8Array {
  const grown = new Uint8Array(bytes.length + more)
  grown.set(bytes)
  return grown
}
