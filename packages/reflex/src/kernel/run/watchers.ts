import type { Rec } from '../journal/record.ts'
import type { Change } from '../state/story.ts'

type Observer = (change: Change) => void

/** Called with each record once it is durable. */
export type Subscriber = (record: Rec, n: number) => unknown

/** Called when nothing more is to be expected for now: the run rests, has ended, or is left. */
export type RestListener = () => unknown

interface Subscription {
  readonly subscriber: Subscriber
  readonly atRest: RestListener | undefined
}

/**
 * The watchers of a run: observers are called as a record is applied, subscribers once it is durable. They cannot stop the run.
 * A promise of a subscriber is waited for, so that nothing leaves before the subscriber is done with what it depends on.
 */
export class Watchers {
  readonly #observers = new Set<Observer>()
  readonly #subscriptions = new Set<Subscription>()
  /** Promises of subscribers, in their order, each with the first record that it stands for. */
  readonly #pending = new Map<Promise<unknown>, number>()
  readonly #onCaughtUp: () => void
  /** The record at which the subscribers heard of rest last. */
  #lastRest = 0

  /** `onCaughtUp` is called each time that a promise of a subscriber has settled. */
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

  /** Records that have become durable, the first of them being number `first`. */
  publish(first: number, records: readonly Rec[]): void {
    if (this.#subscriptions.size === 0) return
    for (const [i, record] of records.entries())
      for (const { subscriber } of this.#subscriptions) this.#await(first, () => subscriber(record, first + i))
  }

  /** Tells the subscribers, once for each last record `n`, that nothing more is to be expected. */
  notifyRest(n: number): void {
    if (this.#lastRest === n) return
    this.#lastRest = n
    for (const { atRest } of this.#subscriptions) if (atRest !== undefined) this.#await(n, atRest)
  }

  /** The last record that all subscribers are done with, where `durable` is the last one that they were given. */
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

  /** Resolves once all subscribers are done with what they were given. */
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

/** What a watcher throws is reported as an unhandled rejection. */
function callSafely(watch: () => unknown): Promise<unknown> | undefined {
  try {
    const result = watch()
    return result instanceof Promise ? result : undefined
  } catch (thrown) {
    void Promise.reject(thrown)
    return undefined
  }
}
