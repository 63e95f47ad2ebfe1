import type { Admission, Host, Leave } from 'reflex-runtime/kernel'
import { CallLine } from './call-line.ts'
import type { Connection } from './connection.ts'
import type { Names } from './sql/names.ts'

interface CallParts {
  readonly connection: Connection
  readonly names: Names
  readonly host: Host
  /** The id of the worker whose calls these are. */
  readonly worker: string
  /** Called for the first of several failures of the database in a row. */
  readonly onTrouble: (thrown: unknown) => void
}

/**
 * The calls of a worker to model providers and tools that the operator has limited, in the whole cluster. A call without a limit asks nobody. One
 * that waits has not begun: a worker that dies leaves no call, and the room of its calls is free when it is known to be dead.
 */
export class Calls implements Admission {
  readonly #parts: CallParts
  readonly #lines = new Map<string, CallLine>()
  #limited: ReadonlySet<string> = new Set()
  #isInTrouble = false

  constructor(parts: CallParts) {
    this.#parts = parts
  }

  /** Sets the queues of calls, as the operator has them now. */
  setLimited(queues: Iterable<string>): void {
    this.#limited = new Set(queues)
  }

  isLimited(use: string): boolean {
    return this.#limited.has(use)
  }

  enter(use: string, signal: AbortSignal): Promise<Leave> {
    const line = this.#lines.get(use) ?? this.#newLine(use)
    this.#lines.set(use, line)
    return line.enter(signal)
  }

  #newLine(queue: string): CallLine {
    const { connection, names, host, worker } = this.#parts
    return new CallLine({
      host,
      ask: async (call, behind) => {
        const [row] = await connection.query<{ wait: number | null }>(`select ${names.own}.enter_call($1, $2, $3, $4) as wait`, [
          queue,
          worker,
          call,
          behind,
        ])
        this.#isInTrouble = false
        return row?.wait ?? null
      },
      leave: async (call) => void (await connection.query(`delete from ${names.own}.call where id = $1`, [call])),
      empty: async () => void (await connection.query(`delete from ${names.own}.line where queue = $1 and worker = $2`, [queue, worker])),
      onTrouble: (thrown) => {
        if (!this.#isInTrouble) this.#parts.onTrouble(thrown)
        this.#isInTrouble = true
      },
    })
  }
}
