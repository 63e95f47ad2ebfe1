import { type Fault, toFault } from '../journal/fault.ts'
import { faults } from '../journal/faults.ts'
import type { Host } from '../ports/host.ts'
import type { Awaitable, Batch, Store } from '../ports/store.ts'

/** A run for the committer. */
export interface CommitOwner {
  readonly id: string
  /** Returns the next records that are not in a batch yet, or undefined. Records after a seal are in a batch of their own. */
  batch(): Batch | undefined
  onCommitted(last: number): void
  /** Called when another process owns the run. */
  onLost(): void
  onBroken(fault: Fault): void
}

/** The time in milliseconds that a record may stay in memory if nothing waits for it. */
const MAX_DELAY_MS = 20
/** The time in milliseconds after which other runs no longer wait for a commit. */
const SLOW_COMMIT_MS = 100
/** The largest number of slow commits that others may overtake: each uses a connection. */
const MAX_SLOW_COMMITS = 2

/**
 * Makes records durable for all runs of a process: runs that request it in the same turn, or during a commit, share the next
 * transaction. A single run does not wait for a turn. A slow commit, over a connection that does not respond, delays only its
 * own runs: the others commit in parallel.
 */
export class Committer {
  readonly #store: Store
  readonly #host: Host
  readonly #runs: ReadonlyMap<string, unknown>
  readonly #urgent = new Set<CommitOwner>()
  readonly #delayed = new Set<CommitOwner>()
  #scheduled = false
  /** The commit that must end before the next one starts. */
  #current: readonly RunBatch[] | undefined
  /** Runs with a commit in progress: each has only one at a time. */
  readonly #committing = new Set<CommitOwner>()
  readonly #slow = new Set<readonly RunBatch[]>()
  #stopWaiting: (() => void) | undefined

  constructor(store: Store, host: Host, runs: ReadonlyMap<string, unknown>) {
    this.#store = store
    this.#host = host
    this.#runs = runs
  }

  /** Commits a run as soon as possible. */
  commitSoon(run: CommitOwner): void {
    this.#urgent.add(run)
    this.#schedule()
  }

  isCommitting(run: CommitOwner): boolean {
    return this.#committing.has(run)
  }

  /** Commits a run within 20 ms. */
  commitLater(run: CommitOwner): void {
    if (this.#delayed.size === 0) this.#host.at(this.#host.now() + MAX_DELAY_MS, () => this.#commitDelayed())
    this.#delayed.add(run)
  }

  #commitDelayed(): void {
    for (const run of this.#delayed) this.#urgent.add(run)
    for (const run of this.#delayed) this.#delayed.delete(run)
    this.#schedule()
  }

  #schedule(): void {
    if (this.#scheduled || this.#urgent.size === 0) return
    if (this.#current !== undefined) return this.#limitWait(this.#current)
    this.#scheduled = true
    if (this.#runs.size <= 1) void Promise.resolve().then(() => this.#flush())
    else this.#host.turn(() => this.#flush())
  }

  /** Lets others overtake the current commit when it is slow, if a run waits for it. */
  #limitWait(current: readonly RunBatch[]): void {
    if (this.#stopWaiting !== undefined || this.#slow.size >= MAX_SLOW_COMMITS) return
    const pass = () => {
      this.#stopWaiting = undefined
      if (this.#current !== current) return
      this.#current = undefined
      this.#slow.add(current)
      this.#schedule()
    }
    this.#stopWaiting = this.#host.at(this.#host.now() + SLOW_COMMIT_MS, pass, true)
  }

  #flush(): void {
    this.#scheduled = false
    const pairs: RunBatch[] = []
    for (const run of this.#urgent) {
      if (this.#committing.has(run)) continue
      this.#urgent.delete(run)
      for (let batch = batchOf(run); batch !== undefined; batch = batchOf(run)) pairs.push({ run, batch })
    }
    if (pairs.length === 0) return
    let refused: Awaitable<readonly string[]>
    try {
      refused = this.#store.commit(pairs.map(({ batch }) => batch))
    } catch (thrown) {
      return this.#fail(pairs, thrown)
    }
    if (!(refused instanceof Promise)) return this.#finish(pairs, refused)
    this.#current = pairs
    for (const { run } of pairs) this.#committing.add(run)
    refused.then(
      (ids) => this.#finish(pairs, ids),
      (thrown: unknown) => this.#fail(pairs, thrown),
    )
  }

  #finish(pairs: readonly RunBatch[], refused: readonly string[]): void {
    this.#end(pairs)
    for (const { run, batch } of pairs) {
      if (refused.includes(run.id)) run.onLost()
      else run.onCommitted(batch.first + batch.count - 1)
    }
    this.#schedule()
  }

  #fail(pairs: readonly RunBatch[], thrown: unknown): void {
    this.#end(pairs)
    const fault = toFault(thrown, (message, cause) =>
      faults.make('R5005', `the store ${this.#store.name} refused a batch: ${message}`, { cause }),
    )
    for (const { run } of pairs) run.onBroken(fault)
    this.#schedule()
  }

  #end(pairs: readonly RunBatch[]): void {
    for (const { run } of pairs) this.#committing.delete(run)
    this.#slow.delete(pairs)
    if (this.#current !== pairs) return
    this.#current = undefined
    this.#stopWaiting?.()
    this.#stopWaiting = undefined
  }
}

/** Records that cannot be encoded stop only their own run, not those that share the commit. */
function batchOf(run: CommitOwner): Batch | undefined {
  try {
    return run.batch()
  } catch (thrown) {
    run.onBroken(
      toFault(thrown, (message, cause) =>
        faults.make('R9001', `the records of ${run.id} could not be written down: ${message}`, { run: run.id, cause }),
      ),
    )
    return undefined
  }
}

interface RunBatch {
  readonly run: CommitOwner
  readonly batch: Batch
}
