import { type EffectWorld, traitsOf } from './effects.ts'
import type { Fault } from '../journal/fault.ts'
import { faults } from '../journal/faults.ts'
import { type PendingEffect, isPaused } from '../state/frame.ts'
import { isObject } from '../journal/json.ts'
import type { RunFacts } from '../ports/settings.ts'
import { RunPrograms } from '../step/run-programs.ts'
import type { Programs } from '../step/programs.ts'
import type { Segment } from '../ports/segment.ts'
import type { Journals } from './journals.ts'
import type { Pin, Rec } from '../journal/record.ts'
import { applyChecked } from '../state/apply-checked.ts'
import type { State } from '../state/state.ts'

/** The nearest records before and after a record at which a run can be forked. */
interface NearestPoints {
  readonly before: number | undefined
  readonly after: number | undefined
}

/** The journals, programs and ports of a runtime, and the settings of the run. */
interface ForkPointWorld {
  readonly journals: Journals
  readonly programs: Programs
  readonly ports: EffectWorld['ports']
  readonly settings: RunFacts
}

/**
 * Finds the records of a run at which it can be forked: those before the end without an effect in flight that has effects
 * outside or must not be repeated. Otherwise it would be unknown whether the effect has happened for the fork. Reads the segments
 * around a record, from it on backwards and forwards, up to those that are gone.
 */
export class ForkPoints {
  readonly #run: string
  readonly #journals: Journals
  readonly #programs: Programs
  readonly #ports: EffectWorld['ports']
  readonly #settings: RunFacts

  constructor(run: string, { journals, programs, ports, settings }: ForkPointWorld) {
    this.#run = run
    this.#journals = journals
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
  async insideFault(at: number, path: string): Promise<Fault> {
    const { before, after } = await this.#nearest(at)
    const points = [before, after].flatMap((point) => (point === undefined ? [] : [`${this.#run}@${point}`]))
    const nearest = points.length === 0 ? '' : `; the nearest point${points.length === 1 ? ' is' : 's are'} ${points.join(' and ')}`
    const message = `record ${at} of ${this.#run} stands inside an effect${path === '' ? '' : ` at ${path}`}${nearest}`
    return this.#refusal('R2060', message, { before, after })
  }

  /** Makes `R2061` with the nearest point before the end. */
  async endedFault(at: number): Promise<Fault> {
    return this.#refusal('R2061', `${this.#run} has ended with record ${at}`, await this.#nearest(at))
  }

  /** Returns the address of the last point before the failure of a run, or before its end: a fork there tries again. */
  async retryPoint(): Promise<string | undefined> {
    const last = (await this.#segments()).at(-1)
    if (last === undefined) return undefined
    const records = (await this.#journals.segment(this.#run, last.number))?.records ?? []
    const { before } = await this.#nearest((failureIn(records) ?? records.length) + last.opens)
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

  async #segments(): Promise<readonly Segment[]> {
    return (await this.#journals.segments(this.#run)).filter(({ place }) => place !== 'gone')
  }

  async #nearest(at: number): Promise<NearestPoints> {
    const segments = await this.#segments()
    const place = segments.findIndex(({ last }) => last >= at)
    let before: number | undefined
    let after: number | undefined
    for (const segment of segments.slice(0, place + 1).reverse()) {
      const points = await this.#pointsIn(segment, at)
      before = points.before
      after ??= points.after
      if (before !== undefined) break
    }
    for (const segment of segments.slice(place + 1)) after ??= (await this.#pointsIn(segment, at)).after
    return { before, after }
  }

  /**
   * Returns the nearest points of a segment, and of the snapshot that opens it. The traits of an effect are read once, at its request or
   * in that snapshot: later its board may differ.
   */
  async #pointsIn({ number }: Segment, at: number): Promise<NearestPoints> {
    const found = await this.#journals.segment(this.#run, number)
    if (found === undefined) return { before: undefined, after: undefined }
    const state = found.opening()
    await this.#journals.loadPrograms([...state.pins, ...pinsOf(found.records)], this.#run)
    const definitions = new RunPrograms(this.#programs, state)
    const free = new Map<PendingEffect, boolean>()
    const isPoint = (): boolean => {
      // A fork of a run that is being cancelled would only end in the same way.
      let open = state.ended === undefined && state.root.cancelReason === undefined
      for (const effect of state.pendingEffects()) {
        if (!free.has(effect)) free.set(effect, this.#isFree(effect, state, definitions))
        if (!isPaused(effect) && (free.get(effect) !== true || effect.isQuestioned)) open = false
      }
      return open
    }
    let before = state.n > 0 && state.n < at && isPoint() ? state.n : undefined
    for (const record of found.records) {
      applyChecked(state, record)
      if (!isPoint()) continue
      if (state.n < at) before = state.n
      else if (state.n > at) return { before, after: state.n }
    }
    return { before, after: undefined }
  }
}

function pinsOf(records: readonly Rec[]): readonly Pin[] {
  return records.flatMap(({ more }) => [...(more?.start?.pins ?? []), ...(more?.pin ?? [])])
}

/** Returns the place, from 1, of the last failed effect with the message of the run's failure, if it is in its last segment. */
function failureIn(records: readonly Rec[]): number | undefined {
  const [status, failure] = records.at(-1)?.more?.return ?? []
  if (status !== 'failed') return undefined
  const text = JSON.stringify(failure ?? '')
  const at = records.findLastIndex(({ input }) => {
    const message = input?.[0] === 'err' && isObject(input[2]) ? input[2].message : undefined
    return typeof message === 'string' && message !== '' && text.includes(JSON.stringify(message).slice(1, -1))
  })
  return at < 0 ? undefined : at + 1
}
