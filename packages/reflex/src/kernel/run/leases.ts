import type { Heartbeat } from './heartbeat.ts'
import type { Claim, Lease, RunRow, Store, Worker } from '../ports/store.ts'

/**
 * The rights of one process to advance runs. Where the store fails while one is taken or given up, nobody can tell
 * whether the process has it now, and nobody else could go on with the run for as long as the process lives: such a
 * right is given up later.
 */
export class Leases {
  readonly #store: Store
  readonly #worker: Worker
  readonly #heartbeat: Heartbeat
  /** Runs that this process may hold without carrying them. */
  readonly #strays = new Set<string>()
  readonly #releasing = new Set<Promise<void>>()

  constructor(store: Store, worker: Worker, heartbeat: Heartbeat) {
    this.#store = store
    this.#worker = worker
    this.#heartbeat = heartbeat
  }

  /** As `Store.create`. */
  async create(row: Omit<RunRow, 'owner' | 'last'>): Promise<Lease | 'taken'> {
    return this.#take(
      row.id,
      () => this.#store.create(row, this.#worker),
      (taken) => (taken === 'taken' ? undefined : taken),
    )
  }

  /** As `Store.claim`. */
  async claim(run: string, now: number): Promise<Claim> {
    return this.#take(
      run,
      () => this.#store.claim(run, this.#worker, now),
      (claim) => ('lease' in claim ? claim.lease : undefined),
    )
  }

  async #take<T>(run: string, take: () => T, leaseOf: (taken: Awaited<T>) => Lease | undefined): Promise<Awaited<T>> {
    this.#strays.delete(run)
    try {
      return await this.#heartbeat.track(take, leaseOf)
    } catch (thrown) {
      this.#strays.add(run)
      throw thrown
    }
  }

  /** Gives a run up: now, or as soon as the store can be written. */
  async release(lease: Lease): Promise<void> {
    const releasing = this.#release(lease)
    this.#releasing.add(releasing)
    await releasing
    this.#releasing.delete(releasing)
  }

  /** Resolves when every release that has begun is over: a store that is closed before keeps the run for this process. */
  async whenReleased(): Promise<void> {
    await Promise.all(this.#releasing)
  }

  async #release(lease: Lease): Promise<void> {
    try {
      await this.#store.release(lease)
    } catch {
      // The fault that broke the store was reported by the run.
      this.#strays.add(lease.run)
    }
  }

  /** Gives up every run that this process may hold and does not carry. Throws what the store throws. */
  async releaseUnused(now: number, isOpen: (run: string) => boolean): Promise<void> {
    const strays = [...this.#strays]
    for (const run of strays) {
      this.#strays.delete(run)
      if (isOpen(run)) continue
      const claim = await this.claim(run, now)
      if ('lease' in claim) await this.release(claim.lease)
    }
  }
}
