import type { Turn } from './turns.ts'

/** The turns of a tenant that wait, by priority and then by age. */
export class WaitingLine {
  #size = 0
  readonly #byPriority = new Map<number, { readonly turns: Turn[]; first: number }>()

  get size(): number {
    return this.#size
  }

  /** The lowest number of priority among them. */
  get priority(): number {
    let lowest = Number.POSITIVE_INFINITY
    for (const [priority, { turns, first }] of this.#byPriority) if (first < turns.length) lowest = Math.min(lowest, priority)
    return lowest
  }

  add(turn: Turn): void {
    const { priority = 0 } = turn.run.load
    const line = this.#byPriority.get(priority) ?? { turns: [], first: 0 }
    this.#byPriority.set(priority, line)
    line.turns.push(turn)
    this.#size++
  }

  take(): Turn | undefined {
    const line = this.#byPriority.get(this.priority)
    const turn = line?.turns[line.first]
    if (line === undefined || turn === undefined) return undefined
    line.first++
    this.#size--
    return turn
  }
}
