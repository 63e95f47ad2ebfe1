import type { Turn } from './turns.ts'
import type { Draws } from './work-times.ts'

/** The name of the queue of recovered turns, which has room of its own. */
export const RECOVERED = 'recovered'

/** The turns that are admitted and that no worker has claimed, by the queue of DBOS. */
export class Dispatch {
  readonly #queues = new Map<string, Turn[]>()
  #size = 0

  get size(): number {
    return this.#size
  }

  add(turn: Turn): void {
    const name = queueOf(turn)
    const turns = this.#queues.get(name) ?? []
    this.#queues.set(name, turns)
    turns.push(turn)
    this.#size++
  }

  /** Takes turns for a worker: of each queue at most as many as it has room for, in no order. */
  claim(room: (queue: string) => number, draws: Draws): readonly Turn[] {
    const taken = [...this.#queues].flatMap(([name, turns]) => take(turns, room(name), draws))
    this.#size -= taken.length
    return taken
  }
}

/** Returns the queue of DBOS in which a turn is: its own, or that of recovered turns after an attempt. */
export function queueOf(turn: Turn): string {
  return turn.attempt > 1 ? RECOVERED : turn.run.load.queue
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
