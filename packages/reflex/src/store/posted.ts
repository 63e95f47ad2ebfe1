/** The listeners for posts. */
export class Posted {
  readonly #listeners = new Set<() => void>()

  get size(): number {
    return this.#listeners.size
  }

  /** The returned function ends the listening. */
  listen(listener: () => void): () => void {
    // The same function may listen twice.
    const once = (): void => listener()
    this.#listeners.add(once)
    return () => void this.#listeners.delete(once)
  }

  tell(): void {
    for (const listener of this.#listeners) listener()
  }

  clear(): void {
    this.#listeners.clear()
  }
}
