import { quote } from '../../../text/index.ts'
import { isDelimiter, type Cursor } from './cursor.ts'
import type { Attribute, Provenance } from './graph.ts'
import type { Name, Names } from './names.ts'

const QUOTE = 34
const COMMA = 44
const MINUS = 45
const SEMICOLON = 59
const EQUALS = 61
const OPEN = 91
const CLOSE = 93
const OPEN_BRACE = 123
const CLOSE_BRACE = 125

/** Reads attributes: blocks in square brackets, and the statement `key = value`. */
export class Blocks {
  readonly #cursor: Cursor
  readonly #names: Names
  /** The number of places where only white space separates two attributes. */
  #commas = 0
  #firstComma = 0

  constructor(cursor: Cursor, names: Names) {
    this.#cursor = cursor
    this.#names = names
  }

  /** Reads all consecutive blocks here into the attributes. They replace existing values. */
  read(into: Map<string, Attribute>, provenance: Provenance): void {
    const cursor = this.#cursor
    const start = cursor.at
    for (let blocks = 0; cursor.next() === OPEN; blocks++) {
      const open = cursor.at++
      if (blocks > 0) cursor.checkStrict(open, cursor.at, 'a second block of attributes', 'write one block')
      this.#block(open, start, into, provenance)
    }
  }

  /** Reads `= value`; the cursor is at the `=`. It is a separate statement unless `start` is the start of a block. */
  assign(name: Name, into: Map<string, Attribute>, provenance: Provenance, start = name.from): void {
    const cursor = this.#cursor
    cursor.at++
    this.#names.check(name, 'key')
    const read = cursor.value()
    if (read === undefined) return
    const { value, from, to } = read
    this.#set(into, name, start, { value, provenance, keyAt: spanOf(name), valueAt: { from, to } })
    if (!isDelimiter(cursor.code()) && cursor.text.charCodeAt(to - 1) === QUOTE) this.#checkQuote(start === name.from ? ';}' : ',;]')
  }

  /** Reports missing commas, once for the whole text. */
  finish(): void {
    if (this.#commas === 0) return
    const more = this.#commas > 1 ? `, and at ${this.#commas - 1} further places` : ''
    const from = this.#firstComma
    this.#cursor.warn({
      code: 'R1105',
      from,
      to: from + 1,
      message: `no comma before this attribute${more}`,
      fix: '`reflex fmt` writes the commas',
    })
  }

  #block(open: number, start: number, into: Map<string, Attribute>, provenance: Provenance): void {
    const cursor = this.#cursor
    let isSeparated = true
    let empty = true
    cursor.swallowed = false
    for (;;) {
      const code = cursor.next()
      if (code === CLOSE) {
        if (empty || isSeparated) this.#reportSeparator(empty, open)
        cursor.at++
        return
      }
      if (code === COMMA || code === SEMICOLON) {
        if (code === SEMICOLON || isSeparated)
          cursor.checkStrict(cursor.at, cursor.at + 1, 'a separator that is not a single comma', 'separate attributes with one comma')
        isSeparated = true
        cursor.at++
        continue
      }
      const name = Number.isNaN(code) ? undefined : this.#names.read(code)
      if (name === undefined ? this.#skipUnreadable(open, code) : this.#isStatement(name, open)) return
      if (name === undefined) continue
      if (!isSeparated) this.#reportComma(name.from)
      this.#attribute(name, start, into, provenance)
      if (cursor.swallowed) return
      empty = false
      isSeparated = false
    }
  }

  #attribute(name: Name, start: number, into: Map<string, Attribute>, provenance: Provenance): void {
    const cursor = this.#cursor
    if (cursor.code() !== EQUALS && cursor.next() !== EQUALS) {
      this.#names.check(name, 'key')
      this.#set(into, name, start, { value: 'true', provenance, keyAt: spanOf(name), valueAt: undefined })
      return
    }
    this.assign(name, into, provenance, start)
  }

  /** Reports a word directly behind the closing quote of a value. The quote was probably meant to be in the text and needs a backslash. */
  #checkQuote(stops: string): void {
    const cursor = this.#cursor
    const code = cursor.code()
    if (!/[\p{L}\p{N}_'$]/u.test(cursor.text.charAt(cursor.at)) && code !== QUOTE) return
    const from = cursor.at - 1
    cursor.error({
      code: 'R1100',
      from,
      to: from + 1,
      message: 'this quote ends the text, but a word follows it directly',
      fix: 'inside a text write \\"',
    })
    cursor.recover(stops)
  }

  #set(into: Map<string, Attribute>, name: Name, start: number, attribute: Attribute): void {
    const before = into.size === 0 ? undefined : into.get(name.text)
    if (before?.keyAt !== undefined && before.keyAt.from >= start && before.provenance === attribute.provenance) {
      const message = `the attribute ${quote(name.text)} occurs twice here; the last one counts`
      this.#cursor.warn({ code: 'R1104', from: name.from, to: name.to, message, fix: 'remove one of the two' })
    }
    into.set(name.text, attribute)
  }

  #reportComma(from: number): void {
    if (this.#cursor.checkStrict(from, from + 1, 'no comma before this attribute', 'write a comma before it', 'R1105')) return
    if (this.#commas++ === 0) this.#firstComma = from
  }

  #reportSeparator(empty: boolean, open: number): void {
    const { at } = this.#cursor
    if (empty) this.#cursor.checkStrict(open, at + 1, 'a block without attributes', 'remove it')
    else this.#cursor.checkStrict(at, at + 1, 'a separator before the closing bracket', 'remove it')
  }

  /** True if a name begins the next statement, so that a closing bracket is missing. Moves the cursor back to the name in that case. */
  #isStatement(name: Name, open: number): boolean {
    const cursor = this.#cursor
    const code = cursor.next()
    if (code !== OPEN && code !== OPEN_BRACE && !(code === MINUS && (cursor.code(1) === 62 || cursor.code(1) === MINUS))) return false
    cursor.at = name.from
    this.#reportUnclosed(open)
    return true
  }

  /** Reports a character that is neither an attribute nor a separator. Returns true if it ends the block. */
  #skipUnreadable(open: number, code: number): boolean {
    const cursor = this.#cursor
    if (Number.isNaN(code) || code === OPEN_BRACE || code === CLOSE_BRACE) {
      this.#reportUnclosed(open)
      return true
    }
    const from = cursor.at++
    const shown = quote(cursor.text.slice(from, from + 1))
    cursor.error({
      code: 'R1100',
      from,
      to: from + 1,
      message: `${shown} is not allowed between attributes`,
      fix: 'put values in double quotes',
    })
    cursor.recover(',;]}')
    return false
  }

  /** Reports a block without an end. A brace at the outermost level with more text behind it was probably meant to be the bracket. */
  #reportUnclosed(open: number): void {
    const cursor = this.#cursor
    const brace = cursor.at
    if (cursor.code() === CLOSE_BRACE && cursor.depth === 1) {
      cursor.at++
      if (!Number.isNaN(cursor.next())) {
        cursor.error({
          code: 'R1100',
          from: brace,
          to: brace + 1,
          message: 'the attributes end with a bracket, not a brace',
          fix: 'write ]',
        })
        return
      }
      cursor.at = brace
    }
    cursor.swallowed = Number.isNaN(cursor.code())
    cursor.error({
      code: 'R1101',
      from: open,
      to: open + 1,
      message: 'the attributes that begin here are never closed',
      fix: 'close them with ]',
    })
  }
}

function spanOf(name: Name): { from: number; to: number } {
  return { from: name.from, to: name.to }
}
