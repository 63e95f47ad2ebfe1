import type { Heartbeat } from './heartbeat.ts'
import type { Claim, Lease, Store, Worker } from '../ports/store.ts'

/**
 * The leases of one process. If the store fails while a lease is taken or released, it is unknown whether the process has it,
 * and no other process could continue the run while this process lives: such a lease is released later.
 */
export class Leases {
  readonly #store: Store
  readonly #worker: Worker
  readonly #heartbeat: Heartbeat
  /** Runs that this process may own without running them. */
  readonly #strays = new Set<string>()
  readonly #releasing = new Set<Promise<void>>()

  constructor(store: Store, worker: Worker, heartbeat: Heartbeat) {
    this.#store = store
    this.#worker = worker
    this.#heartbeat = heartbeat
  }

  /** Creates a run with a lease, like `Store.create`. */
  async create(row: Parameters<Store['create']>[0]): Promise<Lease | 'taken'> {
    return this.#take(
      row.id,
      () => this.#store.create(row, this.#worker),
      (taken) => (taken === 'taken' ? undefined : taken),
    )
  }

  /** Claims a run, like `Store.claim`. */
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

  /** Releases a run: now, or as soon as the store can be written. */
  async release(lease: Lease): Promise<void> {
    const releasing = this.#release(lease)
    this.#releasing.add(releasing)
    await releasing
    this.#releasing.delete(releasing)
  }

  /** Resolves when all started releases are finished: a store that is closed earlier keeps the run for this process. */
  async whenReleased(): Promise<void> {
    await Promise.all(this.#releasing)
  }

  async #release(lease: Lease): Promise<void> {
    try {
      await this.#store.release(lease)
    } catch {
      // The run has reported the fault of the store.
      this.#strays.add(lease.run)
    }
  }

  /** Releases all runs that this process may own and does not run. Throws the faults of the store. */
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
