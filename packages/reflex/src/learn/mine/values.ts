import { canonicalJson, isList, isObject, type Json } from '../../kernel/index.ts'
import { isRedacted } from '../shapes/marks.ts'

/** The way to a value inside another one. */
export type ValuePath = readonly (string | number)[]

/** Returns a text that equal values share, and only they. */
export function valueKey(value: Json): string {
  return typeof value === 'string' ? `"${value}` : typeof value === 'object' && value !== null ? canonicalJson(value) : String(value)
}

/** Returns a scalar as a template writes it into a text; undefined for other values. */
export function scalarText(value: Json | undefined): string | undefined {
  if (typeof value === 'string') return value
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined
}

/** True if a value is redacted, or a part of it is. */
export function hasSecret(value: Json): boolean {
  if (isRedacted(value)) return true
  if (isList(value)) return value.some(hasSecret)
  return isObject(value) && Object.values(value).some(hasSecret)
}

/** Returns the value at a path of own properties; undefined if there is none. A text of JSON is read as what it says. */
export function valueAtPath(value: Json, path: ValuePath, isParsed: boolean): Json | undefined {
  let at: Json | undefined = isParsed ? parsedText(value) : value
  for (const step of path) {
    if (typeof step === 'number') at = isList(at) ? at[step] : undefined
    else at = isObject(at) && Object.hasOwn(at, step) ? at[step] : undefined
  }
  return at
}

/** Returns the object or list that a text says as JSON; undefined for any other value. */
export function parsedText(value: Json): Json | undefined {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return undefined
  try {
    return JSON.parse(value) as Json
  } catch {
    return undefined
  }
}

/** Words that templates can have in a path. */
const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]*$/
const REFUSED: readonly string[] = ['__proto__', 'constructor', 'prototype']
const MOST_LEAVES = 500
const DEEPEST = 8

/** Visits the scalars in a value that templates can name, at most 500, each with its path. */
export function* namedScalars(value: Json, path: ValuePath = [], budget = { left: MOST_LEAVES }): Generator<readonly [ValuePath, Json]> {
  if (budget.left <= 0 || path.length > DEEPEST) return
  if (isList(value)) for (const [i, item] of value.entries()) yield* namedScalars(item, [...path, i], budget)
  else if (isObject(value)) {
    for (const key of Object.keys(value).sort())
      if (IDENTIFIER.test(key) && !REFUSED.includes(key)) yield* namedScalars(value[key] ?? null, [...path, key], budget)
  } else {
    budget.left--
    yield [path, value]
  }
}

/** True if a text has another one between characters that are neither letters nor digits. */
export function containsWord(text: string, word: string): boolean {
  if (word === '') return false
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1))
    if (isEdge(text, at, word) && isEdge(text, at + word.length, word)) return true
  return false
}

const WORD_CHARACTER = /[\p{L}\p{N}]/u

/** True if a word that has a letter or digit at this edge does not continue in the text. */
function isEdge(text: string, at: number, word: string): boolean {
  const [before = '', after = ''] = [text[at - 1], text[at]]
  return word !== '' && !(WORD_CHARACTER.test(before) && WORD_CHARACTER.test(after))
}

/** Returns places spread evenly over a list, the first and the last among them. */
export function spread(count: number, most: number): readonly number[] {
  if (count <= most) return Array.from({ length: count }, (_, i) => i)
  if (most === 1) return [0]
  return Array.from({ length: most }, (_, i) => Math.floor((i * (count - 1)) / (most - 1)))
}
