import { type Fault, isList, type Json, type Ref } from '../../../kernel/index.ts'
import type { LaidNode } from '../compile/layout.ts'
import { PAUSED_AT } from './debug-words.ts'
import { NodeSlots } from './node-slots.ts'
import { flatItem, isSame, type OpenLeaf, openItem, openOf, pairs } from './position-items.ts'
import { IDLE } from './states.ts'

/** The items of a position before those of the nodes. */
export const HEADER = 12
const [STATUS, EXECUTION, START, STOPPED, PAUSED_SINCE, AGAINS] = [0, 1, 2, 3, 4, 6] as const
/** The item with the number of recorded ticks of the execution. */
export const TICKS_AT = 5
/** The item with the leaf that a tick waits for. */
export const OPEN_AT = 7
const [ALARM, SCOPES, LASTING] = [8, 9, 10] as const
/** The items with the state of the tree, its execution, and the lazy references that were linked. */
export const STATUS_AT = STATUS
export const EXECUTION_AT = EXECUTION
export const START_AT = START
export const LINKS_AT = 11

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
 * The position of a tree in memory. A position is the list `[status, execution, start, stopped, paused, ticks, agains, open, alarm, scopes,
 * lasting, links, …nodes]`. What has changed is written as a patch.
 */
export class TreeState extends NodeSlots {
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
  /** The lazy references that were linked, and the nodes that got further children, with their number, in this order. */
  readonly links: (number | readonly [index: number, children: number])[] = []

  /** Reads a position. */
  load(position: readonly Json[]): void {
    const [status = IDLE, number = 0, start = 0, stopped = 0, pausedAt = 0, ticks = 0, agains = 0] = position as readonly number[]
    this.status = status
    this.execution = { number, start, ticks, agains }
    this.stopped = stopped
    this.pausedAt = pausedAt === 0 ? undefined : pausedAt
    const [open = 0, alarm = 0, scopes, lasting, links] = position.slice(OPEN_AT, HEADER)
    this.open = openOf(open)
    this.alarm = isList(alarm) ? { ref: alarm[0] as Ref, due: Number(alarm[1]) } : undefined
    for (const link of isList(links) ? links : [])
      if (isList(link)) this.repeatNode(Number(link[0]), Number(link[1]))
      else this.linkNode(Number(link))
    for (const [index, ref] of pairs(scopes)) this.scopes.set(index, ref as Ref | null)
    for (const [index, value] of pairs(lasting)) this.lasting.set(index, value)
    this.loadSlots(position, HEADER)
  }

  /** Links the tree of a lazy reference. Returns what is wrong if it cannot be linked. */
  linkNode(index: number): Fault | undefined {
    const node = this.layout.nodes[index]
    if (node === undefined || node.children.length > 0) return undefined
    const fault = this.layout.link(node)
    if (fault === undefined) {
      this.links.push(index)
      this.grow()
    }
    return fault
  }

  /** Gives a node so many children like its first one. */
  repeatNode(index: number, count: number): void {
    const node = this.layout.nodes[index]
    if (node === undefined || node.children.length >= count) return
    this.layout.repeat(node, count)
    this.links.push([index, count])
    this.grow()
  }

  /** The time of the tree at a time of the run. Everything that a tree measures is in this time, which stands still while it is paused. */
  timeAt(now: number): number {
    return (this.pausedAt ?? now) - this.stopped
  }

  /** True for a node that has begun in a tick which waits for a leaf: that leaf, and those above it. They may not be RUNNING yet. */
  hasBegun(node: LaidNode): boolean {
    if (this.open === undefined) return false
    const last = this.layout.nodes[this.open.index]
    let at = this.open.ref === PAUSED_AT ? last?.parent : last
    while (at !== undefined && at !== node) at = at.parent
    return at !== undefined
  }
  /** The start of RUNNING, in milliseconds since the epoch. */
  since(index: number): number {
    return this.execution.start + this.sinceOf(index)
  }
  /** The last progress of a node while it is RUNNING, in milliseconds since the epoch. */
  progress(index: number): number {
    return this.execution.start + this.progressOf(index)
  }
  setState(index: number, state: number, now: number): void {
    this.change(index, state, now - this.execution.start)
  }
  setProgress(index: number, now: number): void {
    this.setProgressOf(index, now - this.execution.start)
  }

  /** Returns the node whose operation has a ref: the open one, or a RUNNING one. */
  nodeOf(ref: Ref): LaidNode | undefined {
    return this.open?.ref === ref ? this.layout.nodes[this.open.index] : this.runningNodeOf(ref)
  }

  /** The whole position. */
  position(): Json[] {
    return [...Array.from({ length: HEADER }, (_, item) => this.#item(item)), ...this.slots()]
  }

  /** True if nothing but the execution differs from a position: a tick that left everything as it was. */
  isUnchanged(position: readonly Json[]): boolean {
    if (this.status !== position[STATUS]) return false
    for (let item = OPEN_AT; item < HEADER; item++) if (!isSame(this.#item(item), position[item] ?? 0)) return false
    return !this.addChanges(position, HEADER, undefined)
  }

  /** Returns the changes against a position, as index, value, index, value. */
  changes(position: readonly Json[]): Json[] {
    const items: Json[] = []
    for (let item = 0; item < HEADER; item++) {
      const value = this.#item(item)
      if (value !== position[item] && !isSame(value, position[item] ?? 0)) items.push(item, value)
    }
    this.addChanges(position, HEADER, items)
    this.forgetChanges()
    return items
  }

  #item(item: number): Json {
    const { execution, open, alarm } = this
    switch (item) {
      case STATUS:
        return this.status
      case EXECUTION:
        return execution.number
      case START:
        return execution.start
      case STOPPED:
        return this.stopped
      case PAUSED_SINCE:
        return this.pausedAt ?? 0
      case TICKS_AT:
        return execution.ticks
      case AGAINS:
        return execution.agains
      case OPEN_AT:
        return open === undefined ? 0 : openItem(open)
      case ALARM:
        return alarm === undefined ? 0 : [alarm.ref, alarm.due]
      case SCOPES:
        return flatItem(this.scopes)
      case LASTING:
        return flatItem(this.lasting)
      default:
        return this.links.length === 0 ? 0 : [...this.links]
    }
  }
}
