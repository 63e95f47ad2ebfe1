import type { Host } from 'reflex-runtime/kernel'
import type { Connection } from './connection.ts'
import type { Names } from './sql/names.ts'

/** Milliseconds for which this process relies on what it knows of the queues of calls. */
const KNOWN_MS = 1000
/** The longest pause of a call between two questions for room. */
const LONGEST_PAUSE_MS = 5000

interface CallParts {
  readonly connection: Connection
  readonly names: Names
  readonly host: Host
}

/**
 * The calls of this process to model providers and tools that the operator has limited, in the whole cluster. A call without a limit asks
 * nobody. One that waits has not begun: it is no effect yet, and a worker that dies leaves no slot taken for longer than its lease and a
 * look at all runs.
 */
export class Calls {
  readonly #parts: CallParts
  #known: ReadonlySet<string> = new Set()
  #knownAt = Number.NEGATIVE_INFINITY
  #reading: Promise<void> | undefined

  constructor(parts: CallParts) {
    this.#parts = parts
  }

  /**
   * Waits until a call may begin, and returns what ends it. Rejects with the reason of the signal if that comes first.
   */
  async enter(queue: string, worker: string, signal: AbortSignal): Promise<() => Promise<void>> {
    if (!(await this.#isLimited(queue))) return async () => undefined
    const { connection, names, host } = this.#parts
    const id = host.entropy()
    for (;;) {
      signal.throwIfAborted()
      const [row] = await connection.query<{ wait: number | null }>(`select ${names.own}.enter_call($1, $2, $3) as wait`, [
        queue,
        worker,
        id,
      ])
      const wait = row?.wait ?? undefined
      if (wait === undefined) return async () => undefined
      if (wait === 0) return () => this.#leave(id)
      await this.#pause(Math.min(wait, LONGEST_PAUSE_MS), signal)
    }
  }

  async #isLimited(queue: string): Promise<boolean> {
    if (this.#parts.host.now() - this.#knownAt > KNOWN_MS) await (this.#reading ??= this.#read())
    return this.#known.has(queue)
  }

  async #read(): Promise<void> {
    const { connection, names, host } = this.#parts
    try {
      const rows = await connection.query<{ name: string }>(`select name from ${names.own}.queue where position(':' in name) > 0`)
      this.#known = new Set(rows.map(({ name }) => name))
      this.#knownAt = host.now()
    } finally {
      this.#reading = undefined
    }
  }

  async #leave(id: string): Promise<void> {
    const { connection, names } = this.#parts
    await connection.query(`delete from ${names.own}.call where id = $1`, [id])
  }

  #pause(ms: number, signal: AbortSignal): Promise<void> {
    const { host } = this.#parts
    return new Promise((resolve, reject) => {
      const cancelTimer = host.at(host.now() + ms, () => {
        signal.removeEventListener('abort', onAbort)
        resolve()
      })
      const onAbort = (): void => {
        cancelTimer()
        reject(signal.reason as Error)
      }
      signal.addEventListener('abort', onAbort, { once: true })
    })
  }
}
