import { quote } from '../printable.ts'
import { suggest } from '../suggest.ts'
import type { Token } from './tokens.ts'

/** A syntax mistake in an expression: its place, a message, and a fix. */
export interface ExpressionMistake {
  readonly offset: number
  readonly length: number
  readonly message: string
  readonly note?: string | undefined
  readonly fix: string
}

const OPENERS: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' }
const CLOSERS: readonly string[] = Object.values(OPENERS)
const UNARY: readonly string[] = ['-', '!']
const BINARY: readonly string[] = ['&&', '||', '==', '!=', '<', '<=', '>', '>=', '+', '-', '*', '/', '%', '?', ':', ',']

/**
 * Returns the first place at which the tokens are not a valid expression; undefined if there is none. The parser reports only how far it
 * got; this function reports what is expected there. It knows which tokens can follow each other, and which bracket closes which.
 */
export function findMistake(text: string, tokens: readonly Token[]): ExpressionMistake | undefined {
  const open: Token[] = []
  let wantsValue = true
  for (const [index, token] of tokens.entries()) {
    const before = tokens[index - 1]
    const mistake = token.kind === 'end' ? endMistake(token, open, wantsValue) : tokenMistake(text, token, before, wantsValue, open)
    if (mistake !== undefined) return mistake
    if (token.text in OPENERS && token.kind === 'sign') open.push(token)
    if (token.kind === 'sign' && CLOSERS.includes(token.text)) open.pop()
    wantsValue = wantsOperand(token, wantsValue)
  }
  return undefined
}

function wantsOperand(token: Token, wanted: boolean): boolean {
  if (token.kind === 'name' && token.text === 'in') return true
  if (token.kind !== 'sign') return false
  if (token.text === '.') return wanted
  return !CLOSERS.includes(token.text)
}

function tokenMistake(
  text: string,
  token: Token,
  before: Token | undefined,
  operand: boolean,
  open: readonly Token[],
): ExpressionMistake | undefined {
  const place = { offset: token.start, length: token.end - token.start }
  if (token.kind === 'unknown') return { ...place, ...unknownToken(text, token) }
  if (token.kind === 'sign' && CLOSERS.includes(token.text)) return closerMistake(token, before, operand, open.at(-1))
  const isField = before?.text === '.' && before.kind === 'sign'
  if (isField && token.kind !== 'name')
    return { ...place, message: `a name must follow the point, not ${quote(token.text)}`, fix: 'write the name of a field' }
  if (isField) return token.text === 'in' ? { ...place, message: '"in" cannot be a field', fix: 'write ["in"] instead of .in' } : undefined
  if (operand && RESERVED.includes(token.text))
    return {
      ...place,
      message: `${quote(token.text)} is a reserved word of CEL`,
      fix: `rename it, or reach it by the map that it is in, with [${quote(token.text)}]`,
    }
  const isOperator = token.kind === 'name' ? token.text === 'in' : token.kind === 'sign' && BINARY.includes(token.text)
  if (operand) return isOperator && !UNARY.includes(token.text) ? { ...place, ...noOperand(token, before) } : characterMistake(token)
  const follows = isOperator || (token.kind === 'sign' && ['.', '[', '(', '{'].includes(token.text))
  return follows ? undefined : { ...place, ...noOperator(token, before) }
}

const ESCAPE = /\\(?:U([0-9a-fA-F]{8})|u([0-9a-fA-F]{4})|[^])/g

/** Returns the first escape in a text literal that is not a character of Unicode. */
function characterMistake({ kind, text, start }: Token): ExpressionMistake | undefined {
  if (kind !== 'text' || /^[bBrR]/.test(text)) return undefined
  for (const { 0: escape, 1: long, 2: short, index } of text.matchAll(ESCAPE)) {
    const code = Number.parseInt(long ?? short ?? '0', 16)
    if (code < 0xd800 || (code > 0xdfff && code <= 0x10ffff)) continue
    const place = { offset: start + index, length: escape.length }
    return { ...place, message: `${escape} is not a character of Unicode`, fix: 'write the character, or its number up to \\U0010FFFF' }
  }
  return undefined
}

/** The reserved words of CEL. They are allowed as field names. */
const RESERVED: readonly string[] =
  'as break const continue else for function if import let loop namespace package return var void while'.split(' ')

/** Operators of other languages, each with the operator in CEL. */
const WORDS: ReadonlyMap<string, string> = new Map([
  ['and', '&&'],
  ['or', '||'],
  ['not', '!'],
  ['is', '=='],
  ['=', '=='],
  ['&', '&&'],
  ['|', '||'],
])

function unknownToken(text: string, token: Token): Omit<ExpressionMistake, 'offset' | 'length'> {
  if (token.text === '"' || token.text === "'") return { message: 'the text is never closed', fix: `close it with ${token.text}` }
  const operator = WORDS.get(token.text)
  if (operator !== undefined)
    return { message: `${quote(token.text)} is not an operator`, note: `did you mean ${operator}?`, fix: `write ${operator}` }
  if (token.text === '`' || /[“”‘’]/.test(token.text)) return { message: 'text must be in double or single quotes', fix: 'write " or \'' }
  return { message: `${quote(token.text)} has no meaning in an expression`, fix: text.length === 1 ? 'write an expression' : 'remove it' }
}

function noOperand(token: Token, before: Token | undefined): Omit<ExpressionMistake, 'offset' | 'length'> {
  if (token.text === '=' || (before?.text === '==' && token.text === '=')) return { message: 'there is no operator ===', fix: 'write ==' }
  const after = before === undefined ? 'at the start' : `after ${quote(before.text)}`
  return { message: `a value is missing ${after}, before ${quote(token.text)}`, fix: 'write a name, a number, a text in quotes, [ or (' }
}

function noOperator(token: Token, before: Token | undefined): Omit<ExpressionMistake, 'offset' | 'length'> {
  const asWord = WORDS.has(token.text.toLowerCase()) ? token.text : before?.text
  const operator = asWord === undefined ? undefined : WORDS.get(asWord.toLowerCase())
  if (operator !== undefined && asWord !== undefined)
    return { message: `${quote(asWord)} is not an operator`, note: `did you mean ${operator}?`, fix: `write ${operator}` }
  const word = token.kind === 'name' && suggest(token.text, ['in']) === 'in' ? 'in' : undefined
  return {
    message: `an operator is missing between ${quote(before?.text ?? '')} and ${quote(token.text)}`,
    ...(word === undefined ? {} : { note: 'did you mean in?' }),
    fix: 'join the two with an operator, such as &&, || or ==',
  }
}

function closerMistake(
  token: Token,
  before: Token | undefined,
  operand: boolean,
  opener: Token | undefined,
): ExpressionMistake | undefined {
  const place = { offset: token.start, length: 1 }
  if (opener === undefined) return { ...place, message: `this ${token.text} closes nothing`, fix: 'remove it, or open the bracket before' }
  const wanted = OPENERS[opener.text]
  if (token.text !== wanted) return { ...place, message: `${opener.text} is closed by ${token.text}`, fix: `write ${wanted}` }
  const isEmpty = before === opener
  const isTrailing = before?.text === ',' && token.text !== ')'
  if (!operand || isTrailing || isEmpty) return undefined
  return { ...place, message: `a value is missing before ${quote(token.text)}`, fix: 'write a name, a number, a text in quotes, [ or (' }
}

function endMistake(token: Token, open: readonly Token[], operand: boolean): ExpressionMistake | undefined {
  const opener = open.at(-1)
  if (opener !== undefined && (!operand || opener.end === token.start))
    return { offset: opener.start, length: 1, message: `this ${opener.text} is never closed`, fix: `write ${OPENERS[opener.text]}` }
  if (!operand) return undefined
  const empty = token.start === 0
  const message = empty ? 'the expression is empty' : 'a value is missing at the end of the expression'
  return { offset: token.start, length: 0, message, fix: empty ? 'write a condition, such as total >= 100' : 'write the value' }
}

/** Returns the first bracket that is nested deeper than `maxDepth`; undefined if there is none. */
export function findTooDeep(tokens: readonly Token[], maxDepth: number): Token | undefined {
  let depth = 0
  for (const token of tokens) {
    if (token.kind !== 'sign') continue
    if (token.text in OPENERS && ++depth > maxDepth) return token
    if (CLOSERS.includes(token.text)) depth--
  }
  return undefined
}
