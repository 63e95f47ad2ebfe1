import { type Json, systemHost } from '../../../kernel/index.ts'
import type { BehaviorTree } from './behavior-tree.ts'
import type { EventBus } from './event-bus.ts'
import type { TreeClock } from './memory-run.ts'
import { Recovery, type RecoveryOptions } from './recovery.ts'
import { TickContext } from './tick-context.ts'
import type { TickResult } from './tick-result.ts'
import type { BusEvent } from './tree-event.ts'
import { TreeWatchdog } from './tree-watchdog.ts'

/** The pause between two polls in milliseconds. */
const POLL_MS = 100

/**
 * When trees are ticked besides on events. `event_driven`: when an operation ends or a time is due. `polling`: every 100 ms while they are RUNNING.
 * `hybrid`: both.
 */
export type SchedulerMode = 'event_driven' | 'polling' | 'hybrid'

/** What a scheduler is made with. */
export interface SchedulerOptions {
  /** Default: `hybrid`. */
  readonly mode?: SchedulerMode
  /** Default: the clock of the system. */
  readonly clock?: TreeClock
  /** The bus whose events start and tick trees. Absent: trees are ticked by `run`, operations and time only. */
  readonly events?: EventBus
  /** The pause between two polls in milliseconds; 100 by default. */
  readonly pollMs?: number
  /** Finds the trees that run after repeated failures. Absent: there are none. */
  readonly recovery?: Omit<RecoveryOptions, 'clock' | 'events'>
}

/**
 * The tick loop (reference tree 4.5): events start trees and tick them, a tree that asks for another tick gets it until its budget is used, and
 * one that waits is ticked when its operation ends or its time is due. Nothing is ticked inside a tick.
 */
export class TickScheduler {
  readonly #mode: SchedulerMode
  readonly #clock: TreeClock
  readonly #events: EventBus | undefined
  readonly #pollMs: number
  readonly #watchdog: TreeWatchdog
  readonly #recovery: Recovery | undefined
  readonly #trees = new Map<BehaviorTree, { readonly stop: (() => void)[]; cancelPoll: (() => void) | undefined }>()
  /** Events for trees that are RUNNING: they are handled at their next poll. */
  readonly #waiting = new Map<BehaviorTree, Json[]>()

  constructor({ mode = 'hybrid', clock = systemHost, events, pollMs = POLL_MS, recovery }: SchedulerOptions = {}) {
    this.#mode = mode
    this.#clock = clock
    this.#events = events
    this.#pollMs = pollMs
    this.#watchdog = new TreeWatchdog(clock, (tree) => this.#later(() => void this.run(tree)))
    this.#recovery = recovery === undefined ? undefined : new Recovery({ ...recovery, clock, events })
  }

  get mode(): SchedulerMode {
    return this.#mode
  }
  /** The trees that it drives. A copy. */
  get trees(): readonly BehaviorTree[] {
    return [...this.#trees.keys()]
  }

  /** Drives a tree. `triggers`: the types of events, with wildcards, that start or tick it. */
  add(tree: BehaviorTree, triggers: readonly string[] = []): void {
    if (this.#trees.has(tree)) return
    const stop = triggers.map((type) => this.#events?.subscribe(type, (event) => this.#triggered(tree, event)) ?? (() => undefined))
    if (this.#mode !== 'polling') stop.push(tree.onSettled(() => this.#later(() => void this.run(tree))))
    this.#trees.set(tree, { stop, cancelPoll: undefined })
  }

  /** Drives a tree no longer. Its execution stays as it is; call `cancel` of the tree to end it. */
  remove(tree: BehaviorTree): void {
    const known = this.#trees.get(tree)
    for (const stop of known?.stop ?? []) stop()
    known?.cancelPoll?.()
    this.#trees.delete(tree)
    this.#waiting.delete(tree)
    this.#watchdog.forget(tree)
  }

  /** Drives no tree any more, and cancels all timers. */
  stop(): void {
    for (const tree of this.trees) this.remove(tree)
    this.#watchdog.stop()
  }

  #later(run: () => void): void {
    if (this.#events === undefined) run()
    else this.#events.afterwards(run)
  }

  #triggered(tree: BehaviorTree, event: BusEvent): void {
    const body = { type: event.type, payload: event.payload }
    if (!tree.isActive || tree.status === 'YIELDED') return this.#later(() => void this.run(tree, body))
    this.#waiting.set(tree, [...(this.#waiting.get(tree) ?? []), body])
    this.#poll(tree)
  }

  /**
   * Ticks a tree until it has ended, waits, or has yielded. With an event, or with those that wait for it. Inside a tick it is done afterwards, and
   * the result is that of the tick before.
   */
  run(tree: BehaviorTree, event?: Json): TickResult | undefined {
    if (tree.isTicking) {
      this.#later(() => void this.run(tree, event))
      return undefined
    }
    const [waiting, ...others] = event === undefined ? (this.#waiting.get(tree) ?? []) : [event, ...(this.#waiting.get(tree) ?? [])]
    this.#waiting.set(tree, others)
    let result = tree.tick(new TickContext({ now: () => this.#clock.now(), ...(waiting === undefined ? {} : { event: waiting }) }))
    while (tree.wantsTick) result = tree.tick()
    if (tree.status === 'FAILED') this.#recovery?.failed(tree, result)
    this.#watchdog.watch(tree)
    if (others.length > 0 || (tree.status === 'RUNNING' && this.#mode !== 'event_driven')) this.#poll(tree)
    return result
  }

  #poll(tree: BehaviorTree): void {
    const known = this.#trees.get(tree)
    if (known === undefined || known.cancelPoll !== undefined) return
    known.cancelPoll = this.#clock.at(this.#clock.now() + this.#pollMs, () => {
      known.cancelPoll = undefined
      if (tree.isActive || (this.#waiting.get(tree)?.length ?? 0) > 0) this.#later(() => void this.run(tree))
    })
  }
}
