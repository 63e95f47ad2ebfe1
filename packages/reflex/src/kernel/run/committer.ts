import { type Fault, toFault } from '../journal/fault.ts'
import { faults } from '../journal/faults.ts'
import type { Host } from '../ports/host.ts'
import type { Awaitable, Batch, Store } from '../ports/store.ts'

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
/** Milliseconds after which other runs do not wait for a commit any longer. */
const SLOW = 100
/** The most slow commits that others may overtake: each holds a connection. */
const MOST_SLOW = 2

/**
 * Makes records durable, for all runs of a process together: runs that want it in the same turn, or while a
 * commit is under way, share the next transaction. A run on its own does not wait for a turn. A commit that takes long, over a
 * connection that has gone silent, delays only its own runs: the others commit beside it.
 */
export class Committer {
  readonly #store: Store
  readonly #host: Host
  readonly #runs: ReadonlyMap<string, unknown>
  readonly #wanting = new Set<Committing>()
  readonly #behind = new Set<Committing>()
  #scheduled = false
  /** The commit that must end before the next one begins. */
  #current: readonly Pair[] | undefined
  /** Runs with a commit under way: they have one at a time. */
  readonly #committing = new Set<Committing>()
  readonly #slow = new Set<readonly Pair[]>()
  #stopWaiting: (() => void) | undefined

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
    if (this.#scheduled || this.#wanting.size === 0) return
    if (this.#current !== undefined) return this.#watch(this.#current)
    this.#scheduled = true
    if (this.#runs.size <= 1) void Promise.resolve().then(() => this.#flush())
    else this.#host.turn(() => this.#flush())
  }

  /** Lets others overtake the current commit once it is slow, if one waits for it. */
  #watch(current: readonly Pair[]): void {
    if (this.#stopWaiting !== undefined || this.#slow.size >= MOST_SLOW) return
    const pass = () => {
      this.#stopWaiting = undefined
      if (this.#current !== current) return
      this.#current = undefined
      this.#slow.add(current)
      this.#schedule()
    }
    this.#stopWaiting = this.#host.at(this.#host.now() + SLOW, pass, true)
  }

  #flush(): void {
    this.#scheduled = false
    const pairs: Pair[] = []
    for (const run of this.#wanting) {
      if (this.#committing.has(run)) continue
      this.#wanting.delete(run)
      const batch = batchOf(run)
      if (batch !== undefined) pairs.push({ run, batch })
    }
    if (pairs.length === 0) return
    let refused: Awaitable<readonly string[]>
    try {
      refused = this.#store.commit(pairs.map(({ batch }) => batch))
    } catch (thrown) {
      return this.#broken(pairs, thrown)
    }
    if (!(refused instanceof Promise)) return this.#finish(pairs, refused)
    this.#current = pairs
    for (const { run } of pairs) this.#committing.add(run)
    refused.then(
      (ids) => this.#finish(pairs, ids),
      (thrown: unknown) => this.#broken(pairs, thrown),
    )
  }

  #finish(pairs: readonly Pair[], refused: readonly string[]): void {
    this.#over(pairs)
    for (const { run, batch } of pairs) {
      if (refused.includes(run.id)) run.lost()
      else run.committed(batch.first + batch.count - 1)
    }
    this.#schedule()
  }

  #broken(pairs: readonly Pair[], thrown: unknown): void {
    this.#over(pairs)
    const fault = toFault(thrown, (message, cause) =>
      faults.make('R5005', `the store ${this.#store.name} refused a batch: ${message}`, { cause }),
    )
    for (const { run } of pairs) run.broken(fault)
    this.#schedule()
  }

  #over(pairs: readonly Pair[]): void {
    for (const { run } of pairs) this.#committing.delete(run)
    this.#slow.delete(pairs)
    if (this.#current !== pairs) return
    this.#current = undefined
    this.#stopWaiting?.()
    this.#stopWaiting = undefined
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
