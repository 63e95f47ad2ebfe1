import type { EngineEvent, EngineEvents, EventHandler } from './types.ts'

/** A handler of every event, with its name. */
export type AnyEventHandler = <Event extends EngineEvent>(event: Event, payload: EngineEvents[Event]) => void

interface Subscription {
  /** Absent: every event. */
  readonly event?: EngineEvent
  readonly call: (event: EngineEvent, payload: EngineEvents[EngineEvent]) => unknown
}

/**
 * Who listens to an engine. Handlers are called at once, in the order of registration; one that throws keeps
 * nobody from hearing, and what it threw, or rejected with, is kept for whoever drives the engine (reference workflow D6).
 */
export class Handlers {
  // A set may grow and shrink while it is walked: nobody is skipped, and whoever joins still hears the event.
  readonly #subscriptions = new Set<Subscription>()
  #thrown: unknown[] = []

  get hasHandlers(): boolean {
    return this.#subscriptions.size > 0
  }

  /** Whether a handler has thrown, and nobody has been told yet. */
  get hasThrown(): boolean {
    return this.#thrown.length > 0
  }

  on<Event extends EngineEvent>(event: Event, handler: EventHandler<Event>): () => void {
    return this.#add({ event, call: (_, payload) => handler(payload as EngineEvents[Event]) })
  }

  onAny(handler: AnyEventHandler): () => void {
    return this.#add({ call: handler })
  }

  #add(subscription: Subscription): () => void {
    this.#subscriptions.add(subscription)
    return () => {
      this.#subscriptions.delete(subscription)
    }
  }

  deliver(event: EngineEvent, payload: EngineEvents[EngineEvent]): void {
    for (const subscription of this.#subscriptions) {
      if (subscription.event !== undefined && subscription.event !== event) continue
      try {
        const result = subscription.call(event, payload)
        // An async handler is not waited for: what it rejects with comes out of the call under way, else of the next one.
        if (result instanceof Promise) result.catch((thrown: unknown) => this.addThrown(thrown))
      } catch (thrown) {
        this.addThrown(thrown)
      }
    }
  }

  /** Keeps an error for whoever drives the engine. */
  addThrown(thrown: unknown): void {
    this.#thrown.push(thrown)
  }

  /** What handlers threw, as one error; nothing if none did. Whoever asks has been told. */
  takeThrown(): { readonly error: unknown } | undefined {
    const thrown = this.#thrown
    if (thrown.length === 0) return undefined
    this.#thrown = []
    return { error: thrown.length === 1 ? thrown[0] : new AggregateError(thrown, 'several handlers threw') }
  }

  rethrow(): void {
    const thrown = this.takeThrown()
    if (thrown !== undefined) throw thrown.error
  }
}
