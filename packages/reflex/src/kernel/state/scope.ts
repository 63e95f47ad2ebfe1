import { isList, isObject, type Json } from '../journal/json.ts'

/** One entry of a board. `label` is where the frame stood before the record that wrote it (`labelOf`). */
export interface Entry {
  readonly key: string
  /** `undefined`: the key was deleted from this scope. */
  readonly value: Json | undefined
  readonly record: number
  /** The time of its record in milliseconds since the epoch. */
  readonly at: number
  readonly label: Json | undefined
}

/** The most items of a position that is a label. */
const LABEL_ITEMS = 8

/**
 * Returns the label of what is written at a position: the position itself if it is a text or a short list, else the text under its key
 * `node`, if it has one. An entry with a large position would keep each version of it.
 */
export function labelOf(position: Json | undefined): Json | undefined {
  if (isList(position)) return position.length > LABEL_ITEMS ? undefined : position
  if (!isObject(position)) return position
  return typeof position.node === 'string' ? position.node : undefined
}

/** The slots of an entry: key, value, record, time, label. An object per entry would cost a third of a step. */
const STRIDE = 5
/** The number of entries of the first block; each further block holds twice as many. A list that grows would be copied again and again. */
const FIRST = 4
const FIRST_BITS = Math.clz32(FIRST)
/** The number of entries up to which a backwards scan is faster than an index. */
const SCAN = 24

type Slot = Json | undefined

/** An append-only log of writes. The latest entry of a key wins; nothing that can be read is ever changed or removed. */
export class Scope {
  #blocks: Slot[][] = []
  /** The number of entries. */
  size = 0
  /** The number of times that entries were removed. Places from before a removal are invalid. */
  generation = 0
  /** The place of the latest entry of each key, in the order of these entries. */
  #index: Map<string, number> | undefined

  append(key: string, value: Json | undefined, record: number, at: number, label: Json | undefined): void {
    const place = this.size++
    const number = blockOf(place)
    const block = (this.#blocks[number] ??= newBlock(number))
    const slot = slotOf(place, number)
    block[slot] = key
    block[slot + 1] = value
    block[slot + 2] = record
    block[slot + 3] = at
    block[slot + 4] = label
    if (this.#index !== undefined) moveToEnd(this.#index, key, place)
  }

  /** Returns the place of the latest entry of a key up to record `bound`, or -1. */
  find(key: string, bound: number): number {
    let place = this.size - 1
    if (place >= SCAN) place = this.#ensureIndex().get(key) ?? -1
    while (place >= 0 && (this.#read(place, 0) !== key || this.#recordAt(place) > bound)) place--
    return place
  }

  /** Returns the value at a place from `find`. */
  valueAt(place: number): Json | undefined {
    return this.#read(place, 1)
  }

  #recordAt(place: number): number {
    return this.#read(place, 2) as number
  }

  #read(place: number, slot: number): Slot {
    const number = blockOf(place)
    return this.#blocks[number]?.[slotOf(place, number) + slot]
  }

  entryAt(place: number): Entry {
    return Object.freeze({
      key: this.#read(place, 0) as string,
      value: this.#read(place, 1),
      record: this.#recordAt(place),
      at: this.#read(place, 3) as number,
      label: this.#read(place, 4),
    })
  }

  /**
   * The entries that can still be read: the latest of each key, now and as of each record of `bounds`. A tombstone is among them only
   * where it hides a value that an earlier bound still shows.
   */
  readableEntries(bounds: readonly number[]): Entry[] {
    const places = new Set<number>()
    for (const bound of new Set([...bounds, Number.POSITIVE_INFINITY])) for (const place of this.#indexAt(bound).values()) places.add(place)
    const visible = new Set<string>()
    const entries = [...places].sort((a, b) => a - b).map((place) => this.entryAt(place))
    return entries.filter(({ key, value }) => (value === undefined ? visible.has(key) : visible.add(key)))
  }

  /** Leaves out what can no longer be read, where that is at least half of the log. */
  shrink(bounds: readonly number[]): void {
    const kept = this.readableEntries(bounds)
    if (kept.length * 2 > this.size) return
    this.#blocks = []
    this.size = 0
    this.#index = undefined
    for (const { key, value, record, at, label } of kept) this.append(key, value, record, at, label)
    this.generation++
  }

  /** Returns the number of entries up to record `bound`. */
  sizeAt(bound: number): number {
    let [low, high] = [0, this.size]
    if (high === 0 || this.#recordAt(high - 1) <= bound) return high
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#recordAt(middle) <= bound) low = middle + 1
      else high = middle
    }
    return low
  }

  /** Yields the entries from the oldest up to record `bound`. */
  *entries(bound = Number.POSITIVE_INFINITY, from = 0): Generator<Entry> {
    for (let place = from; place < this.size; place++) {
      if (this.#recordAt(place) > bound) return
      yield this.entryAt(place)
    }
  }

  /**
   * Returns the keys that have a value, each with its latest entry, in the order of those entries. A snapshot contains only
   * them, so it does not change this order.
   */
  liveEntries(bound = Number.POSITIVE_INFINITY): Map<string, Entry> {
    return new Map(this.#latestPlaces(bound).map(([key, place]) => [key, this.entryAt(place)]))
  }

  /** Returns the keys of `liveEntries` in the same order. */
  liveKeys(bound = Number.POSITIVE_INFINITY): string[] {
    return this.#latestPlaces(bound).map(([key]) => key)
  }

  /** Returns the last place of each key up to a record. The index has them for the newest record: the cost depends on the number of keys, not of entries. */
  #latestPlaces(bound: number): (readonly [key: string, place: number])[] {
    return [...this.#indexAt(bound)].filter(([, place]) => this.valueAt(place) !== undefined)
  }

  #indexAt(bound: number): Map<string, number> {
    const size = this.sizeAt(bound)
    return size === this.size ? this.#ensureIndex() : this.#indexOf(size)
  }

  #ensureIndex(): Map<string, number> {
    this.#index ??= this.#indexOf(this.size)
    return this.#index
  }

  #indexOf(size: number): Map<string, number> {
    const index = new Map<string, number>()
    for (let place = 0; place < size; place++) moveToEnd(index, this.#read(place, 0) as string, place)
    return index
  }
}

function newBlock(number: number): Slot[] {
  // oxlint-disable-next-line unicorn/no-new-array -- the exact size: a list that grows by push is copied
  return new Array<Slot>((FIRST << number) * STRIDE)
}

/** Returns the number of the block of a place. */
function blockOf(place: number): number {
  return FIRST_BITS - Math.clz32(place + FIRST)
}

/** Returns the first slot of a place in its block. */
function slotOf(place: number, block: number): number {
  return (place + FIRST - (FIRST << block)) * STRIDE
}

function moveToEnd(index: Map<string, number>, key: string, place: number): void {
  index.delete(key)
  index.set(key, place)
}

/** A scope with the last record that its reader sees. */
export interface ScopeView {
  readonly scope: Scope
  readonly bound: number
}

/** Reads a chain of scopes, nearest first: live in the nearest, as of `bound` in the others. */
export class BoardReader {
  readonly views: readonly ScopeView[]

  constructor(views: readonly ScopeView[]) {
    this.views = views
  }

  /** Returns the latest value in the nearest scope that has the key. */
  get(key: string): Json | undefined {
    return this.entry(key)?.value
  }

  has(key: string): boolean {
    return this.entry(key) !== undefined
  }

  /** Returns the entry that `get` reads. A tombstone hides the key only in its own scope. */
  entry(key: string): Entry | undefined {
    for (const { scope, bound } of this.views) {
      const place = scope.find(key, bound)
      if (place >= 0 && scope.valueAt(place) !== undefined) return scope.entryAt(place)
    }
    return undefined
  }

  /**
   * Yields every entry, scope by scope, nearest first, oldest first within a scope, without tombstones. After a resume from a
   * snapshot, overwritten entries exist only for kinds whose board has `history`.
   */
  *entries(): Generator<Entry> {
    for (const { scope, bound } of this.views) {
      for (const entry of scope.entries(bound)) if (entry.value !== undefined) yield entry
    }
  }

  /** Returns the readable keys, nearest scope first, in the order of their latest entries. */
  keys(): string[] {
    return [...new Set(this.views.flatMap(({ scope, bound }) => scope.liveKeys(bound)))]
  }

  /** Returns all readable values as one object. */
  snapshot(): Record<string, Json> {
    const out: [string, Json][] = []
    for (const key of this.keys()) {
      const value = this.get(key)
      if (value !== undefined) out.push([key, value])
    }
    return Object.fromEntries(out)
  }
}
