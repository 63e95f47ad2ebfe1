import { quote } from '../../../text/printable.ts'
import { shortJson } from '../../../text/index.ts'
import { copyJson, type Json, type JsonObject } from '../../../kernel/journal/json.ts'
import { BUILT_IN_OPERATIONS } from '../operations/built-in.ts'
import { compileFaults } from '../model/faults.ts'
import type { AttributeValue } from '../dot/graph.ts'

/** A whole number with its unit, or milliseconds. */
export type DurationValue = number | `${number}${'ms' | 's' | 'm' | 'h' | 'd'}`

/** What DOT has as words with commas between them. */
export type ListValue = string | readonly string[]

/** What DOT has as the text of a JSON value. */
export type JsonValue = string | JsonObject | readonly Json[]

/** What any attribute can be given; what is undefined is not written. */
export type AttributeInput = string | number | boolean | JsonObject | readonly Json[] | undefined

const JSON_NAMES = new Set(BUILT_IN_OPERATIONS.rows.flatMap(({ type, name, aliases }) => (type === 'json' ? [name, ...aliases] : [])))

/**
 * What DOT writes for the value of an attribute: a list as words with commas between them, an object as JSON, and a list as
 * JSON too where the attribute holds JSON. Throws `R1107` for what no attribute can hold, `R2004` for what JSON cannot say.
 */
export function attributeValue(value: unknown, name: string, path: string): AttributeValue {
  if (typeof value === 'string' || typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))) return value
  if (Array.isArray(value) && !JSON_NAMES.has(name)) return wordsOf(value, path)
  if (typeof value === 'object' && value !== null) return JSON.stringify(copyJson(value, path))
  throw wrong(
    `${path} is ${shortJson(value)}, which no attribute can hold`,
    path,
    'give a text, a number, true or false, a list or an object',
  )
}

function wordsOf(list: readonly unknown[], path: string): string {
  return list
    .map((word, i) => {
      if (typeof word === 'string' && word.trim() !== '' && !word.includes(',')) return word
      const shown = typeof word === 'string' ? quote(word) : shortJson(word)
      throw wrong(`${path} has ${shown}, and its words stand between commas`, `${path}[${i}]`, 'give words without commas, or one text')
    })
    .join(',')
}

function wrong(message: string, path: string, fix: string): Error {
  return compileFaults.make('R1107', message, { rule: 'typed_schema', severity: 'error', path, fix })
}
