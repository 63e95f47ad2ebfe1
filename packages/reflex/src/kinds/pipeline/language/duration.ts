import { type Attributes, numberOf } from '../dot/graph.ts'

const DAY = 86_400_000
const LONGEST_DAYS = 99_000_000
/** The longest duration in a text. A wait that began today could not end after a longer one: dates end before. */
export const LONGEST_DURATION = `${LONGEST_DAYS}d`

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: DAY }
/** Milliseconds without a unit. */
const WHOLE = /^\s*-?\d+\s*$/

/**
 * Parses a duration to milliseconds: a whole number with the unit `ms`, `s`, `m`, `h` or `d`, or without a unit. Returns
 * numbers unchanged. Returns `null`, which means not set, for a value that cannot be read (reference pipeline 1.5).
 */
export function parseDuration(value: unknown): number | null {
  if (typeof value === 'number') return value
  if (typeof value !== 'string') return null
  if (WHOLE.test(value)) return safeInteger(Number(value))
  const [, digits = '', unit = ''] = /^\s*(-?\d+)(ms|s|m|h|d)\s*$/.exec(value) ?? []
  return safeInteger(digits === '' ? Number.NaN : Number(digits) * (UNITS[unit] ?? Number.NaN))
}

function safeInteger(value: number): number | null {
  return Number.isSafeInteger(value) ? value : null
}

/**
 * Returns a duration attribute in milliseconds; undefined if it is absent, unreadable or negative. Keys that end in `_seconds`
 * have seconds, also fractions (reference pipeline 1.5).
 */
export function durationOf(attributes: Attributes, key: string): number | undefined {
  const milliseconds = key.endsWith('_seconds')
    ? Math.round((numberOf(attributes, key) ?? Number.NaN) * 1000)
    : parseDuration(attributes.get(key)?.value)
  return milliseconds !== null && milliseconds >= 0 ? milliseconds : undefined
}

/** True if an attribute is present and has no valid duration: the finding `duration_syntax`. */
export function isBadDuration(attributes: Attributes, key: string): boolean {
  const value = attributes.get(key)?.value
  return value !== undefined && value !== '' && durationOf(attributes, key) === undefined
}

/** True if an attribute has a valid duration that is longer than `LONGEST_DURATION`. */
export function isTooLong(attributes: Attributes, key: string): boolean {
  return (durationOf(attributes, key) ?? 0) > LONGEST_DAYS * DAY
}
