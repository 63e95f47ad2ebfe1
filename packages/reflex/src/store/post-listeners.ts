/** The listeners for posts. */
export class PostListeners {
  readonly #listeners = new Set<() => void>()

  get size(): number {
    return this.#listeners.size
  }

  /** The returned function ends the listening. */
  listen(listener: () => void): () => void {
    // The same function may listen twice.
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
