import { quote } from '../../../../text/index.ts'
import { Mistake } from './mistake.ts'
import { parseNumber } from './numbers.ts'
import { readLongString, readString } from './strings.ts'

/** A token of Lua. `end` is the end of the text. The value of a string has one character for each byte. */
export type Token = { readonly start: number; readonly end: number; readonly text: string } & (
  | { readonly type: 'name' | 'keyword' | 'symbol' | 'end' }
  | { readonly type: 'number'; readonly value: bigint | number }
  | { readonly type: 'string'; readonly value: string }
)

const KEYWORDS = new Set(
  'and break do else elseif end false for function goto if in local nil not or repeat return then true until while'.split(' '),
)

const NAME = /[A-Za-z_][A-Za-z_\d]*/y
const NUMBER = /\.?\d/y
const NUMERAL = /0[xX](?:[pP][+-]?|[\da-fA-F.])*[A-Za-z_]?|(?:[eE][+-]?|[\da-fA-F.])*[A-Za-z_]?/y
const LONG_BRACKET = /\[=*\[/y
const SYMBOL = /\.\.\.|\.\.|==|~=|<=|>=|<<|>>|\/\/|::|[-+*/%^#&|~<>=(){}[\];:,.]/y
const SKIPPED = /(?:[ \f\n\r\t\v]|--(?!\[=*\[)[^\n\r]*)*/y

/** Words of other languages that are not Lua, with the fix. */
const FOREIGN: Readonly<Record<string, string>> = {
  '!=': 'write ~=',
  '&&': 'write and',
  '||': 'write or',
  '!': 'write not',
  '?': 'write a and b or c',
}

/** True for a name that is not a word of the language. */
export function isName(text: string): boolean {
  return /^[A-Za-z_][A-Za-z_\d]*$/.test(text) && !KEYWORDS.has(text)
}

/** Returns the tokens of a text, the last of which is its end. Throws a Mistake for a text that is not made of tokens of Lua. */
export function tokensOf(text: string): Token[] {
  const tokens: Token[] = []
  let at = skipBlanks(text, 0)
  while (at < text.length) {
    const token = tokenAt(text, at)
    tokens.push(token)
    at = skipBlanks(text, token.end)
  }
  tokens.push({ type: 'end', text: '', start: at, end: at })
  return tokens
}

function skipBlanks(text: string, from: number): number {
  let at = from + match(SKIPPED, text, from).length
  while (text.startsWith('--[', at) && match(LONG_BRACKET, text, at + 2) !== '') {
    at = readLongString(text, at + 2, match(LONG_BRACKET, text, at + 2).length, 'comment').end
    at += match(SKIPPED, text, at).length
  }
  return at
}

function tokenAt(text: string, start: number): Token {
  const name = match(NAME, text, start)
  if (name !== '') return { type: KEYWORDS.has(name) ? 'keyword' : 'name', text: name, start, end: start + name.length }
  if (match(NUMBER, text, start) !== '') return numberAt(text, start)
  const first = text.charAt(start)
  if (first === '"' || first === "'") return stringToken(text, start, readString(text, start))
  const bracket = match(LONG_BRACKET, text, start)
  if (bracket !== '') return stringToken(text, start, readLongString(text, start, bracket.length, 'string'))
  if (text.startsWith('[=', start))
    throw new Mistake(start, start + 2, '"[=" does not begin a string', 'write [=[ … ]=], or a string in quotes')
  const foreign = [text.slice(start, start + 2), first].find((word) => Object.hasOwn(FOREIGN, word))
  if (foreign !== undefined) throw new Mistake(start, start + foreign.length, `Lua has no ${foreign}`, FOREIGN[foreign] ?? '')
  const symbol = match(SYMBOL, text, start)
  if (symbol !== '') return { type: 'symbol', text: symbol, start, end: start + symbol.length }
  const character = String.fromCodePoint(text.codePointAt(start) ?? 0)
  throw new Mistake(start, start + character.length, `${quote(character)} has no meaning in Lua`, 'remove it, or write it in a string')
}

function numberAt(text: string, start: number): Token {
  const numeral = match(NUMERAL, text, start)
  const end = start + numeral.length
  const value = parseNumber(numeral)
  if (value === undefined) throw new Mistake(start, end, `${quote(numeral)} is not a number`, 'write a number such as 12, 0.5, 1e3 or 0xff')
  return { type: 'number', text: numeral, value, start, end }
}

function stringToken(text: string, start: number, { value, end }: { value: string; end: number }): Token {
  return { type: 'string', text: text.slice(start, end), value, start, end }
}

/** Returns the match of a sticky pattern at an offset; an empty text if there is none. */
function match(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0] ?? ''
}
