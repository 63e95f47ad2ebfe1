import { memoryStore } from '../store/index.ts'
import { FAULT_TYPES, isPossible } from './fault-suite/fault-type.ts'
import { CIRCUMSTANCES, type Circumstance, type FaultPoint, type Injection } from './fault-suite/fault-point.ts'
import { Trial, type TrialOptions, type TrialResult } from './fault-suite/trial.ts'
import type { UndisturbedResult } from './fault-suite/audit.ts'
import type { PlantedBug } from './kind-suite/process-life.ts'
import { withShortSegments } from './kind-suite/short-segments.ts'
import type { KindSubject } from './kind-suite/subject.ts'
import type { StoreUnderTest } from './store-suite/world.ts'

export { type FaultType, FAULT_TYPES } from './fault-suite/fault-type.ts'
export { CIRCUMSTANCES, type Circumstance, type FaultPoint, parsePoint, pointText, type Injection } from './fault-suite/fault-point.ts'
export type { UndisturbedResult } from './fault-suite/audit.ts'
export type { TrialResult } from './fault-suite/trial.ts'
export type { Breach, Violation } from './kind-suite/watch.ts'
export type { PlantedBug } from './kind-suite/process-life.ts'

/** The settings of a fault suite. */
export interface FaultSuiteOptions {
  /** Returns a new, empty place for the store of each run. Default: a store in memory. */
  readonly place?: () => StoreUnderTest
  /** Returns a bug to plant between the runtime and its world. A test uses it to show that the suite finds the bug. */
  readonly plantBug?: () => PlantedBug
}

/** A subject of the kind suite, its undisturbed run, and every fault that can be injected into that run. */
export class FaultSuite {
  readonly subject: KindSubject
  readonly #options: FaultSuiteOptions
  /** The result that the run must have, whatever fault is injected. */
  readonly expected: UndisturbedResult
  /** The moments of the first life in an undisturbed run, by circumstances. */
  readonly #moments = new Map<string, TrialResult['moments']>()

  private constructor(subject: KindSubject, options: FaultSuiteOptions, expected: UndisturbedResult) {
    this.subject = subject
    this.#options = options
    this.expected = expected
  }

  /** Plays the undisturbed run. Rejects with the violations if the run breaks any rule. */
  static async of(given: KindSubject, options: FaultSuiteOptions = {}): Promise<FaultSuite> {
    const subject = withShortSegments(given)
    const { undisturbed, violations } = await runTrial(
      { ...options, plantBug: () => ({}) },
      { subject, point: { injections: [], circumstances: new Set() } },
    )
    if (undisturbed === undefined || violations.length > 0)
      throw new Error(`the undisturbed run of ${subject.name} breaks a rule: ${violations.map(({ text }) => text).join('; ')}`)
    return new FaultSuite(subject, options, undisturbed)
  }

  /**
   * Yields every fault at every moment of the first life, once for each of the given sets of circumstances. Of consecutive heartbeats, as
   * during a wait of days, it uses only the first and the last, because only the time changes between them.
   */
  async *points(...circumstanceSets: readonly (readonly Circumstance[])[]): AsyncGenerator<FaultPoint> {
    for (const circumstances of circumstanceSets) {
      const circumstanceSet = new Set(circumstances)
      const moments = await this.#momentsWith(circumstanceSet)
      for (const [i, moment] of moments.entries()) {
        if ([i - 2, i, i + 2].every((at) => moments[at]?.what === 'beat')) continue
        for (const fault of FAULT_TYPES)
          if (isPossible(fault, moment)) yield { injections: [{ at: i + 1, fault }], circumstances: circumstanceSet }
      }
    }
  }

  /** Returns a random point with up to three faults. `next` returns a random number of [0, 1). */
  async draw(next: () => number): Promise<FaultPoint> {
    const circumstances = new Set(CIRCUMSTANCES.filter(() => next() < 0.3))
    const { length } = await this.#momentsWith(circumstances)
    const injections = Array.from({ length: 1 + Math.floor(next() * 3) }, (_, life): Injection => {
      // A later life opens the run again. It is shorter, and most of its work is at its beginning.
      const at = 1 + Math.floor((life === 0 ? next() : next() ** 2) * length)
      return { at, fault: FAULT_TYPES[Math.floor(next() * FAULT_TYPES.length)] ?? 'die' }
    })
    return { injections, circumstances }
  }

  /** Plays the run with the faults of a point. */
  async inject(point: FaultPoint): Promise<TrialResult> {
    return runTrial(this.#options, { subject: this.subject, point, expected: this.expected })
  }

  async #momentsWith(circumstances: ReadonlySet<Circumstance>): Promise<TrialResult['moments']> {
    const key = [...circumstances].join()
    let moments = this.#moments.get(key)
    if (moments === undefined) {
      moments = (
        await runTrial({ ...this.#options, plantBug: () => ({}) }, { subject: this.subject, point: { injections: [], circumstances } })
      ).moments
      this.#moments.set(key, moments)
    }
    return moments
  }
}

async function runTrial({ place, plantBug }: FaultSuiteOptions, options: Omit<TrialOptions, 'store'>): Promise<TrialResult> {
  const storePlace = place?.()
  const store = storePlace === undefined ? memoryStore() : await storePlace.open()
  try {
    return await new Trial({ ...options, store, plantedBug: plantBug?.() }).run()
  } finally {
    if (storePlace !== undefined) {
      await store.close()
      await storePlace.dispose()
    }
  }
}
