import type { ClusterSettings, TenantLoad } from './settings.ts'
import type { Timeline } from './timeline.ts'
import type { SimulatedRun } from './turns.ts'
import type { Draws } from './work-times.ts'

/** The runs of a burst that become due in one transaction, and the milliseconds from one transaction to the next. */
const AT_ONCE = 1000
const BETWEEN_MS = 5

/** The runs of all tenants, and the inputs that make them due. */
export class Arrivals {
  readonly #settings: ClusterSettings
  readonly #time: Timeline
  readonly #draws: Draws
  readonly #input: (run: SimulatedRun) => void
  readonly #runs: SimulatedRun[] = []
  /** The tenants and bursts that still have inputs to come. */
  #active = 0

  constructor(settings: ClusterSettings, time: Timeline, draws: Draws, input: (run: SimulatedRun) => void) {
    this.#settings = settings
    this.#time = time
    this.#draws = draws
    this.#input = input
  }

  /** True if no more input comes. */
  get isOver(): boolean {
    return this.#active === 0
  }

  /** The number of runs with an input that arrived while their turn runs. */
  get dueAgain(): number {
    return this.#runs.filter(({ isDueAgain }) => isDueAgain).length
  }

  start(): void {
    for (const load of this.#settings.tenants) {
      const runs = Array.from({ length: load.runs }, (_, i): SimulatedRun => {
        return { id: this.#runs.length + i, load, turns: 0, turn: undefined, isDueAgain: false }
      })
      for (const run of runs) this.#runs.push(run)
      if (load.burst !== undefined) this.#burst(runs, load.burst)
      if (load.perSecond > 0) this.#stream(runs, load)
    }
  }

  #burst(runs: readonly SimulatedRun[], { at, runs: count }: NonNullable<TenantLoad['burst']>): void {
    for (let first = 0; first < count; first += AT_ONCE) {
      this.#active++
      this.#time.at(at + (first / AT_ONCE) * BETWEEN_MS, () => {
        this.#active--
        for (const run of runs.slice(first, Math.min(first + AT_ONCE, count))) this.#input(run)
      })
    }
  }

  #stream(runs: readonly SimulatedRun[], { perSecond }: TenantLoad): void {
    const arrive = (): void => {
      const run = runs[this.#draws.below(runs.length)]
      if (run !== undefined) this.#input(run)
      plan()
    }
    const plan = (): void => {
      const at = this.#time.now + this.#draws.untilNext(perSecond)
      if (at <= this.#settings.loadMs) this.#time.at(at, arrive)
      else this.#active--
    }
    this.#active++
    plan()
  }
}
