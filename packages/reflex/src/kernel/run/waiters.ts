import type { Fault } from '../journal/fault.ts'

interface Waiter {
  readonly at: number | 'rest'
  resolve(): void
  reject(fault: Fault): void
}

/** Who waits for a run: for rest, or for a record to be durable. */
export class Waiters {
  readonly #waiters = new Set<Waiter>()

  get size(): number {
    return this.#waiters.size
  }

  wait(at: number | 'rest'): Promise<void> {
    return new Promise((resolve, reject) => void this.#waiters.add({ at, resolve, reject }))
  }

  /** Resolves those whose condition has come true. */
  wake(durable: number, isAtRest: boolean): void {
    for (const waiter of this.#waiters) {
      if (waiter.at === 'rest' ? !isAtRest : durable < waiter.at) continue
      this.#waiters.delete(waiter)
      waiter.resolve()
    }
  }

  /** Nothing will come any more: who waits for rest has it, if it is the end of a closed run, and all others get the fault. */
  end(fault: Fault, closed: boolean): void {
    for (const waiter of this.#waiters) {
      this.#waiters.delete(waiter)
      if (closed && waiter.at === 'rest') waiter.resolve()
      else waiter.reject(fault)
    }
  }
}
