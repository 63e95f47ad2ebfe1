/** The operations of a tree that take longer than a tick, and those who wait for them. */
export class Operations {
  readonly #open = new Set<Promise<void>>()
  readonly #listeners = new Set<() => void>()
  readonly #waiters: (() => void)[] = []

  /** Notes an operation that has started. It never rejects. */
  start(operation: Promise<void>): void {
    const ended = operation.finally(() => this.#open.delete(ended))
    this.#open.add(ended)
  }

  /** An operation has ended or progressed. */
  wake(): void {
    for (const listener of this.#listeners) listener()
    for (const waiter of this.#waiters.splice(0)) waiter()
  }

  /** Calls back with each `wake`. Returns the function that ends it. */
  onWake(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Resolves with the next `wake`. */
  next(): Promise<void> {
    return new Promise((resolve) => this.#waiters.push(resolve))
  }

  /** Resolves when no operation is on its way. */
  async ended(): Promise<void> {
    await Promise.allSettled(this.#open)
  }
}
