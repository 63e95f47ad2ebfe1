import type { Rec } from './record.ts'
import type { Change } from './story.ts'

type Observer = (change: Change) => void
type Subscriber = (record: Rec, n: number) => void

/** Who watches a run: observers as it happens, subscribers once it is durable. They cannot stop it. */
export class Watchers {
  readonly #observers = new Set<Observer>()
  readonly #subscribers = new Set<Subscriber>()

  get observed(): boolean {
    return this.#observers.size > 0
  }

  observe(observer: Observer): () => void {
    this.#observers.add(observer)
    return () => void this.#observers.delete(observer)
  }

  subscribe(subscriber: Subscriber): () => void {
    this.#subscribers.add(subscriber)
    return () => void this.#subscribers.delete(subscriber)
  }

  show(change: Change): void {
    for (const observer of this.#observers) shielded(() => observer(change))
  }

  /** Records that have become durable, the first of them being number `first`. */
  publish(first: number, records: readonly Rec[]): void {
    if (this.#subscribers.size === 0) return
    for (const [i, record] of records.entries()) for (const subscriber of this.#subscribers) shielded(() => subscriber(record, first + i))
  }
}

/** What a watcher throws is reported as an unhandled rejection. */
function shielded(watch: () => void): void {
  try {
    watch()
  } catch (thrown) {
    void Promise.reject(thrown)
  }
}
