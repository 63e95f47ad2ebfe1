/**
 * The scanner of pipeline texts. Each function takes a text and the offset where a part begins, and returns the offset behind it. No
 * function looks back or copies, so reading is linear in the text.
 */

const SPACE = 1
const LETTER = 2
const DIGIT = 4
const BARE_END = 8

const CLASSES = classes()

function classes(): Uint8Array {
  const table = new Uint8Array(128)
  for (const code of [9, 10, 11, 12, 13, 32]) table[code] = SPACE | BARE_END
  for (let code = 65; code <= 90; code++) table[code] = table[code + 32] = LETTER
  table[95] = LETTER
  for (let code = 48; code <= 57; code++) table[code] = DIGIT
  for (const mark of ',;]}[{"=') table[mark.charCodeAt(0)] = BARE_END
  return table
}

/** Spaces outside ASCII, which come with text that is copied from a page. */
const WIDE_SPACES = /[\u0085\u00a0\u2000-\u200b\u2028\u2029\u202f\u205f\u3000\ufeff]/

/** True if a character code is white space; false behind the end of a text (NaN). */
export function isSpace(code: number): boolean {
  return code < 128 ? ((CLASSES[code] ?? 0) & SPACE) !== 0 : code >= 0x85 && WIDE_SPACES.test(String.fromCharCode(code))
}

/** True if an identifier can begin with a character: an ASCII letter or `_`. */
export function beginsIdentifier(code: number): boolean {
  return code < 128 && ((CLASSES[code] ?? 0) & LETTER) !== 0
}

/** Returns the end of the identifier that begins at `from`; `from` if none does. */
export function identifierEnd(text: string, from: number): number {
  if (!beginsIdentifier(text.charCodeAt(from))) return from
  let at = from + 1
  for (;;) {
    const code = text.charCodeAt(at)
    if (!(code < 128 && ((CLASSES[code] ?? 0) & (LETTER | DIGIT)) !== 0)) return at
    at++
  }
}

/** Returns the end of identifiers with dots between, such as `human.default_choice`; `from` if none begins there. */
export function keyEnd(text: string, from: number): number {
  let at = identifierEnd(text, from)
  while (at > from && text.charCodeAt(at) === 46 && beginsIdentifier(text.charCodeAt(at + 1))) at = identifierEnd(text, at + 1)
  return at
}

/** Returns the end of a value without quotes: at white space, a mark or a comment (reference pipeline 1.2 G6). */
export function bareEnd(text: string, from: number): number {
  let at = from
  for (;;) {
    const code = text.charCodeAt(at)
    if (code < 128 ? ((CLASSES[code] ?? 0) & BARE_END) !== 0 : Number.isNaN(code) || isSpace(code)) return at
    if (code === 47 && opensComment(text, at)) return at
    at++
  }
}

/** True if a slash opens a comment. */
function opensComment(text: string, at: number): boolean {
  const next = text.charCodeAt(at + 1)
  return next === 47 || next === 42
}

/**
 * Returns the offset of the next word or mark behind white space and comments: `//`, block comments, and lines that begin with `#`
 * (reference pipeline 1.1 L2, L11). For a block comment without an end, it returns `-1 - offset` of its opening.
 */
export function skipBlank(text: string, from: number): number {
  let at = from
  for (;;) {
    const code = text.charCodeAt(at)
    if (code === 32 || code === 10 || isSpace(code)) at++
    else if (code === 47 && opensComment(text, at)) {
      if (text.charCodeAt(at + 1) === 47) at = lineEnd(text, at + 2)
      else {
        const end = text.indexOf('*/', at + 2)
        if (end < 0) return -1 - at
        at = end + 2
      }
    } else if (code === 35 && beginsLine(text, at)) at = lineEnd(text, at + 1)
    else return at
  }
}

/** Returns the offset of the line break at or after `from`, or the end of the text. */
export function lineEnd(text: string, from: number): number {
  let at = from
  for (;;) {
    const code = text.charCodeAt(at)
    if (code === 10 || code === 13 || Number.isNaN(code)) return at
    at++
  }
}

/** True if only blanks are before an offset on its line. */
function beginsLine(text: string, offset: number): boolean {
  let at = offset - 1
  while (text.charCodeAt(at) === 32 || text.charCodeAt(at) === 9) at--
  const code = text.charCodeAt(at)
  return at < 0 || code === 10 || code === 13
}

/**
 * Returns the offset behind the closing quote of the text that opens at `from`; -1 if it never closes. A backslash escapes the next
 * character.
 */
export function stringEnd(text: string, from: number): number {
  let quote = text.indexOf('"', from + 1)
  while (quote >= 0 && isEscaped(text, quote, from)) quote = text.indexOf('"', quote + 1)
  return quote < 0 ? -1 : quote + 1
}

/** True if an odd number of backslashes is before a quote. */
function isEscaped(text: string, quote: number, from: number): boolean {
  let at = quote - 1
  while (at > from && text.charCodeAt(at) === 92) at--
  return ((quote - 1 - at) & 1) === 1
}

const ESCAPES: Readonly<Record<string, string>> = { '"': '"', '\\': '\\', n: '\n', t: '\t' }

/**
 * Returns the content between two quotes, with `\"`, `\\`, `\n` and `\t` replaced; any other pair stays unchanged (reference pipeline 1.1
 * L6).
 */
export function unescapeText(inner: string): string {
  let slash = inner.indexOf('\\')
  if (slash < 0) return inner
  let out = ''
  let from = 0
  while (slash >= 0 && slash + 1 < inner.length) {
    const char = ESCAPES[inner.charAt(slash + 1)]
    if (char !== undefined) {
      out += inner.slice(from, slash) + char
      from = slash + 2
    }
    slash = inner.indexOf('\\', slash + 2)
  }
  return out + inner.slice(from)
}
