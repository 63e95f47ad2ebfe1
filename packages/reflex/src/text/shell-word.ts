/** Characters that act on a terminal or on a line reader, beyond the control characters that JSON escapes. */
const ACTIVE = /[\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060\u2066-\u2069\ufeff]|\p{Surrogate}/gu
const CONTROLS = /[\u0000-\u001f\u007f]/g

/** Returns a text with the characters that act on a terminal or on a line reader written as `\uXXXX`. */
export function escapeActive(text: string): string {
  return text.replace(ACTIVE, unicode)
}

/** Returns a word quoted for a shell, on one line and without characters that act on a terminal. */
export function shellWord(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word
  // A command line cannot hold lone surrogates in either notation.
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
