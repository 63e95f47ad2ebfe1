import type { Frame } from '../state/frame.ts'
import { isPartOf, programFrame, type UsageMeter, usageOfInput } from '../state/meter.ts'
import type { Input, Outputs } from '../journal/record.ts'
import type { State } from '../state/state.ts'
import { type Limit, type Limits, limitsReached, soundUsage, type Usage, UsageSum } from '../journal/usage.ts'

/** The parts of a record in progress that change the meter. */
interface MeteredParts {
  readonly input: Input | undefined
  readonly more: Pick<Outputs, 'used'> | undefined
  readonly isStep: boolean
}

/** The meter during a step: includes the changes of its record. */
export class StepMeter implements UsageMeter {
  readonly limits: Limits
  readonly #state: State
  readonly #frame: Frame
  readonly #added = new UsageSum()
  readonly #elapsed: number

  constructor(state: State, frame: Frame, elapsed: number, { input, more, isStep }: MeteredParts) {
    const { meter, isCurrentFormat } = state
    this.#state = state
    this.#frame = frame
    this.#elapsed = state.isIdle || state.waitsForPeople ? 0 : elapsed
    const used = input === undefined ? undefined : usageOfInput(input, isCurrentFormat)
    this.#added.add((used === undefined ? undefined : soundUsage(used)) ?? {})
    this.#added.add({ ...more?.used })
    if (isStep) this.#added.add({ steps: 1 })
    this.limits = meter.limits
  }

  get run(): Usage {
    return this.#withAdded(this.#state.meter.run)
  }

  get reached(): readonly Limit[] {
    return limitsReached(this.limits, this.run)
  }

  program(frame: Frame): Usage {
    const used = this.#state.meter.program(frame)
    return isPartOf(this.#frame, programFrame(frame)) ? this.#withAdded(used) : { ...used, time: used.time + this.#elapsed }
  }

  #withAdded({ time, ...used }: Usage): Usage {
    const sum = new UsageSum()
    sum.add(used)
    sum.add(this.#added)
    return sum.withTime(time + this.#elapsed)
  }
}
