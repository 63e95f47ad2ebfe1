import { digest, isList, type Json } from '../../../kernel/index.ts'
import { follows, type IdRun, IdRuns, idsOf, numbered, type NumberedId, type PlacedRun, placeIn, placeOfStep } from './id-runs.ts'

/** The beginning of the keys under which the ids of accepted events are kept, each with the number of ids that were accepted before its own. */
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
/** An item, or the line of the next id: those after it are on the following lines. 0: the next ids have no line. */
type Entry = Item | number

interface Part {
  readonly entries: Entry[]
  items: number
  count: number
}

/**
 * The ids of the events that a graph has accepted, with their places: an event with one of them is refused (HST-9). Ids that count on from line
 * to line, as most sources give them, cost next to nothing; another costs at most 18 bytes, and a gap between lines one number.
 */
export class SeenIds {
  /** The places of single ids, as they are kept, and of those of short runs. */
  readonly #single = new Map<string, number>()
  readonly #runs = new IdRuns()
  /** By the number of ids before their own, in this order. */
  readonly #parts = new Map<number, Part>()
  readonly #changed = new Set<number>()
  readonly #most: number
  /** The key of the part that takes the next id. */
  #key = 0
  /** All ids that were accepted, and those that are kept. */
  #accepted = 0
  #count = 0
  /** The line that the next id has if no number is before it; 0 for none. */
  #line = 0
  /** The run that the next id may follow: the last item of that part, which is looked up here only. */
  #open: PlacedRun | undefined

  /** `entries`: the board as it is. `most`: the ids to remember, by default 65,536. */
  constructor(entries: Iterable<readonly [key: string, value: Json]>, most = WINDOW) {
    this.#most = most
    const kept = [...entries].flatMap(([key, value]) =>
      key.startsWith(IDS) && isList(value) ? [[Number(key.slice(IDS.length)), value as readonly Entry[]] as const] : [],
    )
    for (const [key, list] of kept.sort(([a], [b]) => a - b)) {
      this.#begin(key)
      for (const entry of list) {
        if (typeof entry === 'number') this.#moveTo(entry)
        else this.#append(readItem(entry))
      }
    }
    this.#changed.clear()
    this.#endPart()
  }

  /** Returns the place of an accepted id: its line, or as a negative number the number of its event. Undefined for another id. */
  placeOf(id: string): number | undefined {
    const number = numberOf(id)
    if (number === undefined) return this.#single.get(short(id))
    const open = this.#open === undefined ? undefined : placeIn(this.#open, number)
    return open ?? this.#runs.placeOf(number) ?? this.#single.get(short(id))
  }

  /** Adds an id. `line`: that of its event in the only source of the run. */
  add(id: string, line = 0): void {
    this.#moveTo(line)
    const number = numberOf(id)
    const open = this.#open
    if (number === undefined) this.#append(short(id))
    else if (open !== undefined && follows(open.ids, number)) this.#extend(open)
    else this.#append([number.prefix, number.digits, 1])
  }

  /** Returns the keys that a record writes for the ids that came since the last call, and those that it deletes because they are too old. */
  changes(): readonly (readonly [key: string, ids: Json | undefined])[] {
    const changes: [string, Json | undefined][] = []
    for (const key of this.#changed) changes.push([`${IDS}${key}`, (this.#parts.get(key)?.entries ?? []).map(stored)])
    this.#changed.clear()
    this.#endPart()
    for (const [key, { entries, count }] of this.#parts) {
      if (this.#count - count < this.#most) break
      for (const entry of entries) this.#forget(entry)
      this.#count -= count
      this.#parts.delete(key)
      changes.push([`${IDS}${key}`, undefined])
    }
    return changes
  }

  /** A part that is full after a record gets no further id. */
  #endPart(): void {
    if ((this.#parts.get(this.#key)?.items ?? 0) >= FULL) this.#begin(this.#accepted)
  }

  #begin(key: number): void {
    this.#closeRun()
    this.#key = key
    this.#accepted = key
    this.#line = 0
  }

  /** The next id has another line than the one that is expected: no run goes on. */
  #moveTo(line: number): void {
    if (line === this.#line) return
    this.#closeRun()
    this.#line = line
    this.#part.entries.push(line)
  }

  get #part(): Part {
    let part = this.#parts.get(this.#key)
    if (part === undefined) {
      part = { entries: [], items: 0, count: 0 }
      this.#parts.set(this.#key, part)
    }
    return part
  }

  #append(item: Item): void {
    this.#closeRun()
    const part = this.#part
    const place = this.#line > 0 ? this.#line : -this.#accepted - 1
    part.entries.push(item)
    part.items++
    if (typeof item === 'string') this.#single.set(item, place)
    else this.#open = { ids: item, place }
    this.#grow(part, typeof item === 'string' ? 1 : item[2])
  }

  #extend({ ids: [prefix, first, count], place }: PlacedRun): void {
    const part = this.#part
    const ids: IdRun = [prefix, first, count + 1]
    part.entries[part.entries.length - 1] = ids
    this.#open = { ids, place }
    this.#grow(part, 1)
  }

  #grow(part: Part, by: number): void {
    part.count += by
    this.#count += by
    this.#accepted += by
    if (this.#line > 0) this.#line += by
    this.#changed.add(this.#key)
  }

  /** The open run gets no further id. */
  #closeRun(): void {
    const run = this.#open
    this.#open = undefined
    if (run === undefined) return
    if (run.ids[2] >= LONG_RUN) this.#runs.add(run)
    else for (const [step, id] of idsOf(run.ids).entries()) this.#single.set(short(id), placeOfStep(run.place, step))
  }

  #forget(entry: Entry): void {
    if (typeof entry === 'number') return
    if (typeof entry === 'string') this.#single.delete(entry)
    else if (entry[2] >= LONG_RUN) this.#runs.delete(entry)
    else for (const id of idsOf(entry)) this.#single.delete(short(id))
  }
}

/** Returns an id that another may follow. */
function numberOf(id: string): NumberedId | undefined {
  if (id.length > MOST_LONG) return undefined
  const number = numbered(id)
  return number === undefined || id.length <= SHORT || number.digits.length >= LONG_DIGITS ? number : undefined
}

/** Returns an entry as a key holds it: a run of one short id is the id. */
function stored(entry: Entry): Json {
  if (typeof entry !== 'object' || entry[2] > 1) return entry
  const id = entry[0] + entry[1]
  return id.length <= SHORT ? id : entry
}

function readItem(item: Item): Item {
  if (typeof item !== 'string' || item.length > SHORT) return item
  const number = numbered(item)
  return number === undefined ? item : [number.prefix, number.digits, 1]
}

function short(id: string): string {
  return id.length <= SHORT ? id : `#${digest(id).slice(0, 15)}`
}
