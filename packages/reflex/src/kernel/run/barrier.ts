import { faults } from '../journal/faults.ts'
import { faultJson } from '../journal/fault-json.ts'
import type { Fault, FaultData } from '../journal/fault.ts'
import type { Json } from '../journal/json.ts'
import type { Input, Ref } from '../journal/record.ts'
import { type Limits, limitsReached } from '../journal/usage.ts'
import type { Policy, TermedNeed, Judgement } from '../ports/policy.ts'
import type { Traits } from '../ports/port.ts'
import type { RunFacts } from '../ports/settings.ts'
import { priceGrant } from '../state/answers.ts'
import type { PendingEffect } from '../state/frame.ts'
import { permissionPlace } from '../step/decide.ts'
import { ProgramLimits, reservationOf } from './program-limits.ts'
import type { CallOwner, LiveCall } from './live-call.ts'

const ALLOWED: Judgement = { allowed: true }

/**
 * The checks before an effect is performed: the policy, the terms of permissions, the limits of the programs on the stack, and those
 * of the run. They read only the state of the run, so they have the same result after a crash and in a fork.
 */
export class Barrier<S extends RunFacts> {
  readonly #run: CallOwner<S>
  readonly #policy: Policy<S> | undefined
  readonly #limits: ProgramLimits<S>
  /** The limits of the run that were looked at last, and whether there are any. */
  #seen: Limits | undefined
  #isLimited = false

  constructor(run: CallOwner<S>, policy: Policy<S> | undefined) {
    this.#run = run
    this.#policy = policy
    this.#limits = new ProgramLimits(run)
  }

  /**
   * Returns the input that keeps a call from being performed now: its failure, a question, a count of uses after which it is checked
   * again. `later`: it begins once other effects have settled. Undefined for a call that may be performed.
   */
  check(call: LiveCall<S>, traits: Traits): Input | 'later' | undefined {
    const { stopped } = call.pendingEffect
    if (stopped !== undefined) return refused(call, this.#stoppedFault(call, stopped))
    const judgement = this.#policy === undefined ? ALLOWED : this.#policy.judge(call, traits)
    // Most effects are allowed, and most runs have no limits.
    if ('allowed' in judgement) return this.#hasLimits ? this.#limitsInput(call, traits) : undefined
    if ('refused' in judgement) return refused(call, judgement.refused)
    const { unmet, open, counted } = this.#sorted(call, judgement.terms)
    if (unmet.length > 0) return refused(call, judgement.refusal(unmet))
    if (open.length > 0) return ['pause', call.id, 'permission', judgement.question(open), open.map(({ grant }) => grant)]
    const paused = this.#hasLimits ? this.#limitsInput(call, traits) : undefined
    if (paused !== undefined || counted.length === 0) return paused
    return ['use', call.id, Object.fromEntries(counted.map(({ grant }) => [grant, 1]))]
  }

  /** Forgets what a call would use of the limits: it waits, and others may use it. */
  release({ id }: PendingEffect): void {
    this.#limits.release(id)
  }

  get #hasLimits(): boolean {
    const { limits } = this.#run.state.meter
    if (limits !== this.#seen) [this.#seen, this.#isLimited] = [limits, Object.keys(limits).length > 0]
    return this.#isLimited || this.#limits.areStated
  }

  /** Returns the input of a second check; undefined where there is none, or the policy fails. */
  recheck(call: LiveCall<S>, traits: Traits): Input | undefined {
    try {
      const input = this.check(call, traits)
      return input === 'later' ? undefined : input
    } catch {
      return undefined
    }
  }

  /** True for a postponed call that must still wait. */
  mustWait(call: LiveCall<S>, traits: Traits): boolean {
    return this.check(call, traits) === 'later'
  }

  #stoppedFault(call: LiveCall<S>, { by, why }: { readonly by: string; readonly why: string }): Fault {
    return faults.make('R3020', `${why}, and ${by} stopped the run here`, { run: call.run, path: call.place })
  }

  /** Sorts terms: denied or used up, still to be asked about, and still to be counted for this execution of the node. */
  #sorted(call: LiveCall<S>, terms: readonly TermedNeed[]): Record<'unmet' | 'open' | 'counted', TermedNeed[]> {
    const { state, definitions, settings } = this.#run
    const { decidedAfter } = settings
    const place = permissionPlace(call.frame, definitions)
    const sorted: Record<'unmet' | 'open' | 'counted', TermedNeed[]> = { unmet: [], open: [], counted: [] }
    for (const term of terms) {
      const { grant, ask, most } = term
      if (ask === true) {
        const decided = state.decided(place, grant, decidedAfter)
        if (decided !== true) sorted[decided === false ? 'unmet' : 'open'].push(term)
      } else if (most !== undefined && !call.frame.isGranted(grant, decidedAfter)) {
        sorted[(state.uses.get(grant) ?? 0) >= most ? 'unmet' : 'counted'].push(term)
      }
    }
    return sorted
  }

  #limitsInput(call: LiveCall<S>, traits: Traits): Input | 'later' | undefined {
    this.#limits.release(call.id)
    const { state, definitions, settings } = this.#run
    const { id, frame } = call
    if (definitions.kind(definitions.program(frame.pin).kind).isClosing?.(call.def, frame.position) === true) return undefined
    const { costs = false, enters = false } = traits
    const programs = this.#limits.of(frame)
    const over = this.#limits.refusal(call, programs, costs)
    if (over !== undefined) return refused(call, over)
    const { limits, run: total } = state.meter
    if (limits.cost !== undefined && this.#policy?.priceQuestion !== undefined) {
      const model = traits.unpricedModels?.().find((name) => state.decided('', priceGrant(name), settings.decidedAfter) !== true)
      if (model !== undefined) return this.#pause(id, this.#policy.priceQuestion(model, limits, call.place), [priceGrant(model)])
    }
    const isLimited = this.#isLimited
    const reserve = costs && (isLimited || programs.length > 0) ? reservationOf(traits) : undefined
    if (reserve !== undefined && this.#limits.exceeds(reserve, programs)) return 'later'
    if (isLimited && this.#policy?.budgetQuestion !== undefined) {
      // A node that has been entered counts already, and is still to be executed.
      const used = enters ? total : { ...total, steps: Math.max(0, total.steps - 1) }
      const isOver = limitsReached(limits, used).some((limit) => costs || enters || limit === 'time' || limit === 'steps')
      if (isOver) return this.#pause(id, this.#policy.budgetQuestion(limits, used, call.place))
    }
    if (reserve !== undefined) this.#limits.reserve(id, frame, reserve)
    return undefined
  }

  /** Asks about the budget of the run, one question at a time: its answer may let other calls begin. */
  #pause(id: Ref, question: Json, grants?: readonly string[]): Input | 'later' {
    for (const { asker, effect } of this.#run.state.waits.values()) if (asker === 'budget' && effect !== undefined) return 'later'
    return grants === undefined ? ['pause', id, 'budget', question] : ['pause', id, 'budget', question, grants]
  }
}

function refused({ id }: LiveCall, fault: FaultData): Input {
  return ['err', id, faultJson(fault)]
}
