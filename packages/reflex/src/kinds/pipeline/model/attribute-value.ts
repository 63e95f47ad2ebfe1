import { quoteAll } from '../../../text/index.ts'
import { readCapability } from '../../../policy/index.ts'
import { type Attributes, numberOf } from '../dot/graph.ts'
import { isBadDuration, isTooLong, LONGEST_DURATION } from '../language/duration.ts'
import type { AttributeRow } from './attribute-row.ts'
import { parseJson } from '../language/parse-json.ts'

const BOOLEANS = new Set(['true', 'false', '1', '0', ''])

/** Types for which a node refuses every other value when it is executed. */
const STRICT_TYPES: ReadonlySet<string> = new Set(['int', 'number', 'seconds', 'bool', 'duration', 'json'])

/** Returns true if a node with a value of another type fails when it is executed. */
export function isStrict({ name, type, words, lenient }: AttributeRow): boolean {
  if (STRICT_TYPES.has(type) || name === 'capabilities') return true
  return words.length > 0 && !lenient
}

const FREE_TYPES: ReadonlySet<string> = new Set(['text', 'node', 'key', 'keys', 'path'])

/** Returns true if every value of an attribute is valid. */
export function isFree({ type, words }: AttributeRow, name: string): boolean {
  return FREE_TYPES.has(type) || (type === 'csv' && words.length === 0 && name !== 'capabilities')
}

/**
 * Returns what is wrong with the value of an attribute, as the end of a sentence: `is not a whole number`; undefined if it is
 * valid. Text that can be read as a number counts as a number, empty text as not set (reference pipeline 1.2 G8). Returns
 * `duration` for an invalid duration.
 */
export function valueProblem(row: AttributeRow, name: string, attributes: Attributes): string | undefined {
  if (isFree(row, name)) return undefined
  const value = attributes.get(name)?.value
  if (value === undefined || value === '') return undefined
  switch (row.type) {
    case 'int':
      return Number.isSafeInteger(numberOf(attributes, name)) ? undefined : 'is not a whole number'
    case 'number':
      return numberOf(attributes, name) === undefined ? 'is not a number' : undefined
    case 'seconds':
      return numberOf(attributes, name) === undefined ? 'is not a number' : lengthProblem(name, attributes)
    case 'bool':
      return BOOLEANS.has(String(value).trim().toLowerCase()) ? undefined : 'is neither true nor false'
    case 'duration':
      return isBadDuration(attributes, name) ? 'duration' : lengthProblem(name, attributes)
    case 'json':
      return parseJson(String(value)) === undefined ? 'is not JSON' : undefined
    case 'words':
      return row.words.includes(String(value).trim()) ? undefined : `is not one of ${quoteAll(row.words, row.words.length)}`
    case 'csv':
      return name === 'capabilities' ? capabilityProblem(String(value)) : wordProblem(row.words, String(value))
    default:
      return undefined
  }
}

function lengthProblem(name: string, attributes: Attributes): string | undefined {
  return isTooLong(attributes, name) ? `is longer than ${LONGEST_DURATION}, the longest duration` : undefined
}

function wordProblem(words: readonly string[], list: string): string | undefined {
  const parts = list.split(',').map((part) => part.trim())
  const isKnown = (part: string): boolean => part === '' || words.includes(part)
  return parts.every(isKnown) ? undefined : `has a word that is not one of ${quoteAll(words, words.length)}`
}

function capabilityProblem(list: string): string | undefined {
  for (const part of list.split(',')) {
    const text = part.trim()
    if (text === '') continue
    if (!text.startsWith('arbor://')) return 'has an entry that is not a capability: capabilities begin with arbor://'
    const read = readCapability(text)
    if ('problem' in read) return `has an entry that is not a capability: ${read.problem}`
  }
  return undefined
}
