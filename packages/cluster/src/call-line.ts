import type { Host, Leave } from 'reflex-runtime/kernel'

/** The longest pause in milliseconds between two questions for room: an operator may raise the limit in the meantime. */
const LONGEST_PAUSE_MS = 5000
/** Milliseconds until the database is asked again after a failure. */
const FAILURE_MS = 1000

/** The statements that a line sends to the database. */
export interface LineParts {
  readonly host: Host
  /** Asks for room for a call, with so many others behind it here. Returns 0 if it has room, null if nothing is limited, or the milliseconds to wait. */
  ask(call: string, behind: number): Promise<number | null>
  /** Leaves the room of a call that has ended or was dropped. The line repeats it until it succeeds. */
  leave(call: string): Promise<void>
  /** Called when no call waits here any more. */
  empty(): Promise<void>
  onTrouble(thrown: unknown): void
}

interface WaitingCall {
  readonly id: string
  onRoom(leave: Leave): void
}

/** The calls of this process that wait for room in one queue, first come, first served. Only the first one asks, however many there are. */
export class CallLine {
  readonly #parts: LineParts
  readonly #waiting = new Set<WaitingCall>()
  #isAsking = false
  #endPause: (() => void) | undefined

  constructor(parts: LineParts) {
    this.#parts = parts
  }

  /** Waits for room, and resolves with a function that leaves it. Rejects with the reason of the signal if that comes first. */
  enter(signal: AbortSignal): Promise<Leave> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason as Error)
      const onAbort = (): void => {
        this.#waiting.delete(call)
        if (this.#waiting.size === 0) this.#endPause?.()
        reject(signal.reason as Error)
      }
      const call: WaitingCall = {
        id: this.#parts.host.entropy(),
        onRoom(leave) {
          signal.removeEventListener('abort', onAbort)
          resolve(leave)
        },
      }
      signal.addEventListener('abort', onAbort, { once: true })
      this.#waiting.add(call)
      if (!this.#isAsking) void this.#askForAll()
    })
  }

  async #askForAll(): Promise<void> {
    this.#isAsking = true
    let isCounted = false
    for (let call = this.#first(); call !== undefined; call = this.#first()) {
      const behind = this.#waiting.size - 1
      const wait = await this.#ask(call, behind)
      isCounted ||= behind > 0 || (wait !== null && wait > 0)
      if (!this.#waiting.has(call)) {
        // It was dropped while it was asked for, and may have got room.
        this.#leave(call.id)
      } else if (wait === null || wait === 0) {
        this.#waiting.delete(call)
        const { id } = call
        call.onRoom(wait === null ? () => undefined : () => this.#leave(id))
      } else {
        await this.#pause(Math.min(wait, LONGEST_PAUSE_MS))
      }
    }
    this.#isAsking = false
    if (isCounted) await this.#parts.empty().catch(() => undefined)
  }

  #first(): WaitingCall | undefined {
    const [first] = this.#waiting
    return first
  }

  async #ask({ id }: WaitingCall, behind: number): Promise<number | null> {
    try {
      return await this.#parts.ask(id, behind)
    } catch (thrown) {
      this.#parts.onTrouble(thrown)
      return FAILURE_MS
    }
  }

  #leave(call: string): void {
    const { host } = this.#parts
    // While the database is away, the call would count until its worker is dead.
    this.#parts.leave(call).catch(() => void host.at(host.now() + FAILURE_MS, () => this.#leave(call), true))
  }

  #pause(ms: number): Promise<void> {
    const { host } = this.#parts
    return new Promise((resolve) => {
      const end = (): void => {
        cancelTimer()
        this.#endPause = undefined
        resolve()
      }
      const cancelTimer = host.at(host.now() + ms, end)
      this.#endPause = end
    })
  }
}
