import { quote } from '../../../text/index.ts'
import type { AttributeValue } from './graph.ts'
import { bareValue } from './literal.ts'
import { bareEnd, identifierEnd, lineEnd, skipBlank, stringEnd, unescapeText } from './scan.ts'
import type { DotProblem, DotProblems } from './problems.ts'

const SPACE = 32
const QUOTE = 34
const STAR = 42
const COMMA = 44
const SLASH = 47
const SEMICOLON = 59
const LESS = 60
const GREATER = 62
const OPEN = 91
const CLOSE = 93
const OPEN_BRACE = 123
const CLOSE_BRACE = 125

/** The reading mode, from the options of the parser. */
interface ReadMode {
  /** True to continue after an error. */
  readonly accumulate: boolean
  readonly strict: boolean
}

/** A value with the offsets of its start and end. */
export interface ReadValue {
  readonly value: AttributeValue
  readonly from: number
  readonly to: number
}

/** A position in a text that only moves forward, over blanks, texts and values. It reports a problem for each part that cannot be read. */
export class Cursor {
  readonly text: string
  at = 0
  /** True after an error has ended the reading; no more problems are reported. */
  stopped = false
  /** The number of open braces, including the brace of the graph. */
  depth = 0
  /** True if the last text, comment or block has no end. A bracket or brace inside it is then not reported as missing. */
  swallowed = false
  readonly #problems: DotProblems
  readonly #mode: ReadMode
  /** The start of the first text without an end. Every text that begins behind it has no end either. */
  #unclosedFrom = Infinity
  #htmlIsOpen = false

  constructor(text: string, problems: DotProblems, mode: ReadMode) {
    this.text = text
    this.#problems = problems
    this.#mode = mode
  }

  /** Moves to the next word or mark. Returns its first character code, or NaN at the end of the text. */
  next(): number {
    const at = skipBlank(this.text, this.at)
    if (at >= 0) {
      this.at = at
      return this.text.charCodeAt(at)
    }
    const from = -1 - at
    this.at = this.text.length
    this.swallowed = true
    this.error({ code: 'R1101', from, to: from + 2, message: 'this comment is never closed', fix: 'close it with */' })
    return Number.NaN
  }

  /** Returns the character code at a distance, without moving. */
  code(ahead = 0): number {
    return this.text.charCodeAt(this.at + ahead)
  }

  error(problem: DotProblem): void {
    if (this.stopped) return
    this.#problems.add(problem)
    if (this.#mode.accumulate) return
    this.stopped = true
    this.at = this.text.length
  }

  warn(problem: DotProblem): void {
    if (!this.stopped) this.#problems.add(problem)
  }

  /**
   * Reports syntax that real files use but the grammar of the seed does not have. Returns true in the strict grammar, where it is an error.
   */
  checkStrict(from: number, to: number, message: string, fix: string, code: DotProblem['code'] = 'R1100'): boolean {
    if (this.#mode.strict) this.error({ code, from, to, message: `${message} (strict grammar)`, fix, severity: 'error' })
    return this.#mode.strict
  }

  /** Reads the text that opens here. A text that never closes, or closes only at the quote that opens the next text, ends with its line. */
  string(): string {
    const from = this.at
    const end = this.stringEnd(from)
    if (end >= 0 && !this.#endsAtNextQuote(from, end)) {
      this.at = end
      return unescapeText(this.text.slice(from + 1, end - 1))
    }
    const to = lineEnd(this.text, from)
    this.at = to
    this.swallowed = true
    this.error({ code: 'R1101', from, to: from + 1, message: 'this text is never closed', fix: 'close it with "' })
    return unescapeText(this.text.slice(from + 1, to))
  }

  /** True if a text of several lines ends with `key =` and a quote that touches a word. That quote was meant to open another text. */
  #endsAtNextQuote(from: number, end: number): boolean {
    if (isDelimiter(this.text.charCodeAt(end))) return false
    return ASSIGNS.test(this.text.slice(Math.max(from, end - 80), end - 1)) && /[\r\n]/.test(this.text.slice(from, end))
  }

  /** Returns the same as `stringEnd` of the scanner, but searches for a missing end only once in a text. */
  stringEnd(from: number): number {
    if (from >= this.#unclosedFrom) return -1
    const end = stringEnd(this.text, from)
    if (end < 0) this.#unclosedFrom = from
    return end
  }

  /** Reads the value behind a `=`. Returns undefined, with an error, if there is none. */
  value(): ReadValue | undefined {
    const code = this.next()
    const from = this.at
    if (code === QUOTE) return { value: this.string(), from, to: this.at }
    if (code === LESS) return this.#html(from)
    const to = bareEnd(this.text, from)
    const word = this.text.slice(from, to)
    if (to === from) {
      const message = 'a value is missing here'
      this.error({ code: 'R1100', from, to: from + 1, message, fix: 'write a value, in double quotes unless it is one word' })
      return undefined
    }
    this.at = to
    if (identifierEnd(this.text, from) < to && !PLAIN.test(word)) this.#checkWord(word, from, to)
    return { value: bareValue(word), from, to }
  }

  #checkWord(word: string, from: number, to: number): void {
    if (!CURLY_QUOTES.test(word)) {
      this.checkStrict(from, to, `the value ${quote(word)} is not in quotes`, 'put it in double quotes')
      return
    }
    let end = from + 1
    while (!ENDS_CURLY.test(this.text.charAt(end))) end++
    this.at = CURLY_QUOTES.test(this.text.charAt(end)) ? end + 1 : to
    this.error({ code: 'R1100', from, to: this.at, message: 'typographic quotes do not open a text', fix: 'write straight quotes: "' })
  }

  #html(from: number): ReadValue {
    const end = this.#htmlEnd(from)
    this.at = end
    this.error({ code: 'R1102', from, to: end, message: 'pipelines do not support HTML values', fix: 'write the text in double quotes' })
    return { value: this.text.slice(from, end), from, to: end }
  }

  /**
   * Returns the offset behind the closing bracket, ignoring arrows; the end of the line if no bracket closes. It searches for a missing
   * bracket only once in a text.
   */
  #htmlEnd(from: number): number {
    let open = 0
    for (let at = from; !this.#htmlIsOpen && at < this.text.length; at++) {
      const code = this.text.charCodeAt(at)
      if (code === LESS) open++
      else if (code === GREATER && !/[^-]-/.test(this.text.slice(at - 2, at)) && --open === 0) return at + 1
    }
    this.#htmlIsOpen = true
    this.swallowed = true
    return lineEnd(this.text, from)
  }

  /**
   * Continues behind a mistake: at one of the given marks or at the end of the line, outside texts and comments. It also skips the content
   * of square brackets, even over several lines.
   */
  recover(stops: string): void {
    for (; this.at < this.text.length; this.at++) {
      const code = this.code()
      if (code === 10 || code === 13 || stops.includes(this.text.charAt(this.at))) break
      if (code === QUOTE) {
        const end = this.stringEnd(this.at)
        this.at = (end < 0 ? lineEnd(this.text, this.at) : end) - 1
      } else if (code === SLASH) this.#skipComment()
      else if (code === OPEN) this.at = this.#blockEnd() - 1
    }
    this.at = Math.min(this.at, this.text.length)
  }

  /**
   * Moves to the last character of the comment that a slash opens, if it opens one. After a line comment, it keeps the line end, where a
   * statement can begin.
   */
  #skipComment(): void {
    if (this.code(1) === SLASH) this.at = lineEnd(this.text, this.at) - 1
    else if (this.code(1) === STAR) {
      const end = this.text.indexOf('*/', this.at + 2)
      if (end < 0) this.next()
      else this.at = end + 1
    }
  }

  /** Returns the offset behind the closing square bracket; the offset behind the opening bracket if another bracket opens first. */
  #blockEnd(): number {
    for (let at = this.at + 1; at < this.text.length; at++) {
      const code = this.text.charCodeAt(at)
      if (code === CLOSE) return at + 1
      if (code === OPEN || code === OPEN_BRACE || code === CLOSE_BRACE) break
      if (code === QUOTE) {
        const end = this.stringEnd(at)
        if (end < 0) break
        at = end - 1
      }
    }
    return this.at + 1
  }
}

/** A word in the grammar of the Attractor document, a number or a duration. */
const PLAIN = /^(?:[A-Za-z_][A-Za-z0-9_.:-]*|-?(?:\d+(?:\.\d+)?|\.\d+)(?:ms|[smhd])?)$/
const CURLY_QUOTES = /[\u201c-\u201f\u00ab\u00bb]/
/** Another such quote, or the end of the line. */
const ENDS_CURLY = /^(?:[\u201c-\u201f\u00ab\u00bb\r\n]|$)/

/** The end of a line in which an attribute gets its value. */
const ASSIGNS = /[\w.]\s*=\s*$/

/** True if a character separates the text before it from the text behind it: a blank, a separator, a closing mark, or the end. */
export function isDelimiter(code: number): boolean {
  return code <= SPACE || code === COMMA || code === SEMICOLON || code === CLOSE || code === CLOSE_BRACE || Number.isNaN(code)
}
