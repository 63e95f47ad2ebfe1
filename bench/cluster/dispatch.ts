import type { Turn } from './turns.ts'
import type { Draws } from './work-times.ts'

/** The turns that are admitted and that no worker has claimed: DBOS's queue, and beside it the one of recovered turns. */
export class Dispatch {
  readonly #turns: Turn[] = []
  readonly #recovered: Turn[] = []

  get size(): number {
    return this.#turns.length + this.#recovered.length
  }

  add(turn: Turn): void {
    ;(turn.attempt > 1 ? this.#recovered : this.#turns).push(turn)
  }

  /** Takes turns for a worker: at most as many as it has room for, in no order. */
  claim(room: { readonly turns: number; readonly recovered: number }, draws: Draws): readonly Turn[] {
    return [...take(this.#recovered, room.recovered, draws), ...take(this.#turns, room.turns, draws)]
  }
}

function take(from: Turn[], most: number, draws: Draws): readonly Turn[] {
  const taken: Turn[] = []
  while (taken.length < most && from.length > 0) {
    const place = draws.below(from.length)
    const [turn, last] = [from[place], from.pop()]
    if (turn === undefined || last === undefined) break
    if (place < from.length) from[place] = last
    taken.push(turn)
  }
  return taken
}
