import type { FunctionName, MethodName } from './forms.ts'
import { isLess } from './compare.ts'
import { numberText, parseNumber, toInteger, wrap } from './numbers.ts'
import { checkedText, isAscii, LuaError, typeName, type LuaValue } from './values.ts'

type Arguments = readonly LuaValue[]

/** A function of expressions: its most arguments, and its value. `name` and `shift` are for messages: a method counts from its second argument. */
interface LuaFunction {
  readonly most: number
  call(given: Arguments, name: string, shift: number): LuaValue
}

const MANY = 100

const STRING_FUNCTIONS: Readonly<Record<MethodName, LuaFunction>> = {
  len: { most: 1, call: (given, name, shift) => BigInt(stringAt(given, 0, name, shift).length) },
  lower: { most: 1, call: (given, name, shift) => lowered(stringAt(given, 0, name, shift)) },
  upper: { most: 1, call: (given, name, shift) => raised(stringAt(given, 0, name, shift)) },
  sub: { most: 3, call: part },
}

/** The functions of expressions, all of them. Their values and errors are those of Lua 5.4. */
const FUNCTIONS: Readonly<Record<FunctionName, LuaFunction>> = {
  type: { most: 1, call: (given, name) => typeName(anyAt(given, name)) },
  tostring: { most: 1, call: (given, name) => toText(anyAt(given, name)) },
  tonumber: { most: 1, call: (given, name) => toNumber(anyAt(given, name)) },
  'math.floor': { most: 1, call: (given, name) => rounded(given, name, Math.floor) },
  'math.ceil': { most: 1, call: (given, name) => rounded(given, name, Math.ceil) },
  'math.abs': { most: 1, call: absolute },
  'math.min': { most: MANY, call: (given, name) => extreme(given, name, (value, best) => isLess(value, best)) },
  'math.max': { most: MANY, call: (given, name) => extreme(given, name, (value, best) => isLess(best, value)) },
  'string.len': STRING_FUNCTIONS.len,
  'string.lower': STRING_FUNCTIONS.lower,
  'string.upper': STRING_FUNCTIONS.upper,
  'string.sub': STRING_FUNCTIONS.sub,
}

/** Returns a function by its full name; undefined if expressions do not have it. */
export function functionNamed(name: string): { readonly name: FunctionName; readonly most: number } | undefined {
  const known = (Object.keys(FUNCTIONS) as FunctionName[]).find((each) => each === name)
  return known && { name: known, most: FUNCTIONS[known].most }
}

/** Returns a method of strings by its name, with the most arguments behind the string; undefined if expressions do not have it. */
export function methodNamed(name: string): { readonly name: MethodName; readonly most: number } | undefined {
  const known = (Object.keys(STRING_FUNCTIONS) as MethodName[]).find((each) => each === name)
  return known && { name: known, most: STRING_FUNCTIONS[known].most - 1 }
}

/** Calls a function. Throws a LuaError for arguments that it does not take. */
export function callFunction(name: FunctionName, given: Arguments): LuaValue {
  return FUNCTIONS[name].call(given, name.slice(name.indexOf('.') + 1), 0)
}

/** Calls a method of a string, which is the first argument. Throws a LuaError for arguments that it does not take. */
export function callMethod(name: MethodName, given: Arguments): LuaValue {
  return STRING_FUNCTIONS[name].call(given, name, 1)
}

/** Returns a value as text, as `tostring` does. All tables have the same text, because an address is not the same in a replay. */
export function toText(value: LuaValue): string {
  switch (typeof value) {
    case 'undefined':
      return 'nil'
    case 'boolean':
      return String(value)
    case 'string':
      return value
    case 'object':
      return 'table'
    default:
      return numberText(value)
  }
}

/** Returns a number, or the number that a string is; undefined for everything else. */
export function toNumber(value: LuaValue): bigint | number | undefined {
  if (typeof value === 'string') return parseNumber(value)
  return typeof value === 'bigint' || typeof value === 'number' ? value : undefined
}

function rounded(given: Arguments, name: string, round: (float: number) => number): bigint | number {
  const [value] = given
  if (typeof value === 'bigint') return value
  const float = round(floatAt(given, name))
  return toInteger(float) ?? float
}

function absolute(given: Arguments, name: string): bigint | number {
  const [value] = given
  if (typeof value === 'bigint') return wrap(value < 0n ? -value : value)
  return Math.abs(floatAt(given, name))
}

function extreme(given: Arguments, name: string, isBetter: (value: LuaValue, best: LuaValue) => boolean): LuaValue {
  return given.slice(1).reduce((best, value) => (isBetter(value, best) ? value : best), anyAt(given, name))
}

/** Changes the letters of ASCII; the bytes of other letters stay. */
function lowered(bytes: string): string {
  return isAscii(bytes) ? bytes.toLowerCase() : bytes.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

function raised(bytes: string): string {
  return isAscii(bytes) ? bytes.toUpperCase() : bytes.replace(/[a-z]+/g, (letters) => letters.toUpperCase())
}

function part(given: Arguments, name: string, shift: number): string {
  const text = stringAt(given, 0, name, shift)
  const start = integerAt(given, 1, name, shift)
  const end = given[2] === undefined ? -1 : integerAt(given, 2, name, shift)
  const from = start < 0 ? Math.max(text.length + start, 0) : Math.max(start - 1, 0)
  const to = end < 0 ? text.length + end + 1 : Math.min(end, text.length)
  return from < to ? text.slice(from, to) : ''
}

function anyAt(given: Arguments, name: string): LuaValue {
  if (given.length === 0) throw badArgument(1, name, 'value expected')
  return given[0]
}

function floatAt(given: Arguments, name: string): number {
  const number = toNumber(given[0])
  if (number === undefined) throw wrongType(given, 0, name, 0, 'number')
  return Number(number)
}

/** Returns an integer as a number. One beyond 2^53 is rounded, which is beyond the end of every string. */
function integerAt(given: Arguments, place: number, name: string, shift: number): number {
  const number = toNumber(given[place])
  if (number === undefined) throw wrongType(given, place, name, shift, 'number')
  if (typeof number === 'bigint' || toInteger(number) !== undefined) return Number(number)
  throw badArgument(place + 1 - shift, name, 'number has no integer representation')
}

function stringAt(given: Arguments, place: number, name: string, shift: number): string {
  const value = given[place]
  if (typeof value === 'string') return value
  if (typeof value === 'bigint' || typeof value === 'number') return checkedText(numberText(value))
  throw wrongType(given, place, name, shift, 'string')
}

function wrongType(given: Arguments, place: number, name: string, shift: number, expected: string): LuaError {
  const got = place < given.length ? typeName(given[place]) : 'no value'
  return badArgument(place + 1 - shift, name, `${expected} expected, got ${got}`)
}

function badArgument(place: number, name: string, problem: string): LuaError {
  return new LuaError(`bad argument #${place} to '${name}' (${problem})`)
}
