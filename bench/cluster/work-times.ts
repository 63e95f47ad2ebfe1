import { below, type Random, randomOf } from '../mining/random.ts'
import type { TurnWork } from './settings.ts'

/** Draws everything in a simulation that is random. Equal seeds give equal simulations. */
export class Draws {
  readonly #random: Random
  readonly #work: TurnWork

  constructor(seed: number, work: TurnWork) {
    this.#random = randomOf(seed)
    this.#work = work
  }

  /** Returns the milliseconds of one effect, which are log-normal: a few take many times the median. */
  effectMs(): number {
    const { medianMs, spread } = this.#work
    const normal = Math.sqrt(-2 * Math.log(1 - this.#random())) * Math.cos(2 * Math.PI * this.#random())
    return medianMs * Math.exp(spread * normal)
  }

  /** Returns the number of steps of a turn: between half and one and a half of the mean. */
  steps(): number {
    const { steps } = this.#work
    return Math.max(1, Math.round(steps * (0.5 + this.#random())))
  }

  /** Returns the milliseconds until the next arrival, of so many per second. */
  untilNext(perSecond: number): number {
    return (-Math.log(1 - this.#random()) * 1000) / perSecond
  }

  /** Returns the milliseconds until the next poll: each worker deviates, so that they do not poll together. */
  poll(ms: number): number {
    return ms * (0.95 + 0.1 * this.#random())
  }

  below(bound: number): number {
    return below(this.#random, bound)
  }
}

/** The mean of the milliseconds of a turn. */
export function meanTurnMs({ steps, medianMs, spread }: TurnWork): number {
  return steps * medianMs * Math.exp(spread ** 2 / 2)
}
