import { canonicalJson, digest, isList, isObject, type Json } from '../../kernel/index.ts'

/** The mark of a secret in a text: equal secrets have equal marks. */
const SECRET = /‹secret [0-9a-f]{4,16}›/

/** True if a value is redacted, or a text has the mark of a secret. */
export function isRedacted(value: Json): boolean {
  if (typeof value === 'string') return value.includes('‹secret ') && SECRET.test(value)
  return isObject(value) && typeof value.$redacted === 'string'
}

/** True if a value is redacted as a whole, so that a name of the secret can stand in its place. */
export function isWholeSecret(value: Json): boolean {
  return typeof value === 'string' ? isRedacted(value) && value.replace(SECRET, '') === '' : isRedacted(value)
}

/** The most characters of a text in a shape. */
export const LONGEST_TEXT = 4_096
/** The most leaves of one value, and the deepest level. */
const MOST_LEAVES = 2_000
const DEEPEST = 24

/** The length of a text, or of a value as JSON, and its digest: what a shape keeps in place of a long value. */
interface LongMark {
  readonly $long: readonly [length: number, digest: string]
}

/** True for the mark of a value that is too long to keep. Equal values have equal marks. */
export function isLong(value: Json): value is Json & LongMark {
  return isObject(value) && isList(value.$long)
}

/**
 * Returns a value as a shape keeps it: texts of more than 4,096 characters, and what is beyond 2,000 leaves or 24 levels, are replaced by a mark
 * with their length and digest. Returns the value itself if nothing is too long.
 */
export function bounded(value: Json): Json {
  return boundedBy({ left: MOST_LEAVES }, value, 0)
}

function boundedBy(budget: { left: number }, value: Json, depth: number): Json {
  if (typeof value === 'string') {
    budget.left--
    return value.length <= LONGEST_TEXT ? value : longMark(value, value)
  }
  if (typeof value !== 'object' || value === null) {
    budget.left--
    return value
  }
  if (depth >= DEEPEST || budget.left <= 0) return longMark(value, canonicalJson(value))
  if (isList(value)) return value.map((item) => boundedBy(budget, item, depth + 1))
  return Object.fromEntries(Object.keys(value).map((key) => [key, boundedBy(budget, value[key] ?? null, depth + 1)]))
}

function longMark(value: Json, text: string): Json {
  const mark: readonly [number, string] = [text.length, digest(text).slice(0, 16)]
  return isRedacted(value) ? { $redacted: mark[1] } : { $long: mark }
}
