import { type Fault, type Host, toFault } from 'reflex-runtime/kernel'
import { clusterFaults } from 'reflex-runtime/store'

/** The tasks that a worker repeats, and the report of those that fail. */
export class Repeats {
  readonly #host: Host
  readonly #onTrouble: (fault: Fault) => void
  /** The repeated tasks that have failed: the code of the fault, and whether the task has worked since. */
  readonly #failing = new Map<string, { readonly code: string; works: boolean }>()
  readonly #cancelTimers = new Map<string, () => void>()
  #hasStopped = false

  constructor(host: Host, onTrouble: (fault: Fault) => void) {
    this.#host = host
    this.#onTrouble = onTrouble
  }

  /** Repeats something until `stop`. The next time after a failure is as usual. */
  repeat(name: string, ms: number, work: () => Promise<void>): void {
    const host = this.#host
    const again = async (): Promise<void> => {
      try {
        await work()
        this.#onWorked(name)
      } catch (thrown) {
        this.#onFailed(name, troubleOf(thrown))
      }
      if (!this.#hasStopped)
        this.#cancelTimers.set(
          name,
          host.at(host.now() + ms, () => void again()),
        )
    }
    this.#cancelTimers.set(
      name,
      host.at(host.now() + ms, () => void again()),
    )
  }

  /** Ends the repetitions. A task under way ends by itself, and is not reported. */
  stop(): void {
    this.#hasStopped = true
    for (const cancel of this.#cancelTimers.values()) cancel()
  }

  /** Reports a failure once, until what has failed for the same reason works again: all of it uses one database. */
  #onFailed(name: string, fault: Fault): void {
    const isKnown = [...this.#failing.values()].some(({ code }) => code === fault.code)
    this.#failing.set(name, { code: fault.code, works: false })
    if (!isKnown && !this.#hasStopped) this.#onTrouble(fault)
  }

  /** Forgets what has failed and works, once the heartbeat is written: other tasks may have had nothing to write. */
  #onWorked(name: string): void {
    const failed = this.#failing.get(name)
    if (failed !== undefined) failed.works = true
    if (name !== 'beat') return
    for (const [other, { works }] of this.#failing) if (works) this.#failing.delete(other)
  }
}

/** Returns what was thrown as a fault: `R5101` for anything that is not one. */
export function troubleOf(thrown: unknown): Fault {
  return toFault(thrown, (message, cause) => clusterFaults.make('R5101', message, { cause }))
}
