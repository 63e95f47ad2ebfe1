import { isNode, type BinaryOperator, type Expression } from './forms.ts'
import { literalNumber } from './literals.ts'
import { isName } from './tokens.ts'

/** The strength of each binary operator, as Lua has them: what it demands of its left and of its right operand. */
export const STRENGTH: Readonly<Record<BinaryOperator | '^', readonly [left: number, right: number]>> = {
  or: [1, 1],
  and: [2, 2],
  '<': [3, 3],
  '>': [3, 3],
  '<=': [3, 3],
  '>=': [3, 3],
  '~=': [3, 3],
  '==': [3, 3],
  '..': [9, 8],
  '+': [10, 10],
  '-': [10, 10],
  '*': [11, 11],
  '/': [11, 11],
  '//': [11, 11],
  '%': [11, 11],
  '^': [14, 13],
}
export const UNARY_STRENGTH = 12
const OPERAND = 15
const PREFIX = 16

/** Keys of the board that are read with `bb.get`, because the field has a function. */
export const BOARD_FUNCTIONS: ReadonlySet<string> = new Set(['get', 'set', 'has', 'delete'])

const UNARY = { not: 'not ', neg: '-', len: '#' }

/** Returns an expression as Lua. Parsing the text gives the same expression. */
export function text(expression: Expression): string {
  return printed(expression)[0]
}

/** Returns the text with its strength. */
function printed(expression: Expression): readonly [text: string, strength: number] {
  if (!isNode(expression)) return scalar(expression)
  switch (expression[0]) {
    case 'int':
    case 'float':
      return number(expression)
    case 'bytes':
      return [quoted(expression[1], ESCAPED_BYTES), OPERAND]
    case 'bb':
      return [`bb${field(expression[1])}`, PREFIX]
    case 'ctx':
      return [`ctx.${expression[1]}`, PREFIX]
    case 'get':
    case 'has':
      return [`bb.${expression[0]}(${quoted(expression[1], ESCAPED)})`, PREFIX]
    case 'index': {
      const [, of, key] = expression
      return [within(of, PREFIX) + (typeof key === 'string' ? field(key) : `[${text(key)}]`), PREFIX]
    }
    case 'call': {
      const [, name, ...parts] = expression
      return [`${name}(${parts.map(text).join(', ')})`, PREFIX]
    }
    case 'method': {
      const [, name, of, ...parts] = expression
      return [`${within(of, PREFIX)}:${name}(${parts.map(text).join(', ')})`, PREFIX]
    }
    case 'not':
    case 'neg':
    case 'len': {
      const operand = within(expression[1], UNARY_STRENGTH)
      return [`${UNARY[expression[0]]}${expression[0] === 'neg' && operand.startsWith('-') ? ' ' : ''}${operand}`, UNARY_STRENGTH]
    }
    default:
      return binary(expression)
  }
}

function scalar(literal: null | boolean | number | string): readonly [string, number] {
  if (typeof literal === 'number') return number(literal)
  if (typeof literal === 'string') return [quoted(literal, ESCAPED), OPERAND]
  return [literal === null ? 'nil' : String(literal), OPERAND]
}

function binary([operator, first, second]: readonly [BinaryOperator | '^', Expression, Expression]): readonly [string, number] {
  const [left, right] = STRENGTH[operator]
  // An operand binds at least as strongly as the side asks for; on the other side of its direction, more strongly.
  const isRightFirst = right < left
  const before = within(first, isRightFirst ? left + 1 : left)
  const after = within(second, isRightFirst ? right : right + 1)
  return [`${before} ${operator} ${after}`, Math.min(left, right)]
}

function within(expression: Expression, strength: number): string {
  const [inner, own] = printed(expression)
  return own >= strength ? inner : `(${inner})`
}

function field(key: string): string {
  return isName(key) ? `.${key}` : `[${quoted(key, ESCAPED)}]`
}

function number(literal: Expression): readonly [string, number] {
  const value = literalNumber(literal) ?? 0
  const isNegative = value < 0 || Object.is(value, -0)
  // The smallest integer is the negation of a number that is too large for an integer.
  if (value === -(2n ** 63n)) return ['math.mininteger', PREFIX]
  return [typeof value === 'bigint' ? String(value) : floatText(value), isNegative ? UNARY_STRENGTH : OPERAND]
}

function floatText(value: number): string {
  if (!Number.isFinite(value)) return value < 0 ? '-math.huge' : 'math.huge'
  const shortest = Object.is(value, -0) ? '-0' : String(value)
  return /^-?\d+$/.test(shortest) ? `${shortest}.0` : shortest
}

const ESCAPED = /["\\\0-\x1f\x7f]/g
const ESCAPED_BYTES = /["\\\0-\x1f\x7f-\xff]/g
const SHORT: Readonly<Record<string, string>> = { '"': '\\"', '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' }

function quoted(string: string, escaped: RegExp): string {
  return `"${string.replace(escaped, (char) => SHORT[char] ?? `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`)}"`
}
