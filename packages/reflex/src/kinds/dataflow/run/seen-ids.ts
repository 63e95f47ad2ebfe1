import { digest, isList, type Json } from '../../../kernel/index.ts'
import { follows, type IdRun, IdRuns, idsOf, isIn, numbered, type NumberedId } from './id-runs.ts'

/** The beginning of the keys under which the ids of accepted events are kept: each holds the next few. */
const IDS = '~ids/'
/** The items from which on a key is full. A record writes a key again with each id that it adds to it, so few make little journal. */
const FULL = 8
/** The fewest ids that a graph remembers. */
const WINDOW = 65_536
/** An id of at most so many characters is kept as it is. */
const SHORT = 12
/** A longer one that ends with a number of so many digits is kept as it is, too: another may follow it. */
const LONG_DIGITS = 6
const MOST_LONG = 64
/** The ids of a run that is looked up as a run. Shorter ones are looked up id by id. */
const LONG_RUN = 8

/** One id, or the beginning of the digest of one; or consecutive ids. */
type Item = string | IdRun

interface Part {
  readonly items: Item[]
  count: number
}

/**
 * The ids of the events that a graph has accepted: an event with one of them is refused (HST-9). Ids that count on, as most sources give
 * them, cost next to nothing; another costs at most 18 bytes.
 */
export class SeenIds {
  /** Single ids, as they are kept, and those of short runs. */
  readonly #single = new Set<string>()
  readonly #runs = new IdRuns()
  readonly #parts = new Map<number, Part>()
  readonly #changed = new Set<number>()
  readonly #most: number
  #first = 0
  /** The part that takes the next id. */
  #next = 0
  #count = 0
  /** The run that the next id may follow: the last item of that part, which is looked up here only. */
  #open: IdRun | undefined

  /** `entries`: the board as it is. `most`: the ids to remember, by default 65,536. */
  constructor(entries: Iterable<readonly [key: string, value: Json]>, most = WINDOW) {
    this.#most = most
    const kept = [...entries].flatMap(([key, value]) =>
      key.startsWith(IDS) && isList(value) ? [[Number(key.slice(IDS.length)), value as readonly Item[]] as const] : [],
    )
    for (const [part, items] of kept.sort(([a], [b]) => a - b)) {
      this.#closeRun()
      this.#next = part
      for (const item of items) this.#append(item)
    }
    this.#first = kept[0]?.[0] ?? 0
    this.#changed.clear()
    this.#endPart()
  }

  has(id: string): boolean {
    const number = numberOf(id)
    if (number !== undefined && ((this.#open !== undefined && isIn(this.#open, number)) || this.#runs.has(number))) return true
    return this.#single.has(short(id))
  }

  add(id: string): void {
    const number = numberOf(id)
    const open = this.#open
    if (number === undefined) this.#append(short(id))
    else if (open !== undefined && follows(open, number)) this.#extend([open[0], open[1], open[2] + 1])
    else this.#append([number.prefix, number.digits, 1])
  }

  /** Returns the keys that a record writes for the ids that came since the last call, and those that it deletes because they are too old. */
  changes(): readonly (readonly [key: string, ids: Json | undefined])[] {
    const changes: [string, Json | undefined][] = []
    for (const part of this.#changed) changes.push([`${IDS}${part}`, (this.#parts.get(part)?.items ?? []).map(stored)])
    this.#changed.clear()
    this.#endPart()
    for (let oldest = this.#parts.get(this.#first); oldest !== undefined && this.#count - oldest.count >= this.#most; ) {
      for (const item of oldest.items) this.#forget(item)
      this.#count -= oldest.count
      this.#parts.delete(this.#first)
      changes.push([`${IDS}${this.#first++}`, undefined])
      oldest = this.#parts.get(this.#first)
    }
    return changes
  }

  /** A part that is full after a record gets no further id. */
  #endPart(): void {
    if ((this.#parts.get(this.#next)?.items.length ?? 0) < FULL) return
    this.#closeRun()
    this.#next++
  }

  #append(item: Item): void {
    this.#closeRun()
    const part = this.#parts.get(this.#next) ?? { items: [], count: 0 }
    this.#parts.set(this.#next, part)
    const read = readItem(item)
    part.items.push(read)
    if (typeof read === 'string') this.#single.add(read)
    else this.#open = read
    this.#grow(part, typeof read === 'string' ? 1 : read[2])
  }

  #extend(run: IdRun): void {
    const part = this.#parts.get(this.#next)
    if (part === undefined) return
    part.items[part.items.length - 1] = run
    this.#open = run
    this.#grow(part, 1)
  }

  #grow(part: Part, by: number): void {
    part.count += by
    this.#count += by
    this.#changed.add(this.#next)
  }

  /** The open run gets no further id. */
  #closeRun(): void {
    const run = this.#open
    this.#open = undefined
    if (run === undefined) return
    if (run[2] >= LONG_RUN) this.#runs.add(run)
    else for (const id of idsOf(run)) this.#single.add(short(id))
  }

  #forget(item: Item): void {
    if (typeof item === 'string') this.#single.delete(item)
    else if (item[2] >= LONG_RUN) this.#runs.delete(item)
    else for (const id of idsOf(item)) this.#single.delete(short(id))
  }
}

/** Returns an id that another may follow. */
function numberOf(id: string): NumberedId | undefined {
  if (id.length > MOST_LONG) return undefined
  const number = numbered(id)
  return number === undefined || id.length <= SHORT || number.digits.length >= LONG_DIGITS ? number : undefined
}

/** Returns an item as a key holds it: a run of one short id is the id. */
function stored(item: Item): Json {
  if (typeof item === 'string' || item[2] > 1) return item
  const id = item[0] + item[1]
  return id.length <= SHORT ? id : item
}

function readItem(item: Item): Item {
  if (typeof item !== 'string' || item.length > SHORT) return item
  const number = numbered(item)
  return number === undefined ? item : [number.prefix, number.digits, 1]
}

function short(id: string): string {
  return id.length <= SHORT ? id : `#${digest(id).slice(0, 15)}`
}
