import { nextTime, type Wait } from '../state/frame.ts'
import type { Host } from '../ports/host.ts'
import type { Ref } from '../journal/record.ts'
import type { State } from '../state/state.ts'

/** Wakes a run when its earliest wait is due. */
export class Alarm {
  readonly #state: State
  readonly #host: Host
  readonly #ring: (wait: Wait) => void
  #armed: Wait | undefined
  #armedAt = 0
  #stop: (() => void) | undefined
  #asleep = false
  /** Waits whose time has come, and which the run has not taken yet. */
  readonly #ringing = new Set<Wait>()
  /** Waits whose time has come, and which somebody holds until further notice. */
  readonly #held = new Set<Wait>()
  /** The next times of waits whose last times were skipped without a record. */
  #skipped = new Map<Wait, number>()

  constructor(state: State, host: Host, ring: (wait: Wait) => void) {
    this.#state = state
    this.#host = host
    this.#ring = ring
  }

  /** Returns the next time of a wait. The fold does not know of times that were skipped without a record. */
  dueOf(wait: Wait): number | undefined {
    return this.#skipped.get(wait) ?? wait.due
  }

  /** Sets the alarm to the earliest wait. */
  set(): void {
    if (this.#asleep) return
    const next = this.#earliest()
    const due = next === undefined ? undefined : this.dueOf(next)
    if (next === this.#armed && (due === undefined || due === this.#armedAt)) return
    this.stop()
    if (next === undefined || due === undefined) return
    this.#armed = next
    this.#armedAt = due
    this.#stop = this.#host.at(due, () => {
      this.#armed = undefined
      // The clock was set back: the due time is still ahead.
      if (this.#host.now() >= due) this.#start(next)
      this.set()
    })
  }

  /** Releases a wait that something else has closed: its timer would keep the process alive. */
  check(): void {
    if (this.#armed !== undefined && this.#state.waits.get(this.#armed.id) !== this.#armed) this.set()
  }

  /** Until `wake`, the clock wakes nothing: messages that arrived in the meantime must be read first. */
  sleep(): void {
    this.#asleep = true
  }

  hold(wait: Wait): void {
    this.#ringing.delete(wait)
    this.#held.add(wait)
  }

  /** The run has taken a time of the wait, or refused it. */
  free(wait: Wait): void {
    this.#skipped.delete(wait)
    this.#release(wait)
  }

  /** The run has taken a time of the wait without a record. */
  skip(wait: Wait): void {
    const { every } = wait.rules ?? {}
    const now = this.#host.now()
    if (every !== undefined) this.#skipped.set(wait, nextTime(this.dueOf(wait) ?? now, every, now))
    this.#release(wait)
  }

  #release(wait: Wait): void {
    this.#ringing.delete(wait)
    this.#held.delete(wait)
    this.set()
  }

  /** Returns the next times of open waits whose last times were skipped without a record. */
  skipped(): [Ref, number][] {
    const open = [...this.#skipped].filter(([wait]) => this.#state.waits.get(wait.id) === wait)
    this.#skipped = new Map(open)
    return open.map(([{ id }, due]) => [id, due])
  }

  wake(): void {
    this.#asleep = false
    this.ring(this.#host.now())
    this.set()
  }

  /** Rings for every wait that was due by then, in their order, at once. Returns false if there are none. */
  ring(until: number): boolean {
    const due = [...this.#state.waits.values()].filter((wait) => (this.dueOf(wait) ?? Infinity) <= until && !this.#held.has(wait))
    for (const wait of due.sort((a, b) => (this.dueOf(a) ?? 0) - (this.dueOf(b) ?? 0))) this.#start(wait)
    return due.length > 0
  }

  /** The time of the earliest wait that is not held. */
  get next(): number {
    let least = Infinity
    for (const wait of this.#state.waits.values()) if (!this.#held.has(wait)) least = Math.min(least, this.dueOf(wait) ?? Infinity)
    return least
  }

  stop(): void {
    this.#stop?.()
    this.#stop = undefined
    this.#armed = undefined
  }

  /** A wait that stays open rings once until the run has taken its time. */
  #start(wait: Wait): void {
    if (this.#ringing.has(wait)) return
    this.#ringing.add(wait)
    this.#ring(wait)
  }

  #earliest(): Wait | undefined {
    let least: Wait | undefined
    let earliest = Infinity
    for (const wait of this.#state.waits.values()) {
      const due = this.dueOf(wait)
      if (due === undefined || due >= earliest || this.#ringing.has(wait) || this.#held.has(wait)) continue
      least = wait
      earliest = due
    }
    return least
  }
}
