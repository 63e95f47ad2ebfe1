import { memoryStore } from '../store/memory.ts'
import { BLOWS, fits } from './fault-suite/blow.ts'
import { CIRCUMSTANCES, type Circumstance, type FaultPoint, type Stroke } from './fault-suite/point.ts'
import { Trial, type TrialOptions, type Verdict } from './fault-suite/trial.ts'
import type { Undisturbed } from './fault-suite/audit.ts'
import type { Spoil } from './kind-suite/life.ts'
import type { KindSubject } from './kind-suite/subject.ts'
import type { StoreUnderTest } from './store-suite/world.ts'

export { type Blow, BLOWS } from './fault-suite/blow.ts'
export { CIRCUMSTANCES, type Circumstance, type FaultPoint, parsePoint, pointText, type Stroke } from './fault-suite/point.ts'
export type { Undisturbed } from './fault-suite/audit.ts'
export type { Verdict } from './fault-suite/trial.ts'
export type { Breach, Violation } from './kind-suite/watch.ts'
export type { Spoil } from './kind-suite/life.ts'

/** How the points of a subject are tried. */
export interface FaultSuiteOptions {
  /** Where the runs are kept, each in a place of its own. Default: memory. */
  readonly place?: () => StoreUnderTest
  /** What stands between the runtime and its world: a bug that a test plants, to see that it is found. */
  readonly spoil?: () => Spoil
}

/** A subject of the kind suite, its undisturbed run, and every fault that its run can be put through. */
export class FaultSuite {
  readonly subject: KindSubject
  readonly #options: FaultSuiteOptions
  /** What must come of the run, whatever happens to it. */
  readonly expected: Undisturbed
  /** How many moments the first life has, undisturbed, by circumstances. */
  readonly #moments = new Map<string, Verdict['moments']>()

  private constructor(subject: KindSubject, options: FaultSuiteOptions, expected: Undisturbed) {
    this.subject = subject
    this.#options = options
    this.expected = expected
  }

  /** Plays the undisturbed run. Rejects with what is wrong with it. */
  static async of(subject: KindSubject, options: FaultSuiteOptions = {}): Promise<FaultSuite> {
    const { undisturbed, violations } = await tried(
      { ...options, spoil: () => ({}) },
      { subject, point: { strokes: [], under: new Set() } },
    )
    if (undisturbed === undefined || violations.length > 0)
      throw new Error(`${subject.name} has no sound run: ${violations.map(({ text }) => text).join('; ')}`)
    return new FaultSuite(subject, options, undisturbed)
  }

  /**
   * Every blow at every moment of the first life, once for each of these circumstances. Of signs of life that follow each other,
   * as while a run waits for days, only the first and the last are struck: between them nothing changes but the time.
   */
  async *points(...under: readonly (readonly Circumstance[])[]): AsyncGenerator<FaultPoint> {
    for (const circumstances of under) {
      const held = new Set(circumstances)
      const moments = await this.#momentsUnder(held)
      for (const [i, moment] of moments.entries()) {
        if ([i - 2, i, i + 2].every((at) => moments[at]?.what === 'beat')) continue
        for (const blow of BLOWS) if (fits(blow, moment)) yield { strokes: [{ at: i + 1, blow }], under: held }
      }
    }
  }

  /** A point with up to three blows, drawn: `next` answers with a number of [0, 1). */
  async draw(next: () => number): Promise<FaultPoint> {
    const under = new Set(CIRCUMSTANCES.filter(() => next() < 0.3))
    const { length } = await this.#momentsUnder(under)
    const strokes = Array.from({ length: 1 + Math.floor(next() * 3) }, (_, life): Stroke => {
      // A life that opens the run again is shorter, and most of it is at its beginning.
      const at = 1 + Math.floor((life === 0 ? next() : next() ** 2) * length)
      return { at, blow: BLOWS[Math.floor(next() * BLOWS.length)] ?? 'die' }
    })
    return { strokes, under }
  }

  /** Puts the run through a point. */
  async strike(point: FaultPoint): Promise<Verdict> {
    return tried(this.#options, { subject: this.subject, point, expected: this.expected })
  }

  async #momentsUnder(under: ReadonlySet<Circumstance>): Promise<Verdict['moments']> {
    const key = [...under].join()
    let moments = this.#moments.get(key)
    if (moments === undefined) {
      moments = (await tried({ ...this.#options, spoil: () => ({}) }, { subject: this.subject, point: { strokes: [], under } })).moments
      this.#moments.set(key, moments)
    }
    return moments
  }
}

async function tried({ place, spoil }: FaultSuiteOptions, options: Omit<TrialOptions, 'store'>): Promise<Verdict> {
  const under = place?.()
  const store = under === undefined ? memoryStore() : await under.open()
  try {
    return await new Trial({ ...options, store, spoil: spoil?.() }).verdict()
  } finally {
    if (under !== undefined) {
      await store.close()
      await under.dispose()
    }
  }
}
