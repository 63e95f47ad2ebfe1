/** The functions that are called when a message is posted. */
export class PostListeners {
  readonly #listeners = new Set<() => void>()

  get size(): number {
    return this.#listeners.size
  }

  /** Adds a listener. Returns the function that removes it. */
  listen(listener: () => void): () => void {
    // The same function can be added twice.
    const callback = (): void => listener()
    this.#listeners.add(callback)
    return () => void this.#listeners.delete(callback)
  }

  notify(): void {
    for (const listener of this.#listeners) listener()
  }

  clear(): void {
    this.#listeners.clear()
  }
}
