import { isUtf8 } from 'node:buffer'
import type { Json, JsonObject } from '../../../../kernel/index.ts'
import { LONGEST_TEXT } from './forms.ts'

/**
 * A value of Lua: nil, a boolean, an integer of 64 bits, a float, a string with one character for each byte, or a table.
 */
export type LuaValue = undefined | boolean | bigint | number | string | Table

/** A table of the board or of the event, which is never changed. */
export interface Table {
  readonly json: JsonObject | readonly Json[]
  /** The table that contains it, or the root that it was read from. */
  readonly of: Table | Root
  readonly key: string | number
}

type Root = 'bb' | 'ctx'

/** An error of Lua, with Lua's message. It is thrown inside an evaluation and is its result outside. */
export class LuaError extends Error {}

/** Returns the name of the type of a value, as `type` gives it. */
export function typeName(value: LuaValue): string {
  switch (typeof value) {
    case 'undefined':
      return 'nil'
    case 'bigint':
    case 'number':
      return 'number'
    case 'object':
      return 'table'
    default:
      return typeof value
  }
}

/** Returns the Lua value of a JSON value. An integral number up to 2^53 becomes an integer, and so does -0. */
export function fromJson(json: Json | undefined, of: Table | Root, key: string | number): LuaValue {
  switch (typeof json) {
    case 'number':
      return Number.isSafeInteger(json) ? BigInt(json) : json
    case 'string':
      return toBytes(checkedText(json))
    case 'object':
      return json === null ? undefined : { json, of, key }
    default:
      return json
  }
}

/**
 * Returns the JSON value of a Lua value; nil is null, and -0.0 is 0. Integers beyond 2^53 are rounded. NaN and infinities are kept: the board
 * refuses them. Throws a LuaError for a string that is not UTF-8.
 */
export function toJson(value: LuaValue): Json {
  switch (typeof value) {
    case 'undefined':
      return null
    case 'bigint':
      return Number(value)
    case 'number':
      return value + 0
    case 'string': {
      const text = fromBytes(value)
      if (text === undefined) throw new LuaError('the string is not UTF-8')
      return text
    }
    case 'object':
      return value.json
    default:
      return value
  }
}

const BEYOND_ASCII = /[^\0-\x7f]/

/** True for a string whose characters are its bytes. */
export function isAscii(text: string): boolean {
  return !BEYOND_ASCII.test(text)
}

/** Returns the UTF-8 bytes of a text, one character for each. */
export function toBytes(text: string): string {
  return isAscii(text) ? text : Buffer.from(text).toString('latin1')
}

/** Returns the text of UTF-8 bytes; undefined if they are not UTF-8. */
export function fromBytes(bytes: string): string | undefined {
  if (isAscii(bytes)) return bytes
  const buffer = Buffer.from(bytes, 'latin1')
  return isUtf8(buffer) ? buffer.toString() : undefined
}

/** Returns a string; throws a LuaError if it is longer than expressions handle. */
export function checkedText(text: string): string {
  if (text.length <= LONGEST_TEXT) return text
  throw new LuaError(`not enough memory: a condition handles strings of at most ${LONGEST_TEXT} characters`)
}

/** Returns the value of a field of a table. Fields that JavaScript adds to objects are nil. */
export function fieldOf(table: Table, key: LuaValue): LuaValue {
  const { json } = table
  if (isList(json)) {
    const place = typeof key === 'bigint' ? Number(key) : key
    return typeof place === 'number' ? fromJson(json[place - 1], table, place) : undefined
  }
  const name = typeof key === 'string' ? fromBytes(key) : undefined
  return name !== undefined && Object.hasOwn(json, name) ? fromJson(json[name], table, name) : undefined
}

/** Returns the length of a table: of a list without the nils at its end, and 0 for an object, whose keys are strings. */
export function lengthOf({ json }: Table): bigint {
  if (!isList(json)) return 0n
  let length = json.length
  while (length > 0 && json[length - 1] === null) length--
  return BigInt(length)
}

/**
 * True if two tables are read from the same place. Identity in JavaScript does not count: it is not the same after a replay from a snapshot.
 */
export function isSameTable(a: Table, b: Table): boolean {
  if (a.key !== b.key) return false
  return typeof a.of === 'string' || typeof b.of === 'string' ? a.of === b.of : isSameTable(a.of, b.of)
}

function isList(json: JsonObject | readonly Json[]): json is readonly Json[] {
  return Array.isArray(json)
}
