import type { EngineEvent, EngineEvents, EventHandler } from '../types/index.ts'

/** A handler of every event, with its name. */
export type AnyEventHandler = <Event extends EngineEvent>(event: Event, payload: EngineEvents[Event]) => void

interface Subscription {
  /** Absent: every event. */
  readonly event?: EngineEvent
  readonly call: (event: EngineEvent, payload: EngineEvents[EngineEvent]) => unknown
}

/**
 * The handlers of an engine. They are called synchronously, in the order of registration. If one throws, the others are still
 * called; its error, or its rejection, is kept for the caller of the engine (reference workflow D6).
 */
export class Handlers {
  // A set may grow and shrink during an iteration: no handler is skipped, and a handler that is added still gets the event.
  readonly #subscriptions = new Set<Subscription>()
  #thrown: unknown[] = []

  get hasHandlers(): boolean {
    return this.#subscriptions.size > 0
  }

  /** True if a handler has thrown and its error has not been reported yet. */
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
        // An async handler is not awaited: its rejection is thrown by the current call, or by the next one.
        if (result instanceof Promise) result.catch((thrown: unknown) => this.addThrown(thrown))
      } catch (thrown) {
        this.addThrown(thrown)
      }
    }
  }

  /** Keeps an error for the caller of the engine. */
  addThrown(thrown: unknown): void {
    this.#thrown.push(thrown)
  }

  /** Returns the errors of handlers as one error, and forgets them; undefined if there is none. */
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
