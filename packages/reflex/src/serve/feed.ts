import type { Reflex } from '../app/reflex.ts'
import { type CommitWatch, type NumberedRecord, readPart, readRecords, type Rec } from '../kernel/index.ts'
import type { StreamedEvent } from '../programs/route.ts'
import { Pages } from './pages.ts'
import { recordEvent, type RunFold } from './run-fold.ts'

/** The newest records of a followed run that stay in memory. A client that is behind them reads the journal. */
const KEPT = 1000
/** Milliseconds between two looks at runs that other processes hold. */
const LOOK_MS = 250
/** The same where the processes announce their commits, which can be lost. */
const SAFETY_LOOK_MS = 1000

/** A durable record of a followed run. */
export interface FollowedRecord {
  readonly n: number
  readonly record: Rec
  /** The record as an event: its address, its time, what it means, and the end of the run if it ends it. */
  readonly event: StreamedEvent
}

/** The records of followed runs as events. Each run is read once, however many clients follow it. */
export class Feeds {
  /** The records of all runs. */
  readonly pages: Pages
  readonly #reflex: Reflex
  readonly #feeds = new Map<string, Feed>()
  #watch: CommitWatch | undefined
  #isLooking = false
  /** The place in the order of the store up to which the followed runs were looked at. */
  #place: string | undefined

  constructor(reflex: Reflex) {
    this.#reflex = reflex
    this.pages = new Pages(reflex)
  }

  /**
   * Yields each durable record of a run after record `after`, in order and without gaps, until the run has ended or the
   * signal is aborted. It does not matter which process holds the run.
   */
  async *follow(run: string, after: number, signal: AbortSignal): AsyncGenerator<FollowedRecord> {
    const feed = this.#open(run)
    try {
      yield* feed.from(after, signal)
    } finally {
      if (feed.leave()) this.#close(run)
    }
  }

  /** Looks for new records of a run at once: this process has just changed it. */
  wake(run: string): void {
    void this.#feeds.get(run)?.look()
    this.pages.wake()
  }

  #open(run: string): Feed {
    const feed = this.#feeds.get(run) ?? new Feed(this.#reflex, run)
    this.#feeds.set(run, feed)
    feed.join()
    this.#watch ??= this.#reflex.store.follow?.((runs) => this.#onCommits(runs))
    this.#watch?.add(run)
    if (!this.#isLooking) this.#lookAgain()
    return feed
  }

  #close(run: string): void {
    this.#feeds.delete(run)
    this.#watch?.delete(run)
    if (this.#feeds.size > 0) return
    this.#watch?.stop()
    this.#watch = undefined
  }

  #onCommits(runs: ReadonlySet<string> | undefined): void {
    if (runs === undefined) void this.#look()
    else for (const run of runs) void this.#feeds.get(run)?.look()
  }

  /** Looks regularly until no run is followed. */
  #lookAgain(): void {
    const { host } = this.#reflex
    this.#isLooking = this.#feeds.size > 0
    const pause = this.#watch?.announces === true ? SAFETY_LOOK_MS : LOOK_MS
    if (this.#isLooking) host.at(host.now() + pause, () => void this.#look().then(() => this.#lookAgain()), true)
    else this.#place = undefined
  }

  /** Looks for new records of the followed runs that changed since the last look. The store is asked once for all of them. */
  async #look(): Promise<void> {
    const changed = await this.#changed().catch(() => undefined)
    const feeds = changed === undefined ? [...this.#feeds.values()] : [...changed].flatMap((run) => this.#feeds.get(run) ?? [])
    await Promise.all(feeds.map((feed) => feed.look()))
  }

  /** Returns the runs that changed since the last look. Undefined if that is unknown: then each run is looked at, and reports what fails. */
  async #changed(): Promise<ReadonlySet<string> | undefined> {
    const { store } = this.#reflex
    const place = this.#place
    this.#place = undefined
    const found = place === undefined ? undefined : await store.committed(place)
    this.#place = (found ?? (await store.committed()))?.end
    return found === undefined ? undefined : new Set(found.batches.map(({ run }) => run))
  }
}

/** One followed run. */
class Feed {
  readonly #reflex: Reflex
  readonly #run: string
  #clients = 0
  /** The newest records in order; the first is `#first`. */
  #records: FollowedRecord[] = []
  #first = 0
  #fold: RunFold | undefined
  #failure: Error | undefined
  #looking: Promise<void> | undefined
  /** True if a look may find more than the one under way. */
  #isChanged = false
  #unsubscribe: (() => void) | undefined
  readonly #waiting = new Set<() => void>()

  constructor(reflex: Reflex, run: string) {
    this.#reflex = reflex
    this.#run = run
  }

  join(): void {
    this.#clients++
  }

  /** Returns true if nobody follows the run any more. */
  leave(): boolean {
    this.#clients--
    if (this.#clients === 0) this.#unsubscribe?.()
    return this.#clients === 0
  }

  get #last(): number {
    return this.#fold?.state.n ?? 0
  }

  async *from(after: number, signal: AbortSignal): AsyncGenerator<FollowedRecord> {
    await this.look()
    let next = after + 1
    while (!signal.aborted) {
      if (this.#failure !== undefined) throw this.#failure
      if (next <= this.#last && next < this.#first) {
        for await (const followed of this.#read(next, this.#last)) {
          if (signal.aborted) return
          yield followed
          next++
        }
      } else if (next <= this.#last) {
        const followed = this.#records[next - this.#first]
        if (followed !== undefined) yield followed
        next++
      } else if (this.#fold?.state.ended !== undefined) return
      else await this.#wait(signal)
    }
  }

  #wait(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        this.#waiting.delete(done)
        signal.removeEventListener('abort', done)
        resolve()
      }
      this.#waiting.add(done)
      signal.addEventListener('abort', done)
    })
  }

  /** Reads the records that became durable since the last look. */
  look(): Promise<void> {
    this.#isChanged = true
    this.#looking ??= this.#lookWhileChanged().finally(() => {
      this.#looking = undefined
      for (const wake of this.#waiting) wake()
    })
    return this.#looking
  }

  async #lookWhileChanged(): Promise<void> {
    try {
      while (this.#isChanged) {
        this.#isChanged = false
        await this.#advance()
      }
    } catch (thrown) {
      this.#failure = thrown instanceof Error ? thrown : new Error(String(thrown))
    }
  }

  async #advance(): Promise<void> {
    const { store, runtime } = this.#reflex
    this.#attach()
    if (this.#fold === undefined) {
      const { state } = await runtime.peek(this.#run)
      this.#fold = { state, definitions: this.#reflex.programsOf(state) }
      this.#first = state.n + 1
      return
    }
    const { state } = this.#fold
    const { last = 0 } = (await store.read(this.#run, 0))?.row ?? {}
    if (last <= state.n) return
    for await (const record of readRecords(store, this.#run, state.n + 1, last))
      this.#records.push(followedRecord(this.#run, record, this.#fold))
    if (this.#records.length <= KEPT) return
    this.#first += this.#records.length - KEPT
    this.#records = this.#records.slice(-KEPT)
  }

  /** Follows the run without looking while this process holds it. */
  #attach(): void {
    const run = this.#reflex.runtime.openRuns.get(this.#run)
    if (run === undefined || this.#unsubscribe !== undefined) return
    const stop = run.subscribe(
      () => void this.look(),
      () => {
        if (this.#reflex.runtime.openRuns.get(this.#run) === run) return
        stop()
        this.#unsubscribe = undefined
      },
    )
    this.#unsubscribe = stop
  }

  /** Reads older records from the journal. */
  async *#read(from: number, until: number): AsyncGenerator<FollowedRecord> {
    const part = await readPart(this.#reflex.store, this.#run, from, until)
    const state = part.opening()
    const fold = { state, definitions: this.#reflex.programsOf(state) }
    for await (const record of part.records()) {
      const followed = followedRecord(this.#run, record, fold)
      if (followed.n >= from) yield followed
    }
  }
}

function followedRecord(run: string, [n, record]: NumberedRecord, fold: RunFold): FollowedRecord {
  return { n, record, event: { id: `${run}@${n}`, event: 'record', data: recordEvent(run, [n, record], fold) } }
}
