import { isFault } from '../kernel/index.ts'
import type { RunHandle } from '../runs/handle.ts'
import type { WorkOptions } from './options.ts'
import { RunCarrier, type Taken, type WorkingReflex } from './run-carrier.ts'

/** The options of a worker without a cluster. */
export interface LoopOptions extends WorkOptions {
  /** Milliseconds between two checks of the store. Default: 500, or less if leases are shorter than two seconds. */
  readonly pollMs?: number
  /** True: ends when nothing is due. */
  readonly once?: boolean
}

/** The first and the longest pause of a run in milliseconds, after a failure or if nothing could be done. */
const PAUSE_MS = 1000
const LONGEST_PAUSE_MS = 30_000
/** The pause of a run in milliseconds after another worker has taken it. */
const MISSED_PAUSE_MS = 200
/** The number of attempts without a result after which a run that stays due is paused. */
const MOST_FRUITLESS = 3
/** The shortest time between two checks in milliseconds, even if runs are due earlier. */
const LEAST_POLL_MS = 50
/** The time in milliseconds for which a worker remembers due times. Later ones are found by the regular checks. */
const LOOKAHEAD_MS = 60_000
/** A worker starts at a random place among this many times its limit of runs. */
const SPREAD = 4

/**
 * Continues the runs of a store that are due: those whose time has come, that have a new message, or whose process has died, which is
 * noticed within two lease times. A run that then waits again is released, so memory has only active runs; a run that is due
 * again within five seconds is kept while no other run needs its place. Runs that this process holds already continue by
 * themselves. Several workers can share a store: each run is advanced by one of them. Resolves when it was asked to stop and has
 * released its runs, or, with `once`, when nothing is due. A failure of one run, or a temporary failure of the store, does not end the work.
 */
export async function work(reflex: WorkingReflex, options: LoopOptions = {}): Promise<void> {
  await new WorkLoop(reflex, options).run()
}

/** The loop of `work`, for a process that also starts runs. */
export class WorkLoop {
  readonly #reflex: WorkingReflex
  readonly #options: LoopOptions
  readonly #carrier: RunCarrier
  /** The runs that were due at the last check and are not started, in reverse order. */
  #waiting: string[] = []
  /** Runs for which nothing could be done, with the number of attempts in a row. Another worker was faster, unless they stay due. */
  readonly #fruitless = new Map<string, number>()
  /** Paused runs: the end of the pause, and its length. The store itself has an empty name. */
  readonly #paused = new Map<string, { readonly until: number; readonly pause: number }>()
  /** Runs that only the process which began them can continue. */
  readonly #hosted = new Set<string>()
  #wake: () => void = () => undefined
  /** Moves the end of the current pause to the first due time. */
  #arm: () => void = () => undefined
  #lookedAt = 0
  /** The due times of released runs within the next minute, in order. */
  readonly #times: number[] = []

  constructor(reflex: WorkingReflex, options: LoopOptions) {
    this.#reflex = reflex
    this.#options = options
    const { signal, grace, once, onEvent } = options
    this.#carrier = new RunCarrier(reflex, { signal, grace, holdsNone: once, onEvent })
  }

  get #isOver(): boolean {
    return this.#options.signal?.aborted === true
  }

  get #now(): number {
    return this.#reflex.host.now()
  }

  async run(): Promise<void> {
    const { signal, once = false } = this.#options
    const { pollMs = Math.min(500, Math.ceil(this.#reflex.runtime.leaseMs / 4)) } = this.#options
    const stop = (): void => this.#wake()
    signal?.addEventListener('abort', stop)
    try {
      while (!this.#isOver) {
        const found = await this.#findDue()
        this.#startWaiting()
        if (once && this.#carrier.size === 0) return
        if (!this.#isOver && (!found || this.#carrier.size > 0)) await this.#pause(pollMs)
      }
    } finally {
      signal?.removeEventListener('abort', stop)
      await this.#carrier.stop((ms) => this.#pause(ms))
    }
  }

  /** Takes a run that this process has started: continues it and releases it as one that was due. */
  adopt(handle: RunHandle): void {
    this.#follow(handle.id, this.#carrier.adopt(handle))
  }

  // Looking

  /** Finds runs that are due and neither active nor paused. Returns true if there are any. */
  async #findDue(): Promise<boolean> {
    const now = this.#now
    for (const [id, { until, pause }] of this.#paused) if (until + pause < now) this.#paused.delete(id)
    this.#waiting = []
    this.#lookedAt = now
    while ((this.#times[0] ?? now + 1) <= now) this.#times.shift()
    try {
      const { runtime, store } = this.#reflex
      await runtime.register()
      const due = await store.due(now)
      this.#forgetFruitless(due)
      for (const id of due) {
        // Runs that this process owns continue by themselves.
        if (!runtime.openRuns.has(id) && !this.#carrier.has(id) && !this.#isPaused(id) && !this.#hosted.has(id)) this.#waiting.push(id)
      }
      this.#paused.delete(STORE)
    } catch (thrown) {
      // An unavailable store is tried at every check, and reported from time to time.
      if (this.#isPaused(STORE)) return false
      this.#backOff(STORE)
      this.#carrier.fail(undefined, thrown)
    }
    this.#rotate()
    return this.#waiting.length > 0
  }

  #forgetFruitless(due: readonly string[]): void {
    if (this.#fruitless.size === 0) return
    const still = new Set(due)
    for (const id of this.#fruitless.keys()) if (!still.has(id)) this.#fruitless.delete(id)
  }

  /** Workers that share a store start at different places among the runs that have been due longest, so they seldom conflict. */
  #rotate(): void {
    const { maxRuns = 64 } = this.#options
    const room = Math.min(this.#waiting.length, SPREAD * maxRuns)
    const place = room === 0 ? 0 : Number.parseInt(this.#reflex.host.entropy().slice(0, 8), 16) % room
    this.#waiting = [...this.#waiting.slice(place, room), ...this.#waiting.slice(0, place), ...this.#waiting.slice(room)].reverse()
  }

  // Carrying on

  /** Starts waiting runs up to the limit. */
  #startWaiting(): void {
    const { maxRuns: most = 64 } = this.#options
    while (this.#carrier.size < most && !this.#isOver) {
      const id = this.#waiting.pop()
      if (id === undefined) return
      this.#follow(id, this.#carrier.take(id))
    }
    // Runs that rest and are only held give their places to those that wait.
    this.#carrier.makeRoom(this.#waiting.length)
  }

  /** Notes what became of a run, and starts those that wait for its place. */
  #follow(id: string, taken: Promise<Taken>): void {
    void taken.then((end) => {
      this.#note(id, end)
      this.#startWaiting()
      if (this.#carrier.size === 0) this.#wake()
    })
  }

  #note(id: string, end: Taken): void {
    if (end.did === 'failed') return this.#onFailure(id, end.thrown)
    // A run that code of another process drives is left to it.
    if (end.did === 'hosted') return void this.#hosted.add(id)
    if (end.did === 'elsewhere') return
    this.#scheduleDue(end.due)
    this.#recordProgress(id, end.records)
  }

  /** Schedules a check for the due time of a released run, unless there are runs to start before. */
  #scheduleDue(times: readonly number[]): void {
    for (const due of times) {
      if (due > this.#now + LOOKAHEAD_MS) continue
      this.#times.splice(this.#times.findLastIndex((time) => time <= due) + 1, 0, due)
    }
    if (this.#waiting.length === 0) this.#arm()
  }

  /** A run that another worker has advanced since the last check is no longer due at the next one. */
  #recordProgress(id: string, records: number): void {
    if (records > 0) {
      this.#paused.delete(id)
      this.#fruitless.delete(id)
      return
    }
    const times = (this.#fruitless.get(id) ?? 0) + 1
    this.#fruitless.set(id, times)
    if (times >= MOST_FRUITLESS) this.#backOff(id)
  }

  #onFailure(id: string, thrown: unknown): void {
    const code = isFault(thrown) ? thrown.code : undefined
    // The run has ended or is deleted in the meantime.
    if (code === 'R2001' || code === 'R2016') return
    // Another worker was faster: the run is no longer due, or due again soon. This is not a fault.
    if (code === 'R5001') return void this.#paused.set(id, { until: this.#now + MISSED_PAUSE_MS, pause: 0 })
    this.#backOff(id)
    this.#carrier.fail(id, thrown)
  }

  #isPaused(id: string): boolean {
    return (this.#paused.get(id)?.until ?? Number.NEGATIVE_INFINITY) > this.#now
  }

  #backOff(id: string): void {
    const pause = Math.min(LONGEST_PAUSE_MS, Math.max(PAUSE_MS, (this.#paused.get(id)?.pause ?? 0) * 2))
    this.#paused.set(id, { until: this.#now + pause, pause })
  }

  // Ending

  /** Resolves when no run is active, when the worker must end, or after the time. */
  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const { host } = this.#reflex
      const end = host.now() + ms
      let cancelTimer: () => void = () => undefined
      this.#wake = () => {
        cancelTimer()
        this.#wake = this.#arm = () => undefined
        resolve()
      }
      this.#arm = () => {
        cancelTimer()
        cancelTimer = host.at(Math.min(end, Math.max(this.#times[0] ?? end, this.#lookedAt + LEAST_POLL_MS)), () => this.#wake())
      }
      this.#arm()
    })
  }
}

const STORE = ''
