import type { Host } from '../kernel/index.ts'

/** The time limit of a call or of one try: a signal that is aborted at the deadline, or when the outer signal is aborted. */
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
      this.#controller.abort(new Error('the deadline has passed'))
    })
    this.#release = () => {
      cancelTimer()
      outer.removeEventListener('abort', forward)
    }
    if (outer.aborted) forward()
    else outer.addEventListener('abort', forward, { once: true })
  }

  /** True if the deadline has passed and the outer signal was not aborted. */
  get isOver(): boolean {
    return this.#isOver && !this.#outer.aborted
  }

  /** Settles as `promise` does, or rejects if the signal is aborted first; a later result is ignored. */
  async race<Value>(promise: Promise<Value>): Promise<Value> {
    const { signal } = this
    return new Promise((resolve, reject) => {
      const stop = (): void => reject(signal.reason)
      if (signal.aborted) stop()
      else signal.addEventListener('abort', stop, { once: true })
      promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
    })
  }

  /** Waits for some milliseconds. Rejects with the reason of the signal if it is aborted first. */
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

  /** Removes the timer and the listener when the call has ended. */
  release(): void {
    this.#release()
  }
}
