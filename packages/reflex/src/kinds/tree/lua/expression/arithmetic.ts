import type { Arithmetic } from './forms.ts'
import { toNumber, toText } from './functions.ts'
import { wrap } from './numbers.ts'
import { checkedText, fieldOf, lengthOf, LuaError, typeName, type LuaValue } from './values.ts'

/** The names of two operands, as messages show them: ` (field 'count')`, or nothing. */
export interface OperandNames {
  readonly left: string
  readonly right: string
}

/** An operator on numbers. Without `integers`, integers become floats. `metamethod` is its name in the messages about strings. */
export interface NumberOperator {
  readonly metamethod: string
  readonly integers?: (a: bigint, b: bigint) => bigint
  readonly floats: (a: number, b: number) => number
}

export const OPERATORS: Readonly<Record<Arithmetic, NumberOperator>> = {
  '+': { metamethod: 'add', integers: (a, b) => wrap(a + b), floats: (a, b) => a + b },
  '-': { metamethod: 'sub', integers: (a, b) => wrap(a - b), floats: (a, b) => a - b },
  '*': { metamethod: 'mul', integers: (a, b) => wrap(a * b), floats: (a, b) => a * b },
  '/': { metamethod: 'div', floats: (a, b) => a / b },
  '//': { metamethod: 'idiv', integers: floorDivided, floats: (a, b) => Math.floor(a / b) },
  '%': { metamethod: 'mod', integers: integerRest, floats: floatRest },
}

export const SQUARE: NumberOperator = { metamethod: 'pow', floats: (a) => a * a }
export const NEGATE: NumberOperator = { metamethod: 'unm', integers: (a) => wrap(-a), floats: (a) => -a }

/** Applies an operator to two values; strings that are numbers count as numbers. Throws a LuaError for other values. */
export function applyOperator(operator: NumberOperator, a: LuaValue, b: LuaValue, names: OperandNames): bigint | number {
  const left = toNumber(a)
  const right = toNumber(b)
  if (left !== undefined && right !== undefined) {
    if (typeof left === 'bigint' && typeof right === 'bigint' && operator.integers !== undefined) return operator.integers(left, right)
    return operator.floats(Number(left), Number(right))
  }
  if (typeof a === 'string' || typeof b === 'string')
    throw new LuaError(`attempt to ${operator.metamethod} a '${typeName(a)}' with a '${typeName(b)}'`)
  throw wrongOperand('perform arithmetic on', left === undefined ? a : b, left === undefined ? names.left : names.right)
}

function floorDivided(a: bigint, b: bigint): bigint {
  if (b === 0n) throw new LuaError('attempt to divide by zero')
  const rest = a % b
  return wrap(rest !== 0n && rest < 0n !== b < 0n ? a / b - 1n : a / b)
}

function integerRest(a: bigint, b: bigint): bigint {
  if (b === 0n) throw new LuaError("attempt to perform 'n%0'")
  const rest = a % b
  return rest !== 0n && rest < 0n !== b < 0n ? rest + b : rest
}

function floatRest(a: number, b: number): number {
  const rest = a % b
  return (rest > 0 && b < 0) || (rest < 0 && b > 0) ? rest + b : rest
}

/** Joins two values as `..` does. Throws a LuaError for values that are neither strings nor numbers, and for a result that is too long. */
export function concatenate(a: LuaValue, b: LuaValue, names: OperandNames): string {
  if (!isText(a)) throw wrongOperand('concatenate', a, names.left)
  if (!isText(b)) throw wrongOperand('concatenate', b, names.right)
  return checkedText(toText(a) + toText(b))
}

function isText(value: LuaValue): boolean {
  return typeof value === 'string' || typeof value === 'bigint' || typeof value === 'number'
}

/** Returns the length of a string in bytes, or of a list. Throws a LuaError for other values. */
export function measure(value: LuaValue, name: string): bigint {
  if (typeof value === 'string') return BigInt(value.length)
  if (typeof value === 'object') return lengthOf(value)
  throw wrongOperand('get length of', value, name)
}

/** The functions that every string has as fields. */
const STRING_FIELDS = new Set(
  'byte char dump find format gmatch gsub len lower match pack packsize rep reverse sub unpack upper'.split(' '),
)

/** Returns a field of a table, or of a string. Throws a LuaError for other values. */
export function indexed(value: LuaValue, key: LuaValue, name: string): LuaValue {
  if (typeof value === 'object') return fieldOf(value, key)
  if (typeof value !== 'string') throw wrongOperand('index', value, name)
  if (typeof key === 'string' && STRING_FIELDS.has(key)) throw new LuaError(`a condition has no function values: '${key}' of a string`)
  return undefined
}

function wrongOperand(doing: string, value: LuaValue, name: string): LuaError {
  return new LuaError(`attempt to ${doing} a ${typeName(value)} value${name}`)
}
