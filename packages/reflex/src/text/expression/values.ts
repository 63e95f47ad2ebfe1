import type { Json } from '../../kernel/index.ts'
import { PATTERN_CACHE_SIZE } from '../linear-pattern.ts'
import { Duration, Timestamp } from './time.ts'

/** The reason why an expression has no value. */
export type FailureReason = 'absent' | 'field' | 'type' | 'range' | 'steps' | 'function'

/** The failure of an operation. It has no place until `withPlace` adds one. */
export class Refusal {
  readonly reason: FailureReason
  readonly message: string
  /** Returns the name that was probably meant. It compares with every name, so it is called only for the failure that is reported. */
  readonly guess: (() => string | undefined) | undefined
  /** The span of the text that failed; `offset` is -1 until it is known. */
  offset = -1
  length = 0

  constructor(reason: FailureReason, message: string, guess?: () => string | undefined) {
    this.reason = reason
    this.message = message
    this.guess = guess
  }
}

/** A list: from JSON, with elements read on demand, or computed by the expression. */
export interface ListValue {
  readonly kind: 'list'
  readonly size: number
  at(index: number): Value | Refusal
}

/** A map: an object of JSON, all variables, or computed by the expression. */
export interface MapValue {
  readonly kind: 'map'
  readonly size: number
  /** Returns undefined if the key does not exist. */
  get(key: Key): Value | Refusal | undefined
  has(key: Key): boolean
  keys(): readonly Key[]
}

export type Key = string | bigint | boolean

/** A value inside an expression: whole numbers are bigint, all others number. */
export type Value = null | boolean | bigint | number | string | ListValue | MapValue | Timestamp | Duration

/** Counts the steps of an evaluation. Each operation pays before it works. */
export class Meter {
  #left: number
  readonly #total: number
  readonly #patterns = new Set<string>()

  constructor(steps: number) {
    this.#left = steps
    this.#total = steps
  }

  /** The number of steps that were spent, at most the total. */
  get spent(): number {
    return this.#total - Math.max(0, this.#left)
  }

  /** Takes steps. Returns the refusal if none are left, otherwise undefined. */
  spend(steps: number): Refusal | undefined {
    this.#left -= steps
    return this.#left < 0 ? new Refusal('steps', 'too much to compute: the expression has used all its steps') : undefined
  }

  /** Takes the steps for looking up a key in a map: the text of the key is read to its end. */
  spendKey(key: Key): Refusal | undefined {
    return typeof key === 'string' ? this.spend(key.length / 100) : undefined
  }

  /** True if this evaluation must pay for compiling a pattern. A recently used pattern is paid for only once. */
  needsCompile(pattern: string): boolean {
    if (this.#patterns.has(pattern)) return false
    if (this.#patterns.size >= PATTERN_CACHE_SIZE) this.#patterns.clear()
    this.#patterns.add(pattern)
    return true
  }
}

/** Returns a JSON value as an expression sees it, without a copy: safe integers become whole numbers; objects and lists are wrapped. */
export function fromJson(raw: unknown): Value | Refusal {
  switch (typeof raw) {
    case 'string':
    case 'boolean':
      return raw
    case 'number':
      return Number.isSafeInteger(raw) ? BigInt(raw) : raw
    case 'object':
      if (raw === null) return null
      return Array.isArray(raw) ? new JsonList(raw) : new JsonMap(raw as Readonly<Record<string, unknown>>)
    default:
      return new Refusal('type', `the value is not JSON but ${typeof raw === 'undefined' ? 'undefined' : `a ${typeof raw}`}`)
  }
}

class JsonList implements ListValue {
  readonly kind = 'list'
  readonly #items: readonly unknown[]

  constructor(items: readonly unknown[]) {
    this.#items = items
  }

  get size(): number {
    return this.#items.length
  }

  at(index: number): Value | Refusal {
    return fromJson(this.#items[index])
  }
}

/** An object of JSON as a map. It has only the own keys of the object, no inherited keys. */
class JsonMap implements MapValue {
  readonly kind = 'map'
  readonly #object: Readonly<Record<string, unknown>>

  constructor(object: Readonly<Record<string, unknown>>) {
    this.#object = object
  }

  get size(): number {
    return Object.keys(this.#object).length
  }

  get(key: Key): Value | Refusal | undefined {
    return this.has(key) ? fromJson(this.#object[String(key)]) : undefined
  }

  has(key: Key): boolean {
    return typeof key === 'string' && Object.hasOwn(this.#object, key)
  }

  keys(): readonly string[] {
    return Object.keys(this.#object)
  }
}

/** A list that the expression computed. */
export class ComputedList implements ListValue {
  readonly kind = 'list'
  readonly #items: readonly Value[]

  constructor(items: readonly Value[]) {
    this.#items = items
  }

  get size(): number {
    return this.#items.length
  }

  at(index: number): Value {
    return this.#items[index] ?? null
  }
}

/** A map that the expression computed. */
export class ComputedMap implements MapValue {
  readonly kind = 'map'
  readonly #entries: ReadonlyMap<Key, Value>

  constructor(entries: ReadonlyMap<Key, Value>) {
    this.#entries = entries
  }

  get size(): number {
    return this.#entries.size
  }

  get(key: Key): Value | undefined {
    return this.#entries.get(key)
  }

  has(key: Key): boolean {
    return this.#entries.has(key)
  }

  keys(): readonly Key[] {
    return [...this.#entries.keys()]
  }
}

/** Returns a value as a key of a map. A double with a whole value counts as that whole number, because CEL compares numbers by value. */
export function keyOf(value: Value): Key | undefined {
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : undefined
  return typeof value === 'string' || typeof value === 'bigint' || typeof value === 'boolean' ? value : undefined
}

/** The types of values, under their names in messages. */
export type TypeName = 'text' | 'number' | 'boolean' | 'null' | 'list' | 'map' | 'timestamp' | 'duration'

export function typeNameOf(value: Value): TypeName {
  switch (typeof value) {
    case 'string':
      return 'text'
    case 'bigint':
    case 'number':
      return 'number'
    case 'boolean':
      return 'boolean'
    default:
      return value === null ? 'null' : value.kind
  }
}

export function isNumber(value: Value): value is bigint | number {
  return typeof value === 'bigint' || typeof value === 'number'
}

const PHRASES: Readonly<Record<TypeName, string>> = {
  text: 'text',
  number: 'a number',
  boolean: 'true or false',
  null: 'null',
  list: 'a list',
  map: 'an object',
  timestamp: 'a time',
  duration: 'a duration',
}

/** Returns a type as messages name it: `text`, `a number`, `true or false`. */
export function typePhrase(type: TypeName): string {
  return PHRASES[type]
}

/** Returns the type of a value as messages name it. */
export function phraseOf(value: Value): string {
  return typePhrase(typeNameOf(value))
}

/**
 * Returns a value as JSON. Refuses values that JSON cannot hold exactly: integers beyond 2^53, NaN, and maps with keys that are not texts.
 */
export function toJson(value: Value | Refusal, meter: Meter): Json | Refusal {
  if (typeof value === 'number') return Number.isFinite(value) ? value + 0 : new Refusal('range', `${value} is not a number of JSON`)
  if (typeof value === 'bigint') {
    const number = Number(value)
    return Number.isSafeInteger(number) ? number : new Refusal('range', `JSON cannot hold ${value} exactly`)
  }
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof Refusal) return value
  if (value instanceof Timestamp || value instanceof Duration) return value.text()
  return value.kind === 'list' ? listJson(value, meter) : mapJson(value, meter)
}

function listJson(list: ListValue, meter: Meter): Json | Refusal {
  const items: Json[] = []
  for (let i = 0; i < list.size; i++) {
    const item = meter.spend(1) ?? toJson(list.at(i), meter)
    if (item instanceof Refusal) return item
    items.push(item)
  }
  return items
}

function mapJson(map: MapValue, meter: Meter): Json | Refusal {
  const entries: [string, Json][] = []
  for (const key of map.keys()) {
    if (typeof key !== 'string') return new Refusal('type', `a key of JSON must be a text, not ${key}`)
    const item = meter.spend(1) ?? toJson(map.get(key) ?? null, meter)
    if (item instanceof Refusal) return item
    entries.push([key, item])
  }
  return Object.fromEntries(entries)
}
