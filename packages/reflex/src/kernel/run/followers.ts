import type { Host } from '../ports/host.ts'
import type { Store } from '../ports/store.ts'

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

/** The followed runs of a process. The store is asked once for all of them which have changed. */
export class Followers {
  readonly #store: Store
  readonly #host: Host
  readonly #runs = new Set<Follower>()
  /** The place in the order of the store up to which the runs were looked at. */
  #place: string | undefined
  #stopTimer: (() => void) | undefined
  #looking = false

  constructor(store: Store, host: Host) {
    this.#store = store
    this.#host = host
  }

  add(run: Follower): void {
    this.#runs.add(run)
    this.arm()
  }

  delete(run: Follower): void {
    this.#runs.delete(run)
    if (this.#runs.size === 0) this.#stopTimer?.()
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
    this.#stopTimer = this.#host.at(this.#host.now() + LOOK_MS, () => void this.#look(), isIdle)
  }

  async #look(): Promise<void> {
    this.#looking = true
    const changed = await this.#changed().catch(() => undefined)
    const outdated = [...this.#runs].filter((run) => changed === undefined || changed.has(run.id) || run.isBehind)
    await Promise.all(outdated.map((run) => run.look()))
    this.#looking = false
    this.arm()
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
