import { digest, isList, type Json } from '../../../kernel/index.ts'

/** The beginning of the keys under which the ids of accepted events are kept: `~ids/` and the first episode of their record. */
export const IDS = '~ids/'
/** The fewest ids that a graph remembers. */
export const WINDOW = 65_536
/** An id of at most so many characters is kept as it is; of a longer one its digest. */
const SHORT = 12

/** The ids of the events that a graph has accepted: an event with one of them is refused (HST-9). */
export class SeenIds {
  readonly #known = new Set<string>()
  /** The keys of the board with the number of their ids, oldest first. */
  readonly #keys: (readonly [key: string, ids: readonly string[]])[] = []
  readonly #most: number
  #new: string[] = []

  /** `entries`: the board as it is. `most`: the ids to remember, by default 65,536. */
  constructor(entries: Iterable<readonly [key: string, value: Json]>, most = WINDOW) {
    this.#most = most
    const kept = [...entries].flatMap(([key, value]) => (key.startsWith(IDS) && isList(value) ? [[key, value as string[]] as const] : []))
    for (const [key, ids] of kept.sort(([a], [b]) => Number(a.slice(IDS.length)) - Number(b.slice(IDS.length)))) {
      this.#keys.push([key, ids])
      for (const id of ids) this.#known.add(id)
    }
  }

  has(id: string): boolean {
    return this.#known.has(short(id))
  }

  add(id: string): void {
    this.#known.add(short(id))
    this.#new.push(short(id))
  }

  /** Returns what a record writes of the ids that came since the last call: a new key, and the keys that are too old. */
  changes(episode: number): { readonly key: string; readonly ids: readonly string[]; readonly forgotten: readonly string[] } | undefined {
    const ids = this.#new
    if (ids.length === 0) return undefined
    this.#new = []
    const key = `${IDS}${episode}`
    this.#keys.push([key, ids])
    const forgotten: string[] = []
    for (let [first] = this.#keys; first !== undefined && this.#known.size - first[1].length >= this.#most; [first] = this.#keys) {
      for (const id of first[1]) this.#known.delete(id)
      forgotten.push(first[0])
      this.#keys.shift()
    }
    return { key, ids, forgotten }
  }
}

function short(id: string): string {
  return id.length <= SHORT ? id : `#${digest(id).slice(0, 15)}`
}
