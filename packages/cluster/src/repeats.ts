import { type Fault, type Host, toFault } from 'reflex-runtime/kernel'
import { clusterFaults } from 'reflex-runtime/store'

/** A task that is repeated. */
interface Task {
  hasEnded: boolean
  cancelTimer: () => void
  /** Resolves when it is not being done. */
  underWay: Promise<void>
}

/** The tasks that a worker repeats, and the report of those that fail. */
export class Repeats {
  readonly #host: Host
  readonly #onTrouble: (fault: Fault) => void
  /** The repeated tasks that have failed: the code of the fault, and whether the task has worked since. */
  readonly #failing = new Map<string, { readonly code: string; works: boolean }>()
  readonly #tasks = new Map<string, Task>()
  #hasStopped = false

  constructor(host: Host, onTrouble: (fault: Fault) => void) {
    this.#host = host
    this.#onTrouble = onTrouble
  }

  /** Repeats something until `end` or `stop`. The next time after a failure is as usual. */
  repeat(name: string, ms: number, work: () => Promise<void>): void {
    const host = this.#host
    const task: Task = { hasEnded: false, cancelTimer: () => undefined, underWay: Promise.resolve() }
    const wait = (): void => {
      task.cancelTimer = host.at(host.now() + ms, () => {
        task.underWay = again()
      })
    }
    const again = async (): Promise<void> => {
      try {
        await work()
        this.#onWorked(name)
      } catch (thrown) {
        this.#onFailed(name, troubleOf(thrown))
      }
      if (!task.hasEnded) wait()
    }
    this.#tasks.set(name, task)
    wait()
  }

  /** Ends one repetition. If the task is under way, it ends by itself. */
  end(name: string): void {
    const task = this.#tasks.get(name)
    if (task === undefined) return
    task.hasEnded = true
    task.cancelTimer()
  }

  /** Ends the repetitions. Resolves when no task is under way. A task that fails meanwhile is not reported. */
  async stop(): Promise<void> {
    this.#hasStopped = true
    for (const name of this.#tasks.keys()) this.end(name)
    await Promise.all([...this.#tasks.values()].map(({ underWay }) => underWay))
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
