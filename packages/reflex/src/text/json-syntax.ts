import { createScanner, printParseErrorCode } from 'jsonc-parser'
import type { ParseError } from 'jsonc-parser'
import { quote } from './printable.ts'
import { didYouMean, suggest } from './suggest.ts'

/** A syntax mistake in JSON: its place, a message, and a fix. */
export interface SyntaxMistake {
  readonly offset: number
  readonly length: number
  readonly message: string
  readonly note?: string | undefined
  readonly fix: string
}

/** The result of a first scan of the brackets, before any recursive function reads the text. */
export interface Brackets {
  /** The first bracket that is nested deeper than allowed. */
  readonly tooDeepAt: number | undefined
  /** The bracket that is most likely not closed, if any bracket is open at the end. */
  readonly unclosedAt: number | undefined
}

/** Kinds of token of jsonc-parser. Its own names are a const enum, which type stripping cannot import. */
const OPENING: readonly number[] = [1, 3]
const CLOSING: readonly number[] = [2, 4]
const END = 17

/**
 * Scans the brackets of a text without recursion. If one is not closed, the indentation shows which one: the first bracket whose apparent
 * end is on a line with less indentation than its own.
 */
export function scanBrackets(text: string, maxDepth: number): Brackets {
  const scanner = createScanner(text, true)
  const open: { offset: number; indent: number }[] = []
  let suspect: number | undefined
  let line = -1
  let indent = 0
  for (let token: number = scanner.scan(); token !== END; token = scanner.scan()) {
    const first = scanner.getTokenStartLine() !== line
    line = scanner.getTokenStartLine()
    if (first) indent = scanner.getTokenStartCharacter()
    if (OPENING.includes(token)) {
      open.push({ offset: scanner.getTokenOffset(), indent })
      if (open.length > maxDepth) return { tooDeepAt: scanner.getTokenOffset(), unclosedAt: undefined }
    } else if (CLOSING.includes(token)) {
      const opener = open.pop()
      if (first && opener !== undefined && indent < opener.indent) suspect ??= opener.offset
    }
  }
  const last = open.at(-1)
  return { tooDeepAt: undefined, unclosedAt: last === undefined ? undefined : (suspect ?? last.offset) }
}

/** Describes an error of the parser in our words. */
export function syntaxMistake(text: string, error: ParseError, brackets: Brackets): SyntaxMistake {
  const { offset, length } = error
  const atEnd = offset >= text.length
  const token = text.slice(offset, offset + Math.min(length, 40))
  const place = { offset, length: Math.max(1, length) }
  const code = printParseErrorCode(error.error)
  switch (code) {
    case 'InvalidSymbol':
      return { ...place, ...unknownWord(token) }
    case 'InvalidNumberFormat':
    case 'UnexpectedEndOfNumber':
      return {
        ...place,
        message: `${quote(token)} is not a number of JSON`,
        fix: 'write digits, with a sign, a point or an exponent where needed',
      }
    case 'PropertyNameExpected':
      return {
        ...place,
        message: 'a key in double quotes is missing here',
        fix: 'write the key in double quotes, or remove the comma before',
      }
    case 'ValueExpected':
      return {
        ...place,
        message: text.trim() === '' ? 'the text is empty' : 'a value is missing here',
        fix: 'write a value: text in double quotes, a number, true, false, null, [ or {',
      }
    case 'ColonExpected':
      return { ...place, message: 'a colon is missing between a key and its value', note: 'before this', fix: 'write : after the key' }
    case 'CommaExpected':
      return { ...place, message: 'a comma is missing', note: 'before this', fix: 'add a comma after the previous value' }
    case 'CloseBraceExpected':
    case 'CloseBracketExpected':
      return unclosedMistake(text, atEnd ? (brackets.unclosedAt ?? offset) : offset, place)
    case 'EndOfFileExpected':
      return {
        ...place,
        message: 'there is more text after the end of the value',
        fix: 'remove the text after it, or the bracket that closes too early',
      }
    default:
      return { ...place, ...brokenText(code, token) }
  }
}

function unclosedMistake(text: string, offset: number, place: { offset: number; length: number }): SyntaxMistake {
  const opener = text[offset]
  if (opener !== '{' && opener !== '[') return { ...place, message: 'a closing bracket is missing here', fix: 'write ] or }' }
  const closer = opener === '{' ? '}' : ']'
  return { offset, length: 1, message: `this ${opener} is never closed`, fix: `write ${closer} where it ends` }
}

const WORDS = ['true', 'false', 'null']

function unknownWord(token: string): { message: string; note?: string | undefined; fix: string } {
  if (/^['`“”‘’]/.test(token)) return { message: 'text must be in double quotes', fix: 'write " before and after it' }
  const guess = ['None', 'nil', 'undefined'].includes(token) ? 'null' : suggest(token, WORDS)
  return {
    message: `${quote(token)} is not a word of JSON`,
    note: didYouMean(guess),
    fix: guess === undefined ? 'write text in double quotes' : `write ${guess}`,
  }
}

function brokenText(code: string, token: string): { message: string; fix: string } {
  switch (code) {
    case 'UnexpectedEndOfString':
      return { message: 'the text is not closed on its line', fix: 'close it with ", and write a line break inside as \\n' }
    case 'InvalidUnicode':
    case 'InvalidEscapeCharacter':
      return {
        message: 'the character after the backslash cannot be escaped',
        fix: 'write \\\\ for a backslash; the known escapes are \\" \\/ \\b \\f \\n \\r \\t \\u0000',
      }
    case 'InvalidCharacter':
      return { message: 'there is a control character in a text', fix: 'write it as an escape, such as \\t or \\u0007' }
    case 'UnexpectedEndOfComment':
    case 'InvalidCommentToken':
      return { message: 'the comment is never closed', fix: 'close it with */' }
    default:
      return { message: `this cannot be read: ${quote(token)}`, fix: 'write JSON here' }
  }
}
