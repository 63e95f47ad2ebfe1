import type { Wait } from '../state/frame.ts'
import type { Host } from '../ports/host.ts'
import type { State } from '../state/state.ts'

/** Wakes a run when its earliest wait is due. */
export class Alarm {
  readonly #state: State
  readonly #host: Host
  readonly #ring: (wait: Wait) => void
  #armed: Wait | undefined
  #stop: (() => void) | undefined
  #asleep = false
  /** Waits whose time has come, and which somebody holds until further notice. */
  readonly #held = new Set<Wait>()

  constructor(state: State, host: Host, ring: (wait: Wait) => void) {
    this.#state = state
    this.#host = host
    this.#ring = ring
  }

  /** Sets the alarm to the earliest wait. */
  set(): void {
    if (this.#asleep) return
    const next = this.#earliest()
    if (next === this.#armed) return
    this.stop()
    if (next?.due === undefined) return
    this.#armed = next
    const { due } = next
    this.#stop = this.#host.at(due, () => {
      this.#armed = undefined
      // The clock was set back: the due time is still ahead.
      if (this.#host.now() >= due) this.#ring(next)
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
    this.#held.add(wait)
  }

  free(wait: Wait): void {
    if (this.#held.delete(wait)) this.set()
  }

  wake(): void {
    this.#asleep = false
    this.ring(this.#host.now())
    this.set()
  }

  /** Rings for every wait that was due by then, in their order, at once. Returns false if there are none. */
  ring(until: number): boolean {
    const due = [...this.#state.waits.values()].filter((wait) => (wait.due ?? Number.POSITIVE_INFINITY) <= until && !this.#held.has(wait))
    for (const wait of due.sort((a, b) => (a.due ?? 0) - (b.due ?? 0))) this.#ring(wait)
    return due.length > 0
  }

  stop(): void {
    this.#stop?.()
    this.#stop = undefined
    this.#armed = undefined
  }

  #earliest(): Wait | undefined {
    let least: Wait | undefined
    for (const wait of this.#state.waits.values())
      if (wait.due !== undefined && wait.due < (least?.due ?? Number.POSITIVE_INFINITY) && !this.#held.has(wait)) least = wait
    return least
  }
}
