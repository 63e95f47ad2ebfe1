import type { Host } from '../ports/host.ts'
import type { CommitWatch, Store } from '../ports/store.ts'

/** A run that is followed. */
export interface Follower {
  readonly id: string
  /** True while somebody waits for it: the process stays alive. */
  readonly isAwaited: boolean
  /** True if the last look could not read it. */
  readonly isBehind: boolean
  /** Reads what became durable since the last look. It does not reject. */
  look(): Promise<void>
  close(): void
}

/** Milliseconds between two looks at runs that other processes carry on. */
const LOOK_MS = 100
/** The same where the processes announce their commits, which can be lost. */
const SAFETY_LOOK_MS = 1000

/**
 * The followed runs of a process. A run is looked at when its commits are announced. The store is also asked, once for all runs, which
 * have changed.
 */
export class Followers {
  readonly #store: Store
  readonly #host: Host
  readonly #runs = new Set<Follower>()
  /** The place in the order of the store up to which the runs were looked at. */
  #place: string | undefined
  #watch: CommitWatch | undefined
  #stopTimer: (() => void) | undefined
  #looking = false
  /** True if a run may have changed since the look under way began. */
  #hasNews = false

  constructor(store: Store, host: Host) {
    this.#store = store
    this.#host = host
  }

  add(run: Follower): void {
    this.#runs.add(run)
    this.#watch ??= this.#store.follow?.((runs) => this.#onCommits(runs))
    this.#watch?.add(run.id)
    this.arm()
  }

  delete(run: Follower): void {
    this.#runs.delete(run)
    if (![...this.#runs].some(({ id }) => id === run.id)) this.#watch?.delete(run.id)
    if (this.#runs.size > 0) return
    this.#stopTimer?.()
    this.#watch?.stop()
    this.#watch = undefined
  }

  /** Ends the following of all runs. */
  close(): void {
    for (const run of this.#runs) run.close()
  }

  /** Sets the time of the next look again: a run may be awaited now. */
  arm(): void {
    if (this.#looking) return
    this.#stopTimer?.()
    if (this.#runs.size === 0) return
    const isIdle = [...this.#runs].every(({ isAwaited }) => !isAwaited)
    const pause = this.#watch?.announces === true ? SAFETY_LOOK_MS : LOOK_MS
    this.#stopTimer = this.#host.at(this.#host.now() + pause, () => void this.#look(), isIdle)
  }

  #onCommits(runs: ReadonlySet<string> | undefined): void {
    if (runs !== undefined) {
      for (const run of this.#runs) if (runs.has(run.id)) void run.look()
      return
    }
    this.#hasNews = true
    this.#stopTimer?.()
    if (!this.#looking) void this.#look()
  }

  async #look(): Promise<void> {
    this.#looking = true
    this.#hasNews = false
    const changed = await this.#changed().catch(() => undefined)
    const outdated = [...this.#runs].filter((run) => changed === undefined || changed.has(run.id) || run.isBehind)
    await Promise.all(outdated.map((run) => run.look()))
    this.#looking = false
    if (this.#hasNews && this.#runs.size > 0) void this.#look()
    else this.arm()
  }

  /** Returns the runs that changed since the last look. Undefined if that is unknown: then each run is looked at, and reports what fails. */
  async #changed(): Promise<ReadonlySet<string> | undefined> {
    const place = this.#place
    this.#place = undefined
    const found = place === undefined ? undefined : await this.#store.committed(place)
    this.#place = (found ?? (await this.#store.committed()))?.end
    return found === undefined ? undefined : new Set(found.batches.map(({ run }) => run))
  }
}
