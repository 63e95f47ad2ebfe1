import type { Fault } from '../journal/fault.ts'
import { faults } from '../journal/faults.ts'
import { type CallLimit, type CallLimits, describeLimit, type Usage } from '../journal/usage.ts'
import { type Frame, isActivation } from '../state/frame.ts'
import type { State } from '../state/state.ts'
import type { Kind } from './kind.ts'
import type { Program } from './program.ts'

/** The limits that a frame and what it calls may not exceed, and what was used of them. */
export interface FrameLimits {
  readonly base: Frame
  readonly limits: CallLimits
  readonly used: Usage
  /** `caller`: given with the call of the frame. `program`: stated by its program. */
  readonly by: 'caller' | 'program'
}

/** The programs of a run, by their pins. */
interface PinnedPrograms {
  program(pin: number): Program
  kind(name: string): Kind
}

/** The limits that programs state for themselves, and that callers give to what they call. */
export class FrameLimitFinder {
  readonly #state: State
  readonly #definitions: PinnedPrograms
  #known: { readonly pins: number; readonly stated: boolean; readonly steps: boolean } | undefined

  constructor(state: State, definitions: PinnedPrograms) {
    this.#state = state
    this.#definitions = definitions
  }

  /** True if any program or call of the run states limits: most state none. */
  get areStated(): boolean {
    return this.#state.hasCallLimits || this.#pinned.stated
  }

  /** Returns the limits that hold for a frame: its own, and those of the frames below it. */
  of(frame: Frame): readonly FrameLimits[] {
    if (!this.areStated) return []
    const { meter } = this.#state
    const found: FrameLimits[] = []
    for (let base: Frame | undefined = frame; base !== undefined; base = base.link?.caller) {
      const limits = isActivation(base) ? this.#limitsOf(base.pin) : undefined
      if (limits !== undefined) found.push({ base, limits, used: meter.program(base), by: 'program' })
      if (base.limits !== undefined) found.push({ base, limits: base.limits, used: meter.below(base), by: 'caller' })
    }
    return found
  }

  /** Returns the fault of a frame that enters a node beyond a limit of steps; undefined within the limits. */
  stepsFault(frame: Frame): Fault | undefined {
    if (!this.#state.hasCallLimits && !this.#pinned.steps) return undefined
    const over = this.of(frame).find(({ limits, used }) => used.steps >= (limits.steps ?? Number.POSITIVE_INFINITY))
    return over === undefined ? undefined : this.fault(over, 'steps')
  }

  /** Makes the fault of a limit that is used up: `R3021` if the program states it, `R2109` if its caller gives it. */
  fault({ base, limits, used, by }: FrameLimits, limit: CallLimit): Fault {
    const text = `budget exceeded: ${describeLimit(limit, limits, used)}`
    const run = this.#state.start?.run
    const caller = base.link?.caller
    if (by === 'program' || caller === undefined) return faults.make('R3021', text, { run })
    const { kind, def, name } = this.#definitions.program(caller.pin)
    const node = this.#definitions.kind(kind).node?.(def, caller.position)
    const place = node === undefined ? name : `${name} at ${node}`
    const callee = this.#definitions.program(base.pin).name
    return faults.make('R2109', `${text}, which ${place} gives to ${callee === name ? 'its strand' : callee}`, { run })
  }

  /** True for each sort of limit that any program of the run states. It is computed again only when a program was added. */
  get #pinned(): { readonly stated: boolean; readonly steps: boolean } {
    const { pins } = this.#state
    if (this.#known?.pins !== pins.length) {
      const all = pins.map((_, pin) => this.#limitsOf(pin))
      const steps = all.some((limits) => limits?.steps !== undefined)
      this.#known = { pins: pins.length, stated: all.some((limits) => limits !== undefined), steps }
    }
    return this.#known
  }

  #limitsOf(pin: number): CallLimits | undefined {
    const { kind, def } = this.#definitions.program(pin)
    return this.#definitions.kind(kind).limits?.(def)
  }
}
