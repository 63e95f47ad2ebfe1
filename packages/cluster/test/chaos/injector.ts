import type { Dice } from '../../../../scripts/faults/dice.ts'
import { type Fleet, pause } from './fleet.ts'
import type { ChaosOptions, FaultName } from './options.ts'

/** Each as often as it is listed. */
const DRAWN = ['kill', 'kill', 'kill', 'stop', 'stop', 'cut', 'cut', 'cut', 'delay', 'delay', 'silence', 'restart', 'deploy'] as const

/** Milliseconds by which each way takes longer: at most as between two continents. */
const DELAYS = [10, 100] as const

/** Kills, stops, cuts off and replaces the workers of a fleet, and restarts its server. */
export class Injector {
  readonly #fleet: Fleet
  readonly #dice: Dice
  readonly #options: ChaosOptions
  /** Returns a note of how far the runs are. */
  readonly #progress: () => string
  #isOver = false
  /** The number of faults so far. */
  readonly counts: Record<FaultName, number> = { kill: 0, stop: 0, cut: 0, delay: 0, silence: 0, restart: 0, deploy: 0 }

  constructor(fleet: Fleet, dice: Dice, options: ChaosOptions, progress: () => string) {
    this.#fleet = fleet
    this.#dice = dice
    this.#options = options
    this.#progress = progress
  }

  /** Injects nothing more. */
  stop(): void {
    this.#isOver = true
  }

  /** Injects faults until `stop`. Resolves when the last of them is over. */
  async run(): Promise<void> {
    const { faults = [], most = Number.POSITIVE_INFINITY, every } = this.#options
    const left = [...faults]
    const pending = new Set<Promise<void>>()
    for (let count = 0; count < most && !this.#isOver; count++) {
      await this.#pauseUnlessOver(this.#dice.between(...every))
      // A worker takes seconds to start on a busy machine: without it, all faults would meet a cluster of few workers.
      const least = this.#dice.chance(0.2) ? this.#options.workers / 2 : this.#options.workers - 1
      while (this.#fleet.alive.length < least && !this.#isOver) await pause(50)
      if (this.#isOver) break
      const name = left.shift() ?? this.#dice.pick(DRAWN)
      this.counts[name]++
      const fault = this.#inject(name).finally(() => pending.delete(fault))
      pending.add(fault)
      // The whole cluster is replaced, and the server restarted, while nothing else happens.
      if (name === 'deploy' || name === 'restart') await fault
    }
    await Promise.all(pending)
  }

  async #pauseUnlessOver(ms: number): Promise<void> {
    for (const until = Date.now() + ms; Date.now() < until && !this.#isOver; ) await pause(50)
  }

  async #inject(name: FaultName): Promise<void> {
    const { leaseMs } = this.#options
    const dice = this.#dice
    const away = dice.between(leaseMs + 500, leaseMs * 2)
    const down = dice.between(0, leaseMs * 1.5)
    const by = dice.between(...DELAYS)
    const member = this.#fleet.alive[dice.between(0, Math.max(0, this.#fleet.alive.length - 1))]
    const whom = name === 'restart' || name === 'deploy' ? '' : ` ${member?.child.pid}`
    this.#options.onLine?.(`  ${name}${whom}, ${this.#progress()}`)
    if (name === 'restart') return this.#fleet.restart(down)
    if (name === 'deploy') return this.#fleet.deploy()
    if (member === undefined) return
    if (name === 'kill') return this.#fleet.kill(member)
    if (name === 'stop') return this.#fleet.stop(member, away)
    if (name === 'silence') return this.#fleet.silence(member, away)
    if (name === 'delay') return this.#fleet.delay(member, by, away)
    member.proxy.cutAll()
  }
}
