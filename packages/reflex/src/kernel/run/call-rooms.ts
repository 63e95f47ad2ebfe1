import type { Admission, Leave } from '../ports/admission.ts'
import { entered, type GivenRoom } from './waiting-calls.ts'

/** The rooms of one call under way: the one with which it began, and those that it takes later. All are left when it has ended. */
export class CallRooms {
  #given: GivenRoom | undefined
  readonly #leaves = new Set<Leave>()
  /** True once the call is performed. Its rooms are left then when that has ended in fact, and not when it is aborted. */
  isUnderWay: boolean
  #isOver = false

  constructor(given?: GivenRoom) {
    this.#given = given
    this.isUnderWay = given === undefined
    if (given !== undefined) this.#leaves.add(given.leave)
  }

  /** Takes over the room with which the call began, if it is for this and was not taken. */
  take(use: string): Leave | undefined {
    const given = this.#given
    if (given?.use !== use) return undefined
    this.#given = undefined
    return () => this.#leave(given.leave)
  }

  /** Waits for room for what the call uses now. */
  async enter(admission: Admission, use: string, signal: AbortSignal): Promise<Leave> {
    const leave = await entered(admission, use, signal)
    this.#leaves.add(leave)
    if (this.#isOver) this.#leave(leave)
    return () => this.#leave(leave)
  }

  #leave(leave: Leave): void {
    this.#leaves.delete(leave)
    leave()
  }

  /** Leaves all rooms. */
  end(): void {
    this.#isOver = true
    for (const leave of this.#leaves) this.#leave(leave)
  }
}
