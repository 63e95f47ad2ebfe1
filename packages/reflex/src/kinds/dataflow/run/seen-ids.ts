import { digest, isList, type Json } from '../../../kernel/index.ts'

/** The beginning of the keys under which the ids of accepted events are kept: each holds the next few. */
const IDS = '~ids/'
/** The ids of one key. A record writes a key again with each id that it adds to it, so few make little journal. */
const SIZE = 8
/** The fewest ids that a graph remembers. */
const WINDOW = 65_536
/** An id of at most so many characters is kept as it is; of a longer one its digest. */
const SHORT = 12

/** The ids of the events that a graph has accepted: an event with one of them is refused (HST-9). */
export class SeenIds {
  readonly #known = new Set<string>()
  readonly #parts = new Map<number, string[]>()
  readonly #changed = new Set<number>()
  readonly #most: number
  #first = 0
  #count = 0

  /** `entries`: the board as it is. `most`: the ids to remember, by default 65,536. */
  constructor(entries: Iterable<readonly [key: string, value: Json]>, most = WINDOW) {
    this.#most = most
    const kept = [...entries].flatMap(([key, value]) =>
      key.startsWith(IDS) && isList(value) ? [[Number(key.slice(IDS.length)), value as readonly string[]] as const] : [],
    )
    for (const [part, ids] of kept.sort(([a], [b]) => a - b)) {
      this.#parts.set(part, [...ids])
      for (const id of ids) this.#known.add(id)
      this.#count = part * SIZE + ids.length
    }
    this.#first = kept[0]?.[0] ?? 0
  }

  has(id: string): boolean {
    return this.#known.has(short(id))
  }

  add(id: string): void {
    const kept = short(id)
    const part = Math.floor(this.#count++ / SIZE)
    const ids = this.#parts.get(part)
    if (ids === undefined) this.#parts.set(part, [kept])
    else ids.push(kept)
    this.#known.add(kept)
    this.#changed.add(part)
  }

  /** Returns the keys that a record writes for the ids that came since the last call, and those that it deletes because they are too old. */
  changes(): readonly (readonly [key: string, ids: readonly string[] | undefined])[] {
    const changes: [string, readonly string[] | undefined][] = []
    for (const part of this.#changed) changes.push([`${IDS}${part}`, [...(this.#parts.get(part) ?? [])]])
    this.#changed.clear()
    while (this.#known.size - SIZE >= this.#most) {
      for (const id of this.#parts.get(this.#first) ?? []) this.#known.delete(id)
      this.#parts.delete(this.#first)
      changes.push([`${IDS}${this.#first++}`, undefined])
    }
    return changes
  }
}

function short(id: string): string {
  return id.length <= SHORT ? id : `#${digest(id).slice(0, 15)}`
}
