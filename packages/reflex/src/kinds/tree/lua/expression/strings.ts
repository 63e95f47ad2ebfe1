import { quote } from '../../../../text/index.ts'
import { Mistake } from './mistake.ts'
import { toBytes } from './values.ts'

/** A string of a source with one character for each byte, and the offset behind it. */
export interface ReadString {
  readonly value: string
  readonly end: number
}

const LINE_END = /\r\n|\n\r|\n|\r/y
const ALL_LINE_ENDS = /\r\n|\n\r|\n|\r/g
const PLAIN = /[^"'\\\n\r]+/y
const BLANKS = /[ \f\n\r\t\v]*/y
const BYTE = /x([\da-fA-F]{2})/y
const CODE = /u\{([\da-fA-F]+)\}/y
const DECIMAL = /\d{1,3}/y
const SIMPLE: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  '"': '"',
  "'": "'",
}

/** Reads a string in quotes at its first quote. Throws a Mistake if it has no end or an unknown escape. */
export function readString(text: string, start: number): ReadString {
  const mark = text.charAt(start)
  const parts: string[] = []
  let at = start + 1
  while (text.charAt(at) !== mark) {
    const plain = match(PLAIN, text, at)
    if (plain !== undefined) {
      parts.push(toBytes(plain[0]))
      at += plain[0].length
    } else if (text.charAt(at) === '\\') {
      const escape = readEscape(text, at)
      parts.push(escape.value)
      at = escape.end
    } else {
      const other = text.charAt(at)
      if (other === '' || other === '\n' || other === '\r') throw new Mistake(start, at, 'this string has no end', `close it with ${mark}`)
      parts.push(other)
      at++
    }
  }
  return { value: parts.join(''), end: at + 1 }
}

/** Reads a long string or the body of a long comment at its first bracket. Throws a Mistake if it has no end. */
export function readLongString(text: string, start: number, bracket: number, what: 'string' | 'comment'): ReadString {
  const close = `]${'='.repeat(bracket - 2)}]`
  const end = text.indexOf(close, start + bracket)
  if (end < 0) throw new Mistake(start, start + bracket, `this ${what} has no end`, `close it with ${close}`)
  const from = start + bracket + (match(LINE_END, text, start + bracket)?.[0].length ?? 0)
  return { value: toBytes(text.slice(from, end).replace(ALL_LINE_ENDS, '\n')), end: end + close.length }
}

/** Reads the escape at a backslash. */
function readEscape(text: string, at: number): ReadString {
  const next = at + 1
  const simple = SIMPLE[text.charAt(next)]
  if (simple !== undefined) return { value: simple, end: next + 1 }
  const line = match(LINE_END, text, next)
  if (line !== undefined) return { value: '\n', end: next + line[0].length }
  if (text.charAt(next) === 'z') return { value: '', end: next + 1 + (match(BLANKS, text, next + 1)?.[0].length ?? 0) }
  const byte = match(BYTE, text, next)
  if (byte !== undefined) return { value: String.fromCharCode(Number.parseInt(byte[1] ?? '', 16)), end: next + 3 }
  const decimal = match(DECIMAL, text, next)
  if (decimal !== undefined && Number(decimal[0]) < 256)
    return { value: String.fromCharCode(Number(decimal[0])), end: next + decimal[0].length }
  const code = match(CODE, text, next)
  const point = Number.parseInt(code?.[1] ?? '', 16)
  if (code !== undefined && point < 2 ** 31) return { value: encodePoint(point), end: next + code[0].length }
  const shown = text.slice(at, next + (decimal?.[0].length ?? code?.[0].length ?? 1))
  throw new Mistake(at, at + shown.length, `${quote(shown)} is not an escape of Lua`, 'write \\\\ for a backslash')
}

/** Returns the bytes of a code point up to 2^31, as UTF-8 was first defined; Lua writes all of them. */
function encodePoint(point: number): string {
  if (point < 0x80) return String.fromCharCode(point)
  const bytes: number[] = []
  let rest = point
  let first = 0x3f
  do {
    bytes.unshift(0x80 | (rest & 0x3f))
    rest >>>= 6
    first >>= 1
  } while (rest > first)
  bytes.unshift(((~first << 1) & 0xff) | rest)
  return String.fromCharCode(...bytes)
}

function match(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at
  return pattern.exec(text) ?? undefined
}
