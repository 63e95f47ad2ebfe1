import type { Definitions } from '../step/decide.ts'
import type { State } from '../state/state.ts'

/** Decides when the open segment of a run is sealed. */
export class SealSchedule {
  readonly #state: State
  /** The number of records in a segment. */
  #size = Number.POSITIVE_INFINITY
  #next = Number.POSITIVE_INFINITY

  constructor(state: State) {
    this.#state = state
  }

  /** Begins to count: from the last seal of the run on, as its root program's kind states. */
  begin(definitions: Definitions): void {
    this.#size = definitions.kind(definitions.program(0).kind).endless ?? Number.POSITIVE_INFINITY
    this.#next = this.#state.sealed + this.#size
  }

  /** True once the segment has its size. */
  get isDue(): boolean {
    return this.#state.n >= this.#next
  }

  /**
   * True if the run can be sealed now: between two inputs from outside, and at rest. A run that is never at rest is sealed while
   * inputs arrive, once its segment has twice its size.
   */
  canSeal(isArriving: boolean): boolean {
    const { queue, ended, isIdle, root, n } = this.#state
    if (queue.peek() !== undefined || ended !== undefined || isIdle || root.cancelReason !== undefined) return false
    return !isArriving || n >= this.#next + this.#size
  }

  /** Counts again from the last record on. */
  restart(): void {
    this.#next = this.#state.n + this.#size
  }
}
