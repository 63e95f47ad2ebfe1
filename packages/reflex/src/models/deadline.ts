import type { Host } from '../kernel/index.ts'

/** The time that a call has, or one try of it: a signal that is aborted when it is over, or when the outer one is. */
export class Deadline {
  readonly at: number
  readonly signal: AbortSignal
  readonly #outer: AbortSignal
  readonly #release: () => void
  readonly #controller = new AbortController()
  #isOver = false

  constructor(host: Host, milliseconds: number, outer: AbortSignal) {
    this.at = host.now() + milliseconds
    this.signal = this.#controller.signal
    this.#outer = outer
    const forward = (): void => this.#controller.abort(outer.reason)
    const cancelTimer = host.at(this.at, () => {
      this.#isOver = true
      this.#controller.abort(new Error('the time is over'))
    })
    this.#release = () => {
      cancelTimer()
      outer.removeEventListener('abort', forward)
    }
    if (outer.aborted) forward()
    else outer.addEventListener('abort', forward, { once: true })
  }

  /** Its own time is over, and nobody outside broke the call off. */
  get isOver(): boolean {
    return this.#isOver && !this.#outer.aborted
  }

  /** What `promise` gives, unless the signal comes first; then what it still gives is ignored. */
  async race<Value>(promise: Promise<Value>): Promise<Value> {
    const { signal } = this
    return new Promise((resolve, reject) => {
      const stop = (): void => reject(signal.reason)
      if (signal.aborted) stop()
      else signal.addEventListener('abort', stop, { once: true })
      promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
    })
  }

  /** Waits so many milliseconds; rejects with the reason of the signal when that comes first. */
  async sleep(host: Host, milliseconds: number): Promise<void> {
    let cancelTimer = (): void => undefined
    const slept = new Promise<void>((resolve) => {
      cancelTimer = host.at(host.now() + milliseconds, resolve)
    })
    try {
      await this.race(slept)
    } finally {
      cancelTimer()
    }
  }

  /** The call is at an end; nothing is left that could ring. */
  release(): void {
    this.#release()
  }
}
