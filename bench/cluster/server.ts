import type { Cost } from './costs.ts'
import type { ServerLimits } from './settings.ts'

/** Milliseconds for the way to the server and back. */
const ROUND_TRIP = 1

/** A Postgres server: three things of which it has a limited amount per second, each used in the order of the requests. */
export class SimulatedServer {
  readonly #perMs: { readonly commits: number; readonly log: number; readonly processors: number }
  readonly #freeAt = { commits: 0, log: 0, processors: 0 }
  readonly #used = { commits: 0, log: 0, processors: 0 }

  constructor(limits: ServerLimits) {
    this.#perMs = { commits: limits.commitsPerSecond / 1000, log: limits.logBytesPerSecond / 1000, processors: limits.processors }
  }

  /** Returns the time at which a request that arrives now is answered. */
  request({ commits, logBytes, serverMs }: Pick<Cost, 'commits' | 'logBytes' | 'serverMs'>, now: number): number {
    const done = [this.#use('commits', commits, now), this.#use('log', logBytes, now), this.#use('processors', serverMs, now)]
    return Math.max(now + serverMs, ...done) + ROUND_TRIP
  }

  /** Returns the used share of each thing in a span of time. */
  usedShares(spanMs: number): { readonly commits: number; readonly log: number; readonly processors: number } {
    const share = (key: 'commits' | 'log' | 'processors'): number => Math.min(1, this.#used[key] / this.#perMs[key] / spanMs)
    return { commits: share('commits'), log: share('log'), processors: share('processors') }
  }

  #use(key: 'commits' | 'log' | 'processors', amount: number, now: number): number {
    this.#used[key] += amount
    return (this.#freeAt[key] = Math.max(now, this.#freeAt[key]) + amount / this.#perMs[key])
  }
}
