/** What one thing took, and what the others took in the same rounds. */
export interface Rounds {
  readonly name: string
  /** Nanoseconds per step, the median of the rounds. */
  readonly ns: number
  readonly rounds: readonly number[]
}

/** Prints a figure, with what it is to be compared with. */
export type Line = (name: string, value: string, aim: string) => void

export interface Contestant {
  readonly name: string
  /** One round; gives the milliseconds that count. */
  round(): Promise<number>
}

/** The milliseconds of one call. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now()
  await work()
  return performance.now() - from
}

/**
 * Lets the contestants take turns, so that whatever else the machine does strikes all of them. The first fifth of
 * the rounds warms up and does not count.
 */
export async function alternate(contestants: readonly Contestant[], steps: number, rounds: number): Promise<Rounds[]> {
  const taken = contestants.map((): number[] => [])
  for (let round = 0; round < rounds; round++) {
    for (const [i, contestant] of contestants.entries()) {
      const ms = await contestant.round()
      // What a round leaves behind is cleared away before the next one, and not on its account.
      await new Promise((resolve) => setImmediate(resolve))
      if (round >= rounds / 5) taken[i]?.push((ms * 1e6) / steps)
    }
  }
  return contestants.map(({ name }, i) => ({ name, ns: median(taken[i] ?? []), rounds: taken[i] ?? [] }))
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[sorted.length >> 1] ?? Number.NaN
}

/** How many times as fast as the other: the median over the rounds, which were taken in pairs. */
export function timesAsFast(one: Rounds, other: Rounds): number {
  return median(one.rounds.map((ns, i) => (other.rounds[i] ?? Number.NaN) / ns))
}

export function rate(ns: number): string {
  const perSecond = 1e9 / ns
  return perSecond >= 1e6 ? `${(perSecond / 1e6).toFixed(2)} M steps/s` : `${(perSecond / 1e3).toFixed(0)} k steps/s`
}

/** The rate of steps that are durable, which are slower. */
export function perSecond(ns: number): string {
  return `${(1e9 / ns).toFixed(0)} steps/s`
}
