import type { Fault } from '../journal/fault.ts'

interface Waiter {
  /** A record that is to be durable, or a condition that is to be true while every record is durable. */
  readonly until: number | (() => boolean)
  /** True if the commit that comes anyway is soon enough for it. */
  readonly isPatient: boolean
  resolve(): void
  reject(fault: Fault): void
}

/** The progress of a run: its records, and those that are durable. */
interface Progress {
  readonly durable: number
  /** The last record. */
  readonly last: number
  /** Subscribers are not done with what they were given. */
  readonly isBehind: boolean
}

/** The promises that wait for a durable record of a run, or for a condition such as rest. */
export class Waiters {
  readonly #waiters = new Set<Waiter>()

  get size(): number {
    return this.#waiters.size
  }

  wait(until: Waiter['until'], isPatient = false): Promise<void> {
    return new Promise((resolve, reject) => void this.#waiters.add({ until, isPatient, resolve, reject }))
  }

  /** Resolves those whose condition has come true. Returns true if one of the others waits only for a commit. */
  wake({ durable, last, isBehind }: Progress): boolean {
    let needsCommit = false
    for (const waiter of this.#waiters) {
      const { until, isPatient } = waiter
      if (typeof until === 'number' ? until > last : !until()) continue
      if (durable < (typeof until === 'number' ? until : last)) needsCommit ||= !isPatient
      else if (typeof until === 'number' || !isBehind) {
        this.#waiters.delete(waiter)
        waiter.resolve()
      }
    }
    return needsCommit
  }

  /**
   * Ends all waiters. A wait for a condition resolves if the run was closed; all others reject with the fault. It is made only for them,
   * because a fault has a stack and most runs are closed while nothing waits.
   */
  end(makeFault: () => Fault, closed: boolean): void {
    let fault: Fault | undefined
    for (const waiter of this.#waiters) {
      this.#waiters.delete(waiter)
      if (closed && typeof waiter.until !== 'number') waiter.resolve()
      else waiter.reject((fault ??= makeFault()))
    }
  }
}
