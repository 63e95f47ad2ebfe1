import type { Rec } from '../journal/record.ts'
import type { Change } from '../state/story.ts'

type Observer = (change: Change) => void

/** Called with each record when it is durable. */
export type Subscriber = (record: Rec, n: number) => unknown

/** Called when no further record is expected for now: the run is at rest, has ended, or is released. */
export type RestListener = () => unknown

interface Subscription {
  readonly subscriber: Subscriber
  readonly atRest: RestListener | undefined
}

/**
 * The watchers of a run: observers are called when a record is applied, subscribers when it is durable. They cannot stop the
 * run. Promises of subscribers are awaited, so that no effect leaves before they have processed the records it depends on.
 */
export class Watchers {
  readonly #observers = new Set<Observer>()
  readonly #subscriptions = new Set<Subscription>()
  /** The promises of subscribers in order, each with the first record that it covers. */
  readonly #pending = new Map<Promise<unknown>, number>()
  readonly #onCaughtUp: () => void
  /** The record at which the subscribers were last notified of rest. */
  #lastRest = 0

  /** `onCaughtUp` is called whenever a promise of a subscriber has settled. */
  constructor(onCaughtUp: () => void) {
    this.#onCaughtUp = onCaughtUp
  }

  get hasObservers(): boolean {
    return this.#observers.size > 0
  }

  observe(observer: Observer): () => void {
    this.#observers.add(observer)
    return () => void this.#observers.delete(observer)
  }

  subscribe(subscriber: Subscriber, atRest?: RestListener): () => void {
    const subscription = { subscriber, atRest }
    this.#subscriptions.add(subscription)
    return () => void this.#subscriptions.delete(subscription)
  }

  show(change: Change): void {
    for (const observer of this.#observers) void callSafely(() => observer(change))
  }

  /** Passes records that have become durable to the subscribers; the first has number `first`. */
  publish(first: number, records: readonly Rec[]): void {
    if (this.#subscriptions.size === 0) return
    for (const [i, record] of records.entries())
      for (const { subscriber } of this.#subscriptions) this.#await(first, () => subscriber(record, first + i))
  }

  /** Notifies the subscribers, once per last record `n`, that no further record is expected. */
  notifyRest(n: number): void {
    if (this.#lastRest === n) return
    this.#lastRest = n
    for (const { atRest } of this.#subscriptions) if (atRest !== undefined) this.#await(n, atRest)
  }

  /** Returns the last record that all subscribers have processed. `durable` is the last one passed to them. */
  doneUpTo(durable: number): number {
    const [first] = this.#pending.values()
    return first === undefined ? durable : Math.min(durable, first - 1)
  }

  get hasRestListeners(): boolean {
    for (const { atRest } of this.#subscriptions) if (atRest !== undefined) return true
    return false
  }

  get hasSubscribers(): boolean {
    return this.#subscriptions.size > 0
  }

  get isBehind(): boolean {
    return this.#pending.size > 0
  }

  /** Resolves when all subscribers have processed their records. */
  async allDone(): Promise<void> {
    while (this.#pending.size > 0) await Promise.all(this.#pending.keys())
  }

  #await(first: number, watch: () => unknown): void {
    const promise = callSafely(watch)
    if (promise === undefined || this.#pending.has(promise)) return
    this.#pending.set(promise, first)
    const leave = () => {
      this.#pending.delete(promise)
      this.#onCaughtUp()
    }
    promise.then(leave, (thrown: unknown) => {
      leave()
      void Promise.reject(thrown)
    })
  }
}

/** An error of a watcher is reported as an unhandled rejection. */
function callSafely(watch: () => unknown): Promise<unknown> | undefined {
  try {
    const result = watch()
    return result instanceof Promise ? result : undefined
  } catch (thrown) {
    void Promise.reject(thrown)
    return undefined
  }
}
