import type { Fault } from '../journal/fault.ts'
import { faults } from '../journal/faults.ts'
import type { Ref } from '../journal/record.ts'
import { describeLimit, type Limits, limitsReached, type Usage } from '../journal/usage.ts'
import type { Traits } from '../ports/port.ts'
import type { RunFacts } from '../ports/settings.ts'
import type { Frame } from '../state/frame.ts'
import { isPartOf, programFrame } from '../state/meter.ts'
import type { CallOwner, LiveCall } from './live-call.ts'

/** The limits of a frame and the programs that it calls, and their usage so far. */
interface FrameLimits {
  readonly base: Frame
  readonly limits: Limits
  readonly used: Usage
}

/** The most that one call may use: tokens, US dollars. */
interface Reservation {
  readonly tokens: number
  readonly cost: number
}

export function reservationOf({ estimateUsage }: Traits): Reservation {
  const { input = 0, output = 0, usd = 0 } = estimateUsage?.() ?? {}
  return { tokens: input + output, cost: usd }
}

/** The limits that the programs of a run state, and what the calls under way in this process may still use of all limits. */
export class ProgramLimits<S extends RunFacts> {
  readonly #run: CallOwner<S>
  readonly #reservations = new Map<Ref, Reservation & { readonly frame: Frame }>()
  #known: { readonly pins: number; readonly stateLimits: boolean } | undefined

  constructor(run: CallOwner<S>) {
    this.#run = run
  }

  /** The limits that programs on the stack of a frame state. */
  of(frame: Frame): readonly FrameLimits[] {
    if (!this.areStated) return []
    const { state } = this.#run
    const found: FrameLimits[] = []
    for (let base: Frame | undefined = programFrame(frame); base !== undefined; base = base.link && programFrame(base.link.caller)) {
      const limits = this.#limitsOf(base.pin)
      if (limits !== undefined) found.push({ base, limits, used: state.meter.program(base) })
    }
    return found
  }

  /** Returns the fault for a call that a program on its stack does not cover. Money and tokens hold for calls that cost something, time for all. */
  refusal({ run, place }: LiveCall<S>, programs: readonly FrameLimits[], costs: boolean): Fault | undefined {
    for (const { limits, used } of programs) {
      const over = limitsReached(limits, used).find((limit) => costs || limit === 'time')
      if (over !== undefined) return faults.make('R3021', `budget exceeded: ${describeLimit(over, limits, used)}`, { run, path: place })
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
    return [{ base: root, limits: meter.limits, used: meter.run }, ...programs].some(({ base, limits, used }) => {
      let [tokens, cost, others] = [used.tokens + own.tokens, used.cost + own.cost, 0]
      for (const reserve of this.#reservations.values())
        if (isPartOf(reserve.frame, base)) [tokens, cost, others] = [tokens + reserve.tokens, cost + reserve.cost, others + 1]
      const { tokens: mostTokens = Number.POSITIVE_INFINITY, cost: mostCost = Number.POSITIVE_INFINITY } = limits
      return others > 0 && (tokens > mostTokens || cost > mostCost)
    })
  }

  /** True if any program of the run states limits: most state none. */
  get areStated(): boolean {
    const { length } = this.#run.state.pins
    if (this.#known?.pins !== length) this.#known = { pins: length, stateLimits: this.#anyLimits() }
    return this.#known.stateLimits
  }

  #anyLimits(): boolean {
    return this.#run.state.pins.some((_, pin) => this.#limitsOf(pin) !== undefined)
  }

  #limitsOf(pin: number): Limits | undefined {
    const { definitions } = this.#run
    const { kind, def } = definitions.program(pin)
    return definitions.kind(kind).limits?.(def)
  }
}
