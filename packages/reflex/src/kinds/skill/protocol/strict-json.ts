import { isList, isObject, type Json, type JsonObject } from '../../../kernel/index.ts'
import { byteLength } from './byte-length.ts'
import { MAX_BODY_BYTES } from './tags.ts'

const MAX_DEPTH = 8

/** A JSON object, or the reason why a text is none, in at most twelve words. */
export type StrictObject = { readonly value: JsonObject } | { readonly mistake: string }

/**
 * Reads a text as one JSON object (RFC 8259), stricter than `JSON.parse`: a key that occurs twice, a number beyond the range of a double,
 * an unpaired surrogate, more than 8 levels and more than 8 KiB of UTF-8 are mistakes (reference skill 1.12, rule 4). Never throws.
 */
export function readStrictObject(text: string): StrictObject {
  if (text.length > MAX_BODY_BYTES || byteLength(text) > MAX_BODY_BYTES) return { mistake: 'the body is longer than 8 KiB' }
  const structure = structureMistake(text)
  if (structure !== undefined) return { mistake: structure }
  let value: Json
  try {
    value = JSON.parse(text) as Json
  } catch {
    return { mistake: 'the body is not JSON' }
  }
  if (!isObject(value)) return { mistake: 'the body must be one JSON object' }
  const content = contentMistake(value)
  return content === undefined ? { value } : { mistake: content }
}

/** Returns the mistake of a value that a JSON text cannot show in its structure. The depth of the value is at most 8. */
function contentMistake(value: Json): string | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : 'a number is out of range'
  if (typeof value === 'string') return value.isWellFormed() ? undefined : 'a text has half a character'
  if (isList(value)) return firstMistake(value)
  if (!isObject(value)) return undefined
  return Object.keys(value).every((key) => key.isWellFormed()) ? firstMistake(Object.values(value)) : 'a key has half a character'
}

function firstMistake(values: readonly Json[]): string | undefined {
  for (const value of values) {
    const mistake = contentMistake(value)
    if (mistake !== undefined) return mistake
  }
  return undefined
}

const STRING = /"(?:[^"\\]|\\.)*"/y

/** Returns the mistake of brackets and keys: levels and keys that occur twice, of which `JSON.parse` says nothing. Grammar is its task. */
function structureMistake(text: string): string | undefined {
  const keys: Set<string>[] = []
  for (let at = 0; at < text.length; at++) {
    const mark = text[at]
    if (mark === '{' || mark === '[') {
      keys.push(new Set())
      if (keys.length > MAX_DEPTH) return `the body has more than ${MAX_DEPTH} levels`
    } else if (mark === '}' || mark === ']') keys.pop()
    else if (mark === '"') {
      STRING.lastIndex = at
      const token = STRING.exec(text)?.[0]
      if (token === undefined) return 'the body is not JSON'
      at += token.length - 1
      if (!isKey(text, at + 1)) continue
      const key = decoded(token)
      const known = keys.at(-1)
      if (known?.has(key) === true) return 'a key occurs twice'
      known?.add(key)
    }
  }
  return undefined
}

/** True if a colon follows. White space is skipped once for each string, so the work is bounded by the text. */
function isKey(text: string, from: number): boolean {
  let at = from
  while (text[at] === ' ' || text[at] === '\n' || text[at] === '\r' || text[at] === '\t') at++
  return text[at] === ':'
}

/** Returns the text of a string token, or the token itself if it is no JSON: `JSON.parse` of the body then says so. */
function decoded(token: string): string {
  try {
    return JSON.parse(token) as string
  } catch {
    return token
  }
}
