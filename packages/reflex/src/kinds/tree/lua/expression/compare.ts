import { toInteger } from './numbers.ts'
import { isSameTable, LuaError, typeName, type LuaValue } from './values.ts'

/** True if two values are equal. An integer and a float are equal if they are the same number; a string never equals a number. */
export function isEqual(a: LuaValue, b: LuaValue): boolean {
  if (a === b) return true
  if (typeof a === 'bigint') return typeof b === 'number' && isSameNumber(a, b)
  if (typeof b === 'bigint') return typeof a === 'number' && isSameNumber(b, a)
  return typeof a === 'object' && typeof b === 'object' && isSameTable(a, b)
}

function isSameNumber(integer: bigint, float: number): boolean {
  return toInteger(float) === integer
}

/** True if `a < b`: numbers by their exact value, strings by their bytes. Throws a LuaError for values without an order. */
export function isLess(a: LuaValue, b: LuaValue): boolean {
  if (isNumber(a) && isNumber(b)) return a < b
  if (typeof a === 'string' && typeof b === 'string') return a < b
  throw noOrder(a, b)
}

/** True if `a <= b`, as `isLess` compares. */
export function isAtMost(a: LuaValue, b: LuaValue): boolean {
  if (isNumber(a) && isNumber(b)) return a <= b
  if (typeof a === 'string' && typeof b === 'string') return a <= b
  throw noOrder(a, b)
}

function isNumber(value: LuaValue): value is bigint | number {
  return typeof value === 'number' || typeof value === 'bigint'
}

function noOrder(a: LuaValue, b: LuaValue): LuaError {
  const [first, second] = [typeName(a), typeName(b)]
  return new LuaError(first === second ? `attempt to compare two ${first} values` : `attempt to compare ${first} with ${second}`)
}
