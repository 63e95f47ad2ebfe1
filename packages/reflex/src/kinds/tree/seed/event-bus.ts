import { systemHost } from '../../../kernel/index.ts'
import type { TypedBlackboard } from '../board/typed-blackboard.ts'
import { scopeOf } from '../board/typed-blackboard.ts'
import type { BoardFamily } from '../board/board-family.ts'
import { HandlerConflicts } from './handler-conflicts.ts'
import type { TreeClock } from './memory-run.ts'
import { type BusEvent, type EventOptions, type EventPayload, priorityOf, severityOf } from './tree-event.ts'

/** The most events that are held during a tick. */
const MOST_HELD = 1000

/** Handles an event, outside of every tick. What it throws is logged, and the other handlers are called. */
export type EventHandler = (event: BusEvent) => void

/** The place of a handler among the others. */
export interface SubscribeOptions {
  /** Handlers of a higher priority come first; 0 by default. Those of one priority come in the order in which they subscribed. */
  readonly priority?: number
  /** The name of the handler in warnings. */
  readonly name?: string
}

/** What an event bus is made with. */
export interface EventBusOptions {
  /** The clock of the timestamps. Default: that of the system. */
  readonly clock?: Pick<TreeClock, 'now'>
  /** Receives what handlers throw, and the warning for dropped events. Default: nothing is said. */
  readonly log?: (message: string, cause?: unknown) => void
}

interface Subscription {
  readonly pattern: string
  readonly handler: EventHandler
  readonly priority: number
  readonly name: string
}

/**
 * The event bus of trees (reference tree 4.10). While any tree is ticked, events are held; after the tick they are delivered in their order, so
 * no handler runs inside a tick. Beyond 1000 held events the oldest that is not critical is dropped.
 */
export class EventBus {
  readonly #clock: Pick<TreeClock, 'now'>
  readonly #log: (message: string, cause?: unknown) => void
  readonly #subscriptions: Subscription[] = []
  readonly #held: BusEvent[] = []
  readonly #afterwards: (() => void)[] = []
  readonly #families = new Set<BoardFamily>()
  readonly #conflicts = new HandlerConflicts()
  #depth = 0
  #isFlushing = false
  #isCalling = false
  #count = 0
  #dropped = 0

  constructor({ clock = systemHost, log = () => undefined }: EventBusOptions = {}) {
    this.#clock = clock
    this.#log = log
  }

  /** The number of events that were dropped because too many were held. */
  get dropped(): number {
    return this.#dropped
  }
  /** True while a tree is ticked, or events are delivered. */
  get isBusy(): boolean {
    return this.#depth > 0 || this.#isFlushing
  }

  /** Subscribes to a type: `tool.call.success`, or `tool.*` for all below `tool`. Returns the function that ends the subscription. */
  subscribe(
    pattern: string,
    handler: EventHandler,
    { priority = 0, name = `handler ${this.#subscriptions.length + 1}` }: SubscribeOptions = {},
  ): () => void {
    const subscription = { pattern, handler, priority, name }
    const before = this.#subscriptions.findIndex((other) => other.priority < priority)
    if (before < 0) this.#subscriptions.push(subscription)
    else this.#subscriptions.splice(before, 0, subscription)
    return () => {
      const at = this.#subscriptions.indexOf(subscription)
      if (at >= 0) this.#subscriptions.splice(at, 1)
    }
  }

  /** Subscribes to all events. Returns the function that ends the subscription. */
  subscribeAll(handler: EventHandler, options: SubscribeOptions = {}): () => void {
    return this.subscribe('*', handler, options)
  }

  /** Watches a blackboard, to warn when a handler reads what another one of the same event has written before. */
  watch(board: TypedBlackboard): void {
    this.#families.add(scopeOf(board).family)
  }

  /** Publishes an event: at once, or after the tick if a tree is ticked. */
  emit(type: string, payload: EventPayload = {}, options: EventOptions = {}): void {
    const { source = 'host', severity = severityOf(type), priority = priorityOf(type, severity), dedupeKey } = options
    // Events with one key are one event, unless they are critical.
    if (dedupeKey !== undefined && severity !== 'critical' && this.#held.some(({ dedupe_key }) => dedupe_key === dedupeKey)) return
    const id = `${++this.#count}`
    const dedupe = dedupeKey === undefined ? {} : { dedupe_key: dedupeKey }
    this.#hold({ id, type, source, severity, priority, timestamp: this.#clock.now(), payload, ...dedupe })
    this.#flush()
  }

  #hold(event: BusEvent): void {
    this.#held.push(event)
    if (this.#held.length <= MOST_HELD) return
    const at = this.#held.findIndex(({ severity }) => severity !== 'critical')
    const [lost] = this.#held.splice(Math.max(0, at), 1)
    if (this.#dropped++ === 0) this.#log(`more than ${MOST_HELD} events are held; the oldest is dropped: ${lost?.type ?? ''}`)
  }

  /** Holds events until the returned function is called. A tick does this in a `finally`. */
  hold(): () => void {
    this.#depth++
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      this.#depth--
      this.#flush()
    }
  }

  /** Calls back once no tree is ticked and all held events are delivered: a tick that a handler asks for. */
  afterwards(callback: () => void): void {
    this.#afterwards.push(callback)
    this.#flush()
  }

  #flush(): void {
    if (this.isBusy) return
    this.#deliverHeld()
    // A callback that ticks a tree comes here again: the next callback waits until it is over.
    if (this.#isCalling) return
    this.#isCalling = true
    try {
      for (let callback = this.#afterwards.shift(); callback !== undefined; callback = this.#afterwards.shift()) {
        this.#guard('a callback', callback)
        this.#deliverHeld()
      }
    } finally {
      this.#isCalling = false
    }
  }

  #deliverHeld(): void {
    this.#isFlushing = true
    try {
      for (let event = this.#held.shift(); event !== undefined; event = this.#held.shift()) this.#deliver(event)
    } finally {
      this.#isFlushing = false
    }
  }

  #deliver(event: BusEvent): void {
    const dispatch = this.#conflicts.begin(event.type)
    for (const { pattern, handler, name } of this.#subscriptions.slice()) {
      if (!matches(pattern, event.type)) continue
      for (const family of this.#families) family.openFrame()
      this.#guard(name, () => handler(event))
      const accesses = [...this.#families].map((family) => family.closeFrame())
      for (const conflict of dispatch(name, accesses)) this.emit('handler.conflict.warning', { event_type: event.type, ...conflict })
    }
  }

  #guard(name: string, run: () => void): void {
    try {
      run()
    } catch (thrown) {
      this.#log(`${name} has thrown`, thrown)
    }
  }
}

function matches(pattern: string, type: string): boolean {
  if (pattern === '*' || pattern === type) return true
  return pattern.endsWith('.*') && type.startsWith(pattern.slice(0, -1))
}
