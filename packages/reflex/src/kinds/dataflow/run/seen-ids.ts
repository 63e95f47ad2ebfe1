import { digest, isList, type Json } from '../../../kernel/index.ts'

/** The beginning of the keys under which the ids of accepted events are kept: each holds the next few. */
const IDS = '~ids/'
/** The ids of one key. A record writes a key again with each id that it adds to it, so few make little journal. */
const SIZE = 8
/** The fewest ids that a graph remembers. */
const WINDOW = 65_536
/** An id of at most so many characters is kept as it is; of a longer one its digest. */
const SHORT = 12

/** An id, or the line of the next id: those after it are on the following lines. 0: the next ids have no line. */
type Entry = string | number

/**
 * The ids of the events that a graph has accepted, with their places: an event with one of them is refused (HST-9). Lines that follow one
 * another cost one number for several ids.
 */
export class SeenIds {
  /** The line of an id; of one without a line its number among those that were accepted, from 1, as a negative number. */
  readonly #known = new Map<string, number>()
  readonly #parts = new Map<number, Entry[]>()
  readonly #changed = new Set<number>()
  readonly #most: number
  #first = 0
  #count = 0
  /** The line that the next id of the last part has if no number is before it. */
  #next = 0

  /** `entries`: the board as it is. `most`: the ids to remember, by default 65,536. */
  constructor(entries: Iterable<readonly [key: string, value: Json]>, most = WINDOW) {
    this.#most = most
    const kept = [...entries].flatMap(([key, value]) =>
      key.startsWith(IDS) && isList(value) ? [[Number(key.slice(IDS.length)), value as readonly Entry[]] as const] : [],
    )
    for (const [part, list] of kept.sort(([a], [b]) => a - b)) {
      this.#parts.set(part, [...list])
      this.#count = part * SIZE
      this.#next = 0
      for (const entry of list) {
        if (typeof entry === 'number') this.#next = entry
        else this.#know(entry)
      }
    }
    this.#first = kept[0]?.[0] ?? 0
  }

  /** Returns the place of an accepted id: its line, or as a negative number the number of its event. Undefined for another id. */
  placeOf(id: string): number | undefined {
    return this.#known.get(short(id))
  }

  /** Adds an id. `line`: that of its event in the only source of the run. */
  add(id: string, line = 0): void {
    const part = Math.floor(this.#count / SIZE)
    let list = this.#parts.get(part)
    if (list === undefined) {
      list = []
      this.#parts.set(part, list)
      this.#next = 0
    }
    if (line !== this.#next) list.push(line)
    this.#next = line
    list.push(this.#know(short(id)))
    this.#changed.add(part)
  }

  #know(kept: string): string {
    this.#count++
    this.#known.set(kept, this.#next > 0 ? this.#next++ : -this.#count)
    return kept
  }

  /** Returns the keys that a record writes for the ids that came since the last call, and those that it deletes because they are too old. */
  changes(): readonly (readonly [key: string, ids: readonly Entry[] | undefined])[] {
    const changes: [string, readonly Entry[] | undefined][] = []
    for (const part of this.#changed) changes.push([`${IDS}${part}`, [...(this.#parts.get(part) ?? [])]])
    this.#changed.clear()
    while (this.#known.size - SIZE >= this.#most) {
      for (const id of this.#parts.get(this.#first) ?? []) if (typeof id === 'string') this.#known.delete(id)
      this.#parts.delete(this.#first)
      changes.push([`${IDS}${this.#first++}`, undefined])
    }
    return changes
  }
}

function short(id: string): string {
  return id.length <= SHORT ? id : `#${digest(id).slice(0, 15)}`
}
