import { isNode, type Expression, type Literal } from './forms.ts'
import { wrap } from './numbers.ts'
import { fromBytes, toBytes, type LuaValue } from './values.ts'

/** Returns the literal of a value that is not a table. */
export function literalOf(value: Exclude<LuaValue, object>): Literal {
  switch (typeof value) {
    case 'undefined':
      return null
    case 'bigint':
      return Number.isSafeInteger(Number(value)) ? Number(value) : ['int', String(value)]
    case 'number':
      if (Object.is(value, -0)) return ['float', '-0']
      if (!Number.isFinite(value)) return ['float', value < 0 ? '-inf' : 'inf']
      return Number.isSafeInteger(value) ? ['float', value] : value
    case 'string': {
      const text = fromBytes(value)
      return text ?? ['bytes', value]
    }
    default:
      return value
  }
}

/** Returns the value of a literal, or `{ literal: false }` for any other expression. */
export function literalValue(expression: Expression): { literal: true; value: Exclude<LuaValue, object> } | { literal: false } {
  if (!isNode(expression)) {
    if (expression === null) return { literal: true, value: undefined }
    if (typeof expression === 'number') return { literal: true, value: Number.isSafeInteger(expression) ? BigInt(expression) : expression }
    return { literal: true, value: typeof expression === 'string' ? toBytes(expression) : expression }
  }
  switch (expression[0]) {
    case 'int':
      return { literal: true, value: BigInt(expression[1]) }
    case 'float':
      return { literal: true, value: FLOATS[expression[1]] ?? Number(expression[1]) }
    case 'bytes':
      return { literal: true, value: expression[1] }
    default:
      return { literal: false }
  }
}

const FLOATS: Readonly<Record<string | number, number>> = { '-0': -0, inf: Infinity, '-inf': -Infinity }

/** The constants of `math`, which are literals. */
export const CONSTANTS: ReadonlyMap<string, Literal> = new Map<string, Literal>([
  ['math.huge', ['float', 'inf']],
  ['math.maxinteger', ['int', '9223372036854775807']],
  ['math.mininteger', ['int', '-9223372036854775808']],
  ['math.pi', Math.PI],
])

/** Returns the number of a literal; undefined for any other expression. */
export function literalNumber(expression: Expression): bigint | number | undefined {
  const read = literalValue(expression)
  return read.literal && (typeof read.value === 'bigint' || typeof read.value === 'number') ? read.value : undefined
}

/** Returns the negation of an expression; that of a number is a literal. */
export function negated(expression: Expression): Expression {
  const number = literalNumber(expression)
  if (number === undefined) return ['neg', expression]
  return literalOf(typeof number === 'bigint' ? wrap(-number) : -number)
}

/** Returns a power; undefined if its last digit depends on the machine. */
export function powerOf(base: Expression, exponent: Expression): Expression | undefined {
  const [number, times] = [literalNumber(base), literalNumber(exponent)]
  if (times === undefined) return undefined
  const exact = number === undefined ? undefined : exactPower(Number(number), Number(times))
  if (exact !== undefined) return literalOf(exact)
  return Number(times) === 2 ? ['^', base, 2] : undefined
}

/** Returns a power with a whole exponent from 0 to 1023 if its result needs no rounding. */
function exactPower(base: number, exponent: number): number | undefined {
  if (!Number.isInteger(exponent) || exponent < 0 || exponent > 1023 || !Number.isFinite(base) || Object.is(base, -0)) return undefined
  let result = 1n
  const [odd, twos] = oddPart(base)
  for (let times = 0; times < exponent; times++) {
    result *= odd
    if (result > MAX_EXACT || result < -MAX_EXACT) return undefined
  }
  const power = Number(result) * 2 ** (twos * exponent)
  return Number.isFinite(power) && (odd === 0n || Math.abs(power) >= 2 ** -1022) ? power : undefined
}

const MAX_EXACT = 2n ** 53n

/** Splits a finite number into an odd whole number and the exponent of a power of 2. */
function oddPart(number: number): [odd: bigint, twos: number] {
  let [odd, twos] = [number, 0]
  while (!Number.isInteger(odd)) [odd, twos] = [odd * 2, twos - 1]
  while (odd !== 0 && odd % 2 === 0) [odd, twos] = [odd / 2, twos + 1]
  return [BigInt(odd), twos]
}
