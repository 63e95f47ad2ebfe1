/** Collects how to restore what was replaced. */
export class Restores {
  readonly #restores: (() => void)[] = []

  readonly note = (restore: () => void): void => void this.#restores.push(restore)

  /** Restores everything, the latest first. */
  readonly restore = (): void => {
    for (const one of this.#restores.splice(0).toReversed()) one()
  }

  /** Restores everything if a function throws. */
  guard<Value>(act: () => Value): Value {
    try {
      return act()
    } catch (thrown) {
      this.restore()
      throw thrown
    }
  }
}
