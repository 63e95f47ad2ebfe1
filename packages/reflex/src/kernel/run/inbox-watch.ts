import { isFault } from '../journal/fault.ts'
import type { Host } from '../ports/host.ts'
import type { PostWatch, Store, UnreadRun, Worker } from '../ports/store.ts'

/** A run as the watch sees it. */
export interface WatchedRun {
  pull(): Promise<void>
  /** The inbox of the run is damaged. */
  onInboxFailed(thrown: unknown): void
}

/** Milliseconds between two looks at a store that does not call back for every post. */
const INTERVAL_MS = 500

/**
 * Delivers cancellations, answers and messages from other processes to the runs that this process holds, also while their
 * effects are under way. It reads the inbox when the store calls back, and regularly while it holds a run. A store that cannot
 * be read is asked again; a row of the run that is not what was written breaks that run.
 */
export class InboxWatch {
  readonly #store: Store
  readonly #worker: Worker
  readonly #host: Host
  readonly #runs: ReadonlyMap<string, WatchedRun>
  /** The messages that each run has been shown. A message that no wait takes stays in the inbox, and is shown once. */
  #seen = new Map<string, string>()
  #watch: PostWatch | undefined
  #stopTimer: (() => void) | undefined
  #hasNews = false
  #looking = false
  #ended = false

  constructor(store: Store, worker: Worker, host: Host, runs: ReadonlyMap<string, WatchedRun>) {
    this.#store = store
    this.#worker = worker
    this.#host = host
    this.#runs = runs
  }

  /** Watches the inbox of a run from now on. */
  watch(): void {
    if (this.#ended) return
    this.#watch ??= this.#startWatch()
    if (this.#watch?.complete !== true) this.#arm()
  }

  end(): void {
    this.#ended = true
    this.#stopTimer?.()
    this.#watch?.stop()
  }

  /** A store that is away is asked again at the next look. */
  #startWatch(): PostWatch | undefined {
    try {
      return this.#store.watch(() => this.#onPost())
    } catch {
      return undefined
    }
  }

  /** Several posts of one turn need one look. */
  #onPost(): void {
    if (this.#hasNews || this.#ended) return
    this.#hasNews = true
    this.#host.turn(() => {
      if (!this.#looking) void this.#readAll()
    })
  }

  #arm(): void {
    if (this.#stopTimer !== undefined || this.#ended || this.#runs.size === 0) return
    const ring = (): void => {
      this.#stopTimer = undefined
      void this.#readAll()
    }
    this.#stopTimer = this.#host.at(this.#host.now() + INTERVAL_MS, ring, true)
  }

  async #readAll(): Promise<void> {
    if (this.#ended || this.#looking) return
    this.#looking = true
    let missed = false
    do {
      this.#hasNews = false
      missed = !(await this.#readOnce())
    } while (this.#hasNews && !this.#ended)
    this.#looking = false
    if (missed || this.#watch?.complete !== true) this.watch()
    if (missed) this.#arm()
  }

  /** False if something remains to be read again. */
  async #readOnce(): Promise<boolean> {
    if (this.#runs.size === 0) return true
    let unread: readonly UnreadRun[]
    try {
      unread = await this.#store.unread(this.#worker)
    } catch {
      return false
    }
    const seen = this.#seen
    this.#seen = new Map()
    let all = true
    // One after the other: a store on a server has few connections, and commits need them too.
    for (const { run, mark } of unread) {
      const owned = this.#runs.get(run)
      if (owned === undefined) continue
      if (seen.get(run) === mark || (await deliver(owned))) this.#seen.set(run, mark)
      else all = false
    }
    return all
  }
}

async function deliver(run: WatchedRun): Promise<boolean> {
  try {
    await run.pull()
  } catch (thrown) {
    if (!isFault(thrown) || thrown.code !== 'R5003') return false
    run.onInboxFailed(thrown)
  }
  return true
}
