import { type Host, systemHost } from './host.ts'

/** A host with a clock that stands still until a test advances it. */
export interface VirtualHost extends Host {
  /**
   * Advances the clock by `ms` milliseconds. Timers that fall due are called in order, each at its own time. After the first thousand
   * background timers, later ones are called at the end.
   */
  advance(ms: number): Promise<void>
  /** Advances the clock to the next timer. Returns false if there is no timer. */
  tick(): Promise<boolean>
  /** Runs turns of the event loop without advancing the clock. */
  drain(turns?: number): Promise<void>
  /** The time of the next timer. */
  readonly nextDue: number | undefined
}

export interface VirtualHostOptions {
  /** The start of the clock in milliseconds since the epoch; a day in 2026 if absent. */
  readonly at?: number
  /** The seed of `entropy`: hosts with the same seed draw the same values. */
  readonly seed?: number
}

interface Timer {
  time: number
  readonly callback: () => void
  /** True for a timer that no result depends on, such as a heartbeat. */
  readonly background: boolean
}

/**
 * The number of background timers that one advance calls at their own times. An advance over days has almost only background timers, so the
 * rest are called at its end.
 */
const MOST_BACKGROUND_TICKS = 1_000

/**
 * Returns a host for tests. Its time and randomness are the same in every run, and no test waits for a clock. Its turns are real turns of
 * the event loop, so that a test can distinguish a run that waits from a run that does not.
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
    // The value is spread over all bits, so that names and ids drawn in sequence look different.
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
