import { type FaultData, faultData } from '../journal/fault.ts'
import type { Ref } from '../journal/record.ts'
import { type CallLimits, callLimitsReached } from '../journal/usage.ts'
import type { Traits } from '../ports/port.ts'
import type { RunFacts } from '../ports/settings.ts'
import type { Frame } from '../state/frame.ts'
import { isPartOf } from '../state/meter.ts'
import { type FrameLimits, FrameLimitFinder } from '../step/frame-limits.ts'
import type { CallOwner, LiveCall } from './live-call.ts'

/** The most that one call may use: tokens, US dollars. */
interface Reservation {
  readonly tokens: number
  readonly cost: number
}

export function reservationOf({ estimateUsage }: Traits): Reservation {
  const { input = 0, output = 0, usd = 0 } = estimateUsage?.() ?? {}
  return { tokens: input + output, cost: usd }
}

/** The limits of the programs and calls of a run, and what the calls under way in this process may still use of all limits. */
export class ProgramLimits<S extends RunFacts> {
  readonly #run: CallOwner<S>
  readonly #finder: FrameLimitFinder
  readonly #reservations = new Map<Ref, Reservation & { readonly frame: Frame }>()

  constructor(run: CallOwner<S>) {
    this.#run = run
    this.#finder = new FrameLimitFinder(run.state, run.definitions)
  }

  /** The limits that hold for a frame. */
  of(frame: Frame): readonly FrameLimits[] {
    return this.#finder.of(frame)
  }

  /** True if any program or call of the run states limits: most state none. */
  get areStated(): boolean {
    return this.#finder.areStated
  }

  /**
   * Returns the data of the fault for a call that a limit does not cover. Money, tokens and calls hold for calls that cost something, time
   * for all. A limit of steps ends a program where it enters a node, not at its effects.
   */
  refusal({ place }: LiveCall<S>, programs: readonly FrameLimits[], costs: boolean): FaultData | undefined {
    for (const one of programs) {
      const over = callLimitsReached(one.limits, one.used).find((limit) => limit === 'time' || (costs && limit !== 'steps'))
      if (over !== undefined) return { ...faultData(this.#finder.fault(one, over)), path: place }
    }
    return undefined
  }

  release(id: Ref): void {
    this.#reservations.delete(id)
  }

  reserve(id: Ref, frame: Frame, reservation: Reservation): void {
    this.#reservations.set(id, { ...reservation, frame })
  }

  /**
   * True if the calls under way may use so much that a limit does not cover another one beside them. A call by itself
   * begins as long as the limit is not used up: its usage is not known before.
   */
  exceeds(own: Reservation, programs: readonly FrameLimits[]): boolean {
    const { root, meter } = this.#run.state
    for (const [id, { frame }] of this.#reservations)
      if (!frame.pendingEffects.some((effect) => effect.id === id)) this.#reservations.delete(id)
    return [{ base: root, limits: meter.limits as CallLimits, used: meter.run }, ...programs].some(({ base, limits, used }) => {
      let [tokens, cost, others] = [used.tokens + own.tokens, used.cost + own.cost, 0]
      for (const reserve of this.#reservations.values())
        if (isPartOf(reserve.frame, base)) [tokens, cost, others] = [tokens + reserve.tokens, cost + reserve.cost, others + 1]
      const { tokens: mostTokens = Infinity, cost: mostCost = Infinity, calls: mostCalls = Infinity } = limits
      return others > 0 && (tokens > mostTokens || cost > mostCost || used.calls + others >= mostCalls)
    })
  }
}
