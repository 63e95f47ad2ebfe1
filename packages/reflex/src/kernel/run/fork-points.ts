import { type EffectWorld, traitsOf } from './effects.ts'
import type { Fault } from '../journal/fault.ts'
import { faults } from '../journal/faults.ts'
import { type PendingEffect, isPaused } from '../state/frame.ts'
import { isObject } from '../journal/json.ts'
import type { RunFacts } from '../ports/settings.ts'
import { RunPrograms } from '../step/run-programs.ts'
import type { Programs } from '../step/programs.ts'
import type { Rec } from '../journal/record.ts'
import { applyChecked } from '../state/apply-checked.ts'
import { State } from '../state/state.ts'

/** The nearest records before and after a record at which a run can be forked. */
interface NearestPoints {
  readonly before: number | undefined
  readonly after: number | undefined
}

/** The programs and ports of a runtime, and the settings of the run. */
interface ForkPointWorld {
  readonly programs: Programs
  readonly ports: EffectWorld['ports']
  readonly settings: RunFacts
}

/**
 * Finds the records of a run at which it can be forked: those before the end without an effect in flight that has effects
 * outside or must not be repeated. Otherwise it would be unknown whether the effect has happened for the fork.
 */
export class ForkPoints {
  readonly #run: string
  readonly #records: readonly Rec[]
  readonly #programs: Programs
  readonly #ports: EffectWorld['ports']
  readonly #settings: RunFacts

  constructor(run: string, records: readonly Rec[], { programs, ports, settings }: ForkPointWorld) {
    this.#run = run
    this.#records = records
    this.#programs = programs
    this.#ports = ports
    this.#settings = settings
  }

  /** Returns the effects in flight that prevent a fork. */
  openEffects(state: State): readonly PendingEffect[] {
    const definitions = new RunPrograms(this.#programs, state)
    return [...state.pendingEffects()].filter((effect) => !this.#isFree(effect, state, definitions))
  }

  /** Makes `R2060` with the nearest points. `path`: of the effect that prevents the fork. */
  insideFault(at: number, path: string): Fault {
    const { before, after } = this.#nearest(at)
    const points = [before, after].flatMap((point) => (point === undefined ? [] : [`${this.#run}@${point}`]))
    const nearest = points.length === 0 ? '' : `; the nearest point${points.length === 1 ? ' is' : 's are'} ${points.join(' and ')}`
    const message = `record ${at} of ${this.#run} stands inside an effect${path === '' ? '' : ` at ${path}`}${nearest}`
    return this.#refusal('R2060', message, { before, after })
  }

  /** Makes `R2061` with the nearest point before the end. */
  endedFault(at: number): Fault {
    return this.#refusal('R2061', `${this.#run} has ended with record ${at}`, this.#nearest(at))
  }

  /** Returns the address of the last point before the failure of a run, or before its end: a fork there tries again. */
  retryPoint(): string | undefined {
    const { before } = this.#nearest(failureRecord(this.#records) ?? this.#records.length)
    return before === undefined ? undefined : `${this.#run}@${before}`
  }

  #isFree(effect: PendingEffect, state: State, definitions: RunPrograms): boolean {
    const owner = { id: this.#run, state, settings: this.#settings, definitions }
    const { leaves, repeat } = traitsOf(effect, owner, this.#ports)
    return isPaused(effect) || (!effect.isQuestioned && !leaves && repeat === 'free')
  }

  #refusal(code: 'R2060' | 'R2061', message: string, { before, after }: NearestPoints): Fault {
    const point = before ?? after
    return faults.make(code, message, {
      run: this.#run,
      ...(point === undefined ? {} : { fix: `reflex fork ${this.#run}@${point}` }),
      data: { ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) },
    })
  }

  /** The traits of an effect are read once, at its request: later its board may differ. */
  #nearest(at: number): NearestPoints {
    const state = new State()
    const definitions = new RunPrograms(this.#programs, state)
    const free = new Map<PendingEffect, boolean>()
    let before: number | undefined
    for (const record of this.#records) {
      applyChecked(state, record)
      // A fork of a run that is being cancelled would only end in the same way.
      let open = state.ended === undefined && state.root.cancelReason === undefined
      for (const effect of state.pendingEffects()) {
        if (!free.has(effect)) free.set(effect, this.#isFree(effect, state, definitions))
        if (!isPaused(effect) && (free.get(effect) !== true || effect.isQuestioned)) open = false
      }
      if (!open) continue
      if (state.n < at) before = state.n
      else if (state.n > at) return { before, after: state.n }
    }
    return { before, after: undefined }
  }
}

/** Returns the record of the last failed effect with the message of the run's failure. */
function failureRecord(records: readonly Rec[]): number | undefined {
  const [status, failure] = records.at(-1)?.more?.return ?? []
  if (status !== 'failed') return undefined
  const text = JSON.stringify(failure ?? '')
  const at = records.findLastIndex(({ input }) => {
    const message = input?.[0] === 'err' && isObject(input[2]) ? input[2].message : undefined
    return typeof message === 'string' && message !== '' && text.includes(JSON.stringify(message).slice(1, -1))
  })
  return at < 0 ? undefined : at + 1
}
