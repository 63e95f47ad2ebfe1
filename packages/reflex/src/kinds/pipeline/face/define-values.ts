import { quote, shortJson } from '../../../text/index.ts'
import { copyJson, type Json, type JsonObject } from '../../../kernel/index.ts'
import { BUILT_IN_OPERATIONS } from '../operations/built-in.ts'
import { compileFaults } from '../model/faults.ts'
import type { AttributeValue } from '../dot/graph.ts'

/** A whole number with its unit, or milliseconds. */
export type DurationValue = number | `${number}${'ms' | 's' | 'm' | 'h' | 'd'}`

/** A list, or the same list in DOT: words separated by commas. */
export type ListValue = string | readonly string[]

/** A JSON value, or its text as in DOT. */
export type JsonValue = string | JsonObject | readonly Json[]

/** The values of an attribute. An undefined value is left out. */
export type AttributeInput = string | number | boolean | JsonObject | readonly Json[] | undefined

const JSON_NAMES = new Set(BUILT_IN_OPERATIONS.rows.flatMap(({ type, name, aliases }) => (type === 'json' ? [name, ...aliases] : [])))

/**
 * Returns the DOT form of an attribute value. A list becomes words separated by commas, or JSON if the attribute holds JSON; an
 * object becomes JSON. Throws `R1107` for a value that no attribute can hold, `R2004` for a value that JSON cannot represent.
 */
export function attributeValue(value: unknown, name: string, path: string): AttributeValue {
  if (typeof value === 'string' || typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))) return value
  if (Array.isArray(value) && !JSON_NAMES.has(name)) return wordsOf(value, path)
  if (typeof value === 'object' && value !== null) return JSON.stringify(copyJson(value, path))
  throw wrong(
    `${path} is ${shortJson(value)}; an attribute cannot hold this value`,
    path,
    'give a text, a number, true or false, a list or an object',
  )
}

function wordsOf(list: readonly unknown[], path: string): string {
  return list
    .map((word, i) => {
      if (typeof word === 'string' && word.trim() !== '' && !word.includes(',')) return word
      const shown = typeof word === 'string' ? quote(word) : shortJson(word)
      throw wrong(
        `${path} has ${shown}; each word must be a text without a comma`,
        `${path}[${i}]`,
        'give words without commas, or one text',
      )
    })
    .join(',')
}

function wrong(message: string, path: string, fix: string): Error {
  return compileFaults.make('R1107', message, { rule: 'typed_schema', severity: 'error', path, fix })
}
