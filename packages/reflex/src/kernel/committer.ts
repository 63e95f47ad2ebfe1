import { type Fault, toFault } from './fault.ts'
import { faults } from './faults.ts'
import type { Host } from './host.ts'
import type { Awaitable, Batch, Store } from './store.ts'

/** A run as the committer sees it. */
export interface Committing {
  readonly id: string
  /** What is not durable yet, or nothing. */
  batch(): Batch | undefined
  committed(last: number): void
  /** Another process has the run. */
  lost(): void
  broken(fault: Fault): void
}

/** Milliseconds that a record may stay in memory when nothing waits for it. */
const BEHIND = 20

/**
 * Makes records durable, for all runs of a process together: runs that want it in the same turn, or while a
 * commit is under way, share the next transaction. A run on its own does not wait for a turn.
 */
export class Committer {
  readonly #store: Store
  readonly #host: Host
  readonly #runs: ReadonlyMap<string, unknown>
  readonly #wanting = new Set<Committing>()
  readonly #behind = new Set<Committing>()
  #scheduled = false
  #committing = false

  constructor(store: Store, host: Host, runs: ReadonlyMap<string, unknown>) {
    this.#store = store
    this.#host = host
    this.#runs = runs
  }

  /** As soon as possible. */
  want(run: Committing): void {
    this.#wanting.add(run)
    this.#schedule()
  }

  /** Within 20 ms. */
  later(run: Committing): void {
    if (this.#behind.size === 0) this.#host.at(this.#host.now() + BEHIND, () => this.#catchUp())
    this.#behind.add(run)
  }

  #catchUp(): void {
    for (const run of this.#behind) this.#wanting.add(run)
    for (const run of this.#behind) this.#behind.delete(run)
    this.#schedule()
  }

  #schedule(): void {
    if (this.#scheduled || this.#committing || this.#wanting.size === 0) return
    this.#scheduled = true
    if (this.#runs.size <= 1) void Promise.resolve().then(() => this.#flush())
    else this.#host.turn(() => this.#flush())
  }

  #flush(): void {
    this.#scheduled = false
    const runs = [...this.#wanting]
    for (const run of runs) this.#wanting.delete(run)
    const pairs = runs.flatMap((run) => {
      const batch = batchOf(run)
      return batch === undefined ? [] : [{ run, batch }]
    })
    if (pairs.length === 0) return
    this.#committing = true
    let refused: Awaitable<readonly string[]>
    try {
      refused = this.#store.commit(pairs.map(({ batch }) => batch))
    } catch (thrown) {
      return this.#broken(pairs, thrown)
    }
    if (!(refused instanceof Promise)) return this.#finish(pairs, refused)
    refused.then(
      (ids) => this.#finish(pairs, ids),
      (thrown: unknown) => this.#broken(pairs, thrown),
    )
  }

  #finish(pairs: readonly Pair[], refused: readonly string[]): void {
    this.#committing = false
    for (const { run, batch } of pairs) {
      if (refused.includes(run.id)) run.lost()
      else run.committed(batch.first + batch.count - 1)
    }
    this.#schedule()
  }

  #broken(pairs: readonly Pair[], thrown: unknown): void {
    this.#committing = false
    const fault = toFault(thrown, (message, cause) =>
      faults.make('R5005', `the store ${this.#store.name} refused a batch: ${message}`, { cause }),
    )
    for (const { run } of pairs) run.broken(fault)
    this.#schedule()
  }
}

/** Records that cannot be written as text stop their own run, never those that share the commit. */
function batchOf(run: Committing): Batch | undefined {
  try {
    return run.batch()
  } catch (thrown) {
    run.broken(
      toFault(thrown, (message, cause) =>
        faults.make('R9001', `the records of ${run.id} could not be written down: ${message}`, { run: run.id, cause }),
      ),
    )
    return undefined
  }
}

interface Pair {
  readonly run: Committing
  readonly batch: Batch
}
