/** Characters that act on a terminal or on a reader of lines, beyond the controls that JSON escapes anyway. */
const ACTIVE = /[\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060\u2066-\u2069\ufeff]|\p{Surrogate}/gu
const CONTROLS = /[\u0000-\u001f\u007f]/g

/** Returns a text in which nothing acts on a terminal or on a reader of lines: such characters are written as `\uXXXX`. */
export function escapeActive(text: string): string {
  return text.replace(ACTIVE, unicode)
}

/** Returns a word as a shell takes it, on one line and with nothing in it that acts on a terminal. */
export function shellWord(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word
  // A command line cannot hold lone surrogates, in neither way of writing them.
  if (word.search(ACTIVE) < 0 && word.search(CONTROLS) < 0) return `'${word.replaceAll("'", String.raw`'\''`)}'`
  const escaped = word.replace(/[\\']/g, String.raw`\$&`).replace(CONTROLS, (char) => String.raw`\x${hex(char, 2)}`)
  return `$'${escaped.replace(ACTIVE, unicode)}'`
}

function unicode(char: string): string {
  return String.raw`\u${hex(char, 4)}`
}

function hex(char: string, digits: number): string {
  return char.charCodeAt(0).toString(16).padStart(digits, '0')
}
