import { isFault } from '../journal/fault.ts'
import type { Host } from '../ports/host.ts'
import type { PostWatch, Store, UnreadRun, Worker } from '../ports/store.ts'

/** A run as the watch sees it. */
export interface WatchedRun {
  pull(): Promise<void>
  /** The inbox of the run is damaged. */
  failed(thrown: unknown): void
}

/** Milliseconds between two looks at a store that does not call back for every post. */
const LOOK = 500

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
  #callOff: (() => void) | undefined
  #due = false
  #looking = false
  #ended = false

  constructor(store: Store, worker: Worker, host: Host, runs: ReadonlyMap<string, WatchedRun>) {
    this.#store = store
    this.#worker = worker
    this.#host = host
    this.#runs = runs
  }

  /** Watches the inbox of a run from now on. */
  begin(): void {
    if (this.#ended) return
    this.#watch ??= this.#begun()
    if (this.#watch?.complete !== true) this.#arm()
  }

  end(): void {
    this.#ended = true
    this.#callOff?.()
    this.#watch?.stop()
  }

  /** A store that is away is asked again at the next look. */
  #begun(): PostWatch | undefined {
    try {
      return this.#store.watch(() => this.#posted())
    } catch {
      return undefined
    }
  }

  /** Several posts of one turn need one look. */
  #posted(): void {
    if (this.#due || this.#ended) return
    this.#due = true
    this.#host.turn(() => {
      if (!this.#looking) void this.#look()
    })
  }

  #arm(): void {
    if (this.#callOff !== undefined || this.#ended || this.#runs.size === 0) return
    const ring = (): void => {
      this.#callOff = undefined
      void this.#look()
    }
    this.#callOff = this.#host.at(this.#host.now() + LOOK, ring, true)
  }

  async #look(): Promise<void> {
    if (this.#ended || this.#looking) return
    this.#looking = true
    let missed = false
    do {
      this.#due = false
      missed = !(await this.#lookOnce())
    } while (this.#due && !this.#ended)
    this.#looking = false
    if (missed || this.#watch?.complete !== true) this.begin()
    if (missed) this.#arm()
  }

  /** False if something remains to be read again. */
  async #lookOnce(): Promise<boolean> {
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
      const held = this.#runs.get(run)
      if (held === undefined) continue
      if (seen.get(run) === mark || (await shows(held))) this.#seen.set(run, mark)
      else all = false
    }
    return all
  }
}

async function shows(run: WatchedRun): Promise<boolean> {
  try {
    await run.pull()
  } catch (thrown) {
    if (!isFault(thrown) || thrown.code !== 'R5003') return false
    run.failed(thrown)
  }
  return true
}
