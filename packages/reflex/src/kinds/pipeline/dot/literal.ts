import type { AttributeValue } from './graph.ts'

const INTEGER = /^-?\d+$/
const FLOAT = /^-?\d*\.\d+$/

/**
 * Returns the value of a word without quotes: a number, a boolean, or text; durations are text (reference pipeline 1.2 G8). An integer that
 * a double cannot hold exactly stays text.
 */
export function bareValue(word: string): AttributeValue {
  const first = word.charCodeAt(0)
  if (first === 116 && word === 'true') return true
  if (first === 102 && word === 'false') return false
  if (first > 57 || !(INTEGER.test(word) || FLOAT.test(word))) return word
  const number = Number(word)
  const exact = Number.isFinite(number) && (word.includes('.') || Number.isSafeInteger(number))
  // Adding 0 turns -0 into 0. They are equal except in comparisons that distinguish the sign.
  return exact ? number + 0 : word
}

/**
 * Writes a value so that `bareValue` or quoted text reads it back with the same type. Numbers that the language cannot write become text.
 */
export function writeValue(value: AttributeValue): string {
  if (typeof value === 'boolean') return String(value)
  if (typeof value === 'number') return Number.isFinite(value) ? writeNumber(value) : quoted(String(value))
  return value !== 'true' && value !== 'false' ? writeId(value) : quoted(value)
}

const SIMPLE = /^[A-Za-z_][A-Za-z0-9_]*$/
/** Graphviz reads keywords in upper and lower case. */
const KEYWORD = /^(?:graph|digraph|node|edge|subgraph|strict)$/i

/** Writes an id or a word, in quotes if it would be read as a keyword or not be read at all. */
export function writeId(id: string): string {
  return SIMPLE.test(id) && !KEYWORD.test(id) ? id : quoted(id)
}

/** Returns a text in double quotes. */
export function quoted(text: string): string {
  return `"${text.replace(/[\\"\n\t]/g, escapeOf)}"`
}

function escapeOf(char: string): string {
  return char === '\n' ? '\\n' : char === '\t' ? '\\t' : `\\${char}`
}

/** Writes a number in digits: the language has no exponents, and reads unsafe integers as text. */
function writeNumber(value: number): string {
  const short = String(value)
  const [digits = '', exponent] = short.split('e')
  if (exponent === undefined) return Number.isInteger(value) && !Number.isSafeInteger(value) ? `${short}.0` : short
  const sign = digits.startsWith('-') ? '-' : ''
  const [whole = '', fraction = ''] = digits.replace('-', '').split('.')
  const shift = Number(exponent)
  if (shift < 0) return `${sign}0.${'0'.repeat(-shift - whole.length)}${whole}${fraction}`
  return `${sign}${whole}${fraction}${'0'.repeat(shift - fraction.length)}.0`
}
