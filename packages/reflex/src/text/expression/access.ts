import type { Variables } from './code.ts'
import { Refusal, fromJson, keyOf, phraseOf, type Key, type ListValue, type MapValue, type Meter, type Value } from './values.ts'
import { printable, quote } from '../printable.ts'
import { suggest } from '../suggest.ts'

/** Returns the value of a variable. A variable that does not exist is refused with the message from `missing`. */
export function variable(variables: Variables, name: string, missing: (name: string) => string): Value | Refusal {
  if (variables.has(name)) return fromJson(variables.get(name))
  return new Refusal('absent', missing(name), () => suggest(name, variables.keys()))
}

/** All variables as a map, for names that the expression computes. */
export class AllVariables implements MapValue {
  readonly kind = 'map'
  readonly #variables: Variables

  constructor(variables: Variables) {
    this.#variables = variables
  }

  get size(): number {
    return this.keys().length
  }

  get(key: Key): Value | Refusal | undefined {
    return this.has(key) ? fromJson(this.#variables.get(String(key))) : undefined
  }

  has(key: Key): boolean {
    return typeof key === 'string' && this.#variables.has(key)
  }

  keys(): readonly string[] {
    return [...this.#variables.keys()]
  }
}

/** Returns the value of `owner.field`. `owner` is the text of the operand, for messages. */
export function fieldOf(value: Value, field: string, owner: string): Value | Refusal {
  return isMap(value) ? entryOf(value, field, owner, 'field') : noFields(value, field, owner)
}

/** Returns the value of `has(owner.field)`: true if the field exists, also with the value null. */
export function hasField(value: Value, field: string, owner: string): Value | Refusal {
  return isMap(value) ? value.has(field) : noFields(value, field, owner)
}

/** Returns the value of `owner[index]`, where `owner` is a list or an object. */
export function elementOf(value: Value, index: Value, owner: string, meter: Meter): Value | Refusal {
  if (typeof value === 'object' && value !== null && value.kind === 'list') return itemOf(value, index, owner)
  if (!isMap(value)) return new Refusal('field', `${owner} is ${phraseOf(value)} and has no elements`)
  const key = keyOf(index)
  if (key === undefined) return new Refusal('type', `a key of an object cannot be ${phraseOf(index)}`)
  return meter.spendKey(key) ?? entryOf(value, key, owner, 'key')
}

function isMap(value: Value): value is MapValue {
  return typeof value === 'object' && value !== null && value.kind === 'map'
}

function noFields(value: Value, field: string, owner: string): Refusal {
  return new Refusal('field', `${owner} is ${phraseOf(value)} and has no field ${quote(field)}`)
}

function entryOf(map: MapValue, key: Key, owner: string, what: 'field' | 'key'): Value | Refusal {
  const value = map.get(key)
  if (value !== undefined) return value
  if (typeof key !== 'string') return new Refusal('field', `no key ${key} in ${owner}`)
  return new Refusal('field', `no ${what} ${quote(key)} in ${owner}`, () =>
    suggest(
      key,
      map.keys().filter((name) => typeof name === 'string'),
    ),
  )
}

/** Returns a name as messages show it: unchanged, or in quotes if it is not a plain word. */
export function nameText(name: string): string {
  return /^[\w.$-]{1,100}$/.test(name) ? name : quote(name)
}

/** Returns a part of an expression as messages show it: on one line, at most 40 characters. */
export function partText(text: string): string {
  const part = printable(text.replace(/\s+/g, ' '))
  return part.length > 40 ? `${part.slice(0, 39)}…` : part
}

function itemOf(list: ListValue, index: Value, owner: string): Value | Refusal {
  const position = keyOf(index)
  if (typeof position !== 'bigint') return new Refusal('type', `the index of a list must be a whole number, not ${phraseOf(index)}`)
  if (position >= 0n && position < BigInt(list.size)) return list.at(Number(position))
  const contents = list.size === 0 ? 'is empty' : `has the elements 0 to ${list.size - 1}`
  return new Refusal('field', `no element ${position}: ${owner} ${contents}`)
}
