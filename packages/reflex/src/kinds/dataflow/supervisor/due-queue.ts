import { isList, type Json } from '../../../kernel/index.ts'
import type { Instant } from '../model/event.ts'
import { compareInstants } from './instant.ts'

/** The store of a supervisor for data that grows: a board, a map. Keys begin with `~`, which no context key does. */
export interface SupervisorStore {
  get(key: string): Json | undefined
  set(key: string, value: Json): void
  delete(key: string): void
}

/** A deferred episode, and the time from which it can run. */
export interface DueEpisode {
  readonly at: Instant
  readonly episode: number
}

/**
 * The deferred episodes in the order of (time, episode), as a binary heap in a store: each operation reads and writes a number of keys that
 * grows with the logarithm of the number of episodes. The caller keeps the number of episodes.
 */
export class DueQueue {
  readonly #store: SupervisorStore
  #size: number

  constructor(store: SupervisorStore, size: number) {
    this.#store = store
    this.#size = size
  }

  get size(): number {
    return this.#size
  }

  /** Returns the first episode; undefined if there is none. */
  first(): DueEpisode | undefined {
    return this.#size === 0 ? undefined : this.#at(0)
  }

  push(entry: DueEpisode): void {
    let index = this.#size++
    while (index > 0) {
      const parent = (index - 1) >> 1
      const above = this.#at(parent)
      if (precedes(above, entry)) break
      this.#put(index, above)
      index = parent
    }
    this.#put(index, entry)
  }

  /** Removes the first episode. */
  shift(): void {
    if (this.#size === 0) return
    const last = this.#at(--this.#size)
    this.#store.delete(slot(this.#size))
    if (this.#size === 0) return
    let index = 0
    for (;;) {
      const left = index * 2 + 1
      if (left >= this.#size) break
      const right = left + 1
      const child = right < this.#size && precedes(this.#at(right), this.#at(left)) ? right : left
      const below = this.#at(child)
      if (precedes(last, below)) break
      this.#put(index, below)
      index = child
    }
    this.#put(index, last)
  }

  #at(index: number): DueEpisode {
    const stored = this.#store.get(slot(index))
    const [secs, nanos, episode] = isList(stored) ? stored : []
    return { at: { secs: Number(secs), nanos: Number(nanos) }, episode: Number(episode) }
  }

  #put(index: number, { at, episode }: DueEpisode): void {
    this.#store.set(slot(index), [at.secs, at.nanos, episode])
  }
}

function slot(index: number): string {
  return `~due/${index}`
}

function precedes(a: DueEpisode, b: DueEpisode): boolean {
  return (compareInstants(a.at, b.at) || a.episode - b.episode) <= 0
}
