import type { Reflex } from '../../app/reflex.ts'
import { type Fault, type Ref, type OpenRun } from '../../kernel/index.ts'
import type { RunSettings } from '../../policy/index.ts'
import { faults } from './faults.ts'

/** What a turn does when a person has to answer: it waits, or it is left to a later process (`reflex run --answers none`). */
export type AnswerMode = 'wait' | 'none'

/** Milliseconds between two timers that do nothing but keep the process alive. */
const ALIVE_MS = 3_600_000

/**
 * The questions of a turn that people have to answer. The host hears of each. While one is open, the process stays alive, because nothing else
 * in a plain script does, and the answer may come from another process; or the turn is left, if its host does not wait for people.
 */
export class OpenQuestions {
  readonly #reflex: Pick<Reflex, 'report' | 'host'>
  readonly #run: OpenRun<RunSettings>
  readonly #leave: ((fault: Fault) => void) | undefined
  readonly #told = new Set<Ref>()
  #stopTimer: (() => void) | undefined

  /** `leave`: called with the fault of each question in place of waiting for its answer. */
  constructor(reflex: Pick<Reflex, 'report' | 'host'>, run: OpenRun<RunSettings>, leave?: (fault: Fault) => void) {
    this.#reflex = reflex
    this.#run = run
    this.#leave = leave
  }

  /** True while a person has to answer. */
  get areOpen(): boolean {
    return this.#run.state.ended === undefined && [...this.#run.state.waits.values()].some(({ type }) => type === 'answer')
  }

  /** Looks at the questions of the run, which has changed. */
  look(): void {
    for (const { id, type, number } of this.#run.state.waits.values()) {
      if (type !== 'answer' || this.#told.has(id)) continue
      this.#told.add(id)
      const question = `${this.#run.id}/q${number}`
      const fault = faults.make('R2157', `the turn waits for the answer to ${question}`, {
        run: this.#run.id,
        fix: `reflex answer ${question}`,
      })
      if (this.#leave === undefined) this.#reflex.report(fault)
      else this.#leave(fault)
    }
    if (!this.areOpen) this.end()
    else if (this.#leave === undefined) this.#keepAlive()
  }

  /** Lets the process end. */
  end(): void {
    this.#stopTimer?.()
    this.#stopTimer = undefined
  }

  #keepAlive(): void {
    const { host } = this.#reflex
    const again = (): void => {
      this.#stopTimer = host.at(host.now() + ALIVE_MS, again)
    }
    if (this.#stopTimer === undefined) again()
  }
}
