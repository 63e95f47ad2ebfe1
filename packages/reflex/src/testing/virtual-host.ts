import { type Host, systemHost } from '../kernel/ports/host.ts'

/** A host whose clock stands still until it is told to go on. */
export interface VirtualHost extends Host {
  /**
   * Goes on by so many milliseconds: what is due on the way is called in order, each at its own time; of what happens in the
   * background, what comes after the first thousand at the end.
   */
  advance(ms: number): Promise<void>
  /** Goes on to the next thing due. False if there is none. */
  tick(): Promise<boolean>
  /** Lets what is under way come to rest: turns of the event loop, without a millisecond passing. */
  drain(turns?: number): Promise<void>
  /** When the next thing is due. */
  readonly nextDue: number | undefined
}

export interface VirtualHostOptions {
  /** Milliseconds since the epoch; a day in 2026 if absent. */
  readonly at?: number
  /** Where `entropy` begins: hosts of one seed draw the same. */
  readonly seed?: number
}

interface Timer {
  time: number
  readonly callback: () => void
  /** Nothing waits for it: a sign of life. */
  readonly background: boolean
}

/** Signs of life that are given on the way; a leap over days would be made of nothing else, so the rest of them come at its end. */
const MOST_BACKGROUND_TICKS = 1_000

/**
 * Time and randomness for tests: the same in every run, and no test waits for a clock. Turns are real turns of
 * the event loop, so that a run that never waits can be told from one that does.
 */
export function virtualHost(options: VirtualHostOptions = {}): VirtualHost {
  return new StillHost(options.at ?? Date.UTC(2026, 0, 5, 9), options.seed ?? 1)
}

class StillHost implements VirtualHost {
  #now: number
  #draws: bigint
  readonly #timers = new Set<Timer>()

  constructor(at: number, seed: number) {
    this.#now = at
    this.#draws = BigInt(seed) << 64n
  }

  now(): number {
    return this.#now
  }

  monotonic(): number {
    return this.#now
  }

  entropy(): string {
    this.#draws += 1n
    // Spread over all bits, so that names and ids drawn one after another look nothing alike.
    return BigInt.asUintN(128, this.#draws * 0x9e3779b97f4a7c15f39cc0605cedc835n)
      .toString(16)
      .padStart(32, '0')
  }

  turn(callback: () => void): void {
    systemHost.turn(callback)
  }

  at(time: number, callback: () => void, background = false): () => void {
    const timer = { time, callback, background }
    this.#timers.add(timer)
    return () => void this.#timers.delete(timer)
  }

  get nextDue(): number | undefined {
    return this.#nextTimer()?.time
  }

  #nextTimer(): Timer | undefined {
    let first: Timer | undefined
    for (const timer of this.#timers) if (first === undefined || timer.time < first.time) first = timer
    return first
  }

  async advance(ms: number): Promise<void> {
    const until = this.#now + ms
    let backgroundTicks = 0
    for (let first = this.#nextTimer(); first !== undefined && first.time <= until; first = this.#nextTimer()) {
      if (first.background && first.time < until && ++backgroundTicks > MOST_BACKGROUND_TICKS) first.time = until
      else await this.tick()
    }
    this.#now = until
    await this.drain(1)
  }

  async tick(): Promise<boolean> {
    const first = this.#nextTimer()
    if (first === undefined) return false
    this.#timers.delete(first)
    this.#now = Math.max(this.#now, first.time)
    first.callback()
    await this.drain(1)
    return true
  }

  async drain(turns = 4): Promise<void> {
    for (let i = 0; i < turns; i++) await new Promise<void>((resolve) => systemHost.turn(resolve))
  }
}
