import { type CommitWatch, type Host, isList, isObject, type Json } from '../../kernel/index.ts'
import { Paced } from './paced.ts'
import { RecentRuns } from './recent-runs.ts'

/** Milliseconds between two announcements of one process: `NOTIFY` takes a lock of the whole server. */
const PAUSE_MS = 50
/** Milliseconds between two statements of the runs that a process follows, and the time for which one counts. */
const STATE_PAUSE_MS = 50
const RENEW_MS = 10_000
const LASTS_MS = 30_000
/** The most bytes of a list of runs in one announcement, of which the server takes 8000. */
const MOST_BYTES = 7000

/** Called with the runs that have new records; without them if they are unknown. */
type Changed = (runs: ReadonlySet<string> | undefined) => void

/** Runs, or all of them. */
type Runs = 'all' | ReadonlySet<string>

interface Watch {
  readonly changed: Changed
  /** True: commits of all runs. */
  readonly all: boolean
  readonly runs: Set<string>
}

/** Sends a text to all processes that listen, also to this one. */
export type Send = (text: string) => Promise<void>

/**
 * Announces the commits of this process to others that follow the runs, and receives the announcements of theirs. Each process states which
 * runs it follows, and the others keep that in memory, so that a commit which nobody follows costs nothing. An announcement is a
 * transaction of its own after that of the commit, and one stands for all commits of 50 ms. What is lost is found by asking.
 */
export class CommitAnnouncer {
  readonly #host: Host
  readonly #id: string
  readonly #watches = new Set<Watch>()
  /** The runs that other processes follow, and until when their statement counts on the monotonic clock. */
  readonly #others = new Map<string, { readonly runs: Runs; readonly until: number }>()
  /** The runs with commits that are not announced yet. */
  #moved = new Set<string>()
  /** Commits that it made before it knew who follows the run. */
  readonly #recent: RecentRuns
  readonly #announcing: Paced
  readonly #stating: Paced
  #stated = runsText(new Set())
  #send: Send | undefined
  #cancelRenewal: (() => void) | undefined

  constructor(host: Host) {
    this.#host = host
    this.#id = host.entropy()
    this.#recent = new RecentRuns(host)
    this.#announcing = new Paced(host, PAUSE_MS, () => this.#announce())
    this.#stating = new Paced(host, STATE_PAUSE_MS, () => this.#state())
  }

  get hasWatches(): boolean {
    return this.#watches.size > 0
  }

  /** The text that a process sends when it begins to listen: the others state what they follow. */
  get greeting(): string {
    return JSON.stringify({ from: this.#id, asks: true })
  }

  /** Follows runs from now on. */
  follow(changed: Changed, all: boolean): CommitWatch {
    const watch = { changed, all, runs: new Set<string>() }
    const announces = (): boolean => this.#send !== undefined
    this.#watches.add(watch)
    if (all) this.#stating.ask()
    return {
      get announces() {
        return announces()
      },
      add: (run) => {
        watch.runs.add(run)
        this.#stating.ask()
      },
      delete: (run) => {
        watch.runs.delete(run)
        this.#stating.ask()
      },
      stop: () => {
        this.#watches.delete(watch)
        this.#stating.ask()
      },
    }
  }

  /** Announces commits of this process. */
  committed(runs: ReadonlySet<string>): void {
    this.#notify(runs)
    this.#recent.add(runs)
    for (const run of runs) if (this.#isFollowed(run)) this.#moved.add(run)
    if (this.#moved.size > 0) this.#announcing.ask()
  }

  /** This process listens from now on. Commits of the time before may have been missed. */
  connected(send: Send): void {
    this.#send = send
    this.#stated = runsText(new Set())
    this.#stating.ask()
    this.#notify('all')
  }

  /** This process no longer listens. */
  lost(): void {
    this.#send = undefined
    this.#announcing.stop()
    this.#stating.stop()
    this.#moved.clear()
    this.#cancelRenewal?.()
  }

  /** Takes what a process has sent. Anything else is ignored. */
  receive(text: string): void {
    const { from, asks, follows, moved } = readObject(text)
    if (typeof from !== 'string' || from === this.#id) return
    const [followed, changed] = [readRuns(follows), readRuns(moved)]
    if (followed !== undefined) this.#learn(from, followed)
    if (changed !== undefined) this.#notify(changed)
    if (asks === true && this.hasWatches) this.#renew()
  }

  /** Another process follows these runs now. Those that it did not follow before may have moved just now. */
  #learn(from: string, runs: Runs): void {
    const before = this.#others.get(from)?.runs
    this.#others.delete(from)
    if (runs !== 'all' && runs.size === 0) return
    this.#others.set(from, { runs, until: this.#host.monotonic() + LASTS_MS })
    if (before === 'all') return
    for (const run of this.#recent.all()) if ((runs === 'all' || runs.has(run)) && before?.has(run) !== true) this.#moved.add(run)
    if (this.#moved.size > 0) this.#announcing.ask()
  }

  #isFollowed(run: string): boolean {
    for (const [id, { runs, until }] of this.#others)
      if (until <= this.#host.monotonic()) this.#others.delete(id)
      else if (runs === 'all' || runs.has(run)) return true
    return false
  }

  #notify(moved: Runs): void {
    for (const { changed, all, runs } of this.#watches) {
      if (moved === 'all') changed(undefined)
      else {
        const own = all ? moved : new Set([...moved].filter((run) => runs.has(run)))
        if (own.size > 0) changed(own)
      }
    }
  }

  async #announce(): Promise<void> {
    const moved = runsText(this.#moved)
    this.#moved = new Set()
    await this.#say(`"moved":${moved}`)
  }

  /** States the runs that this process follows, if that has changed, and again from time to time. */
  async #state(): Promise<void> {
    const runs = [...this.#watches].some(({ all }) => all) ? '"all"' : runsText(new Set(ownRuns(this.#watches)))
    if (runs === this.#stated) return
    this.#stated = runs
    this.#cancelRenewal?.()
    if (this.hasWatches) this.#cancelRenewal = this.#host.at(this.#host.now() + RENEW_MS, () => this.#renew(), true)
    await this.#say(`"follows":${runs}`)
  }

  #renew(): void {
    this.#stated = ''
    this.#stating.ask()
  }

  /** Sends one field. A failure is ignored here: the connection reports it itself, and followers then ask the store. */
  async #say(field: string): Promise<void> {
    await this.#send?.(`{"from":"${this.#id}",${field}}`).catch(() => undefined)
  }
}

function* ownRuns(watches: Iterable<Watch>): Generator<string> {
  for (const { runs } of watches) yield* runs
}

/** Returns the JSON of a list of runs; that of `all` for one that is too long for an announcement. */
function runsText(runs: Iterable<string>): string {
  const names: string[] = []
  let bytes = 0
  for (const run of runs) {
    const name = JSON.stringify(run)
    bytes += Buffer.byteLength(name) + 1
    if (bytes > MOST_BYTES) return '"all"'
    names.push(name)
  }
  return `[${names.join(',')}]`
}

function readRuns(runs: Json | undefined): Runs | undefined {
  if (runs === 'all') return runs
  return isList(runs) ? new Set(runs.filter((run) => typeof run === 'string')) : undefined
}

function readObject(text: string): { readonly [name: string]: Json } {
  try {
    const value = JSON.parse(text) as Json
    return isObject(value) ? value : {}
  } catch {
    return {}
  }
}
