import { type Attributes, numberOf } from '../dot/graph.ts'

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/**
 * A duration in milliseconds: a whole number with `ms`, `s`, `m`, `h` or `d` behind it, or without one. Numbers and
 * `null` are passed through; what cannot be read is `null`, which means not set (reference pipeline 1.5).
 */
export function parseDuration(value: unknown): number | null {
  if (typeof value === 'number') return value
  if (typeof value !== 'string') return null
  const [, digits = '', unit = 'ms'] = /^\s*(-?\d+)(ms|s|m|h|d)?\s*$/.exec(value) ?? []
  const milliseconds = digits === '' ? Number.NaN : Number(digits) * (UNITS[unit] ?? Number.NaN)
  return Number.isSafeInteger(milliseconds) ? milliseconds : null
}

/**
 * A duration attribute in milliseconds, or nothing if it is not there, cannot be read or is negative. Keys that end in
 * `_seconds` hold plain seconds, also fractions of one (reference pipeline 1.5).
 */
export function durationOf(attributes: Attributes, key: string): number | undefined {
  const milliseconds = key.endsWith('_seconds')
    ? Math.round((numberOf(attributes, key) ?? Number.NaN) * 1000)
    : parseDuration(attributes.get(key)?.value)
  return milliseconds !== null && milliseconds >= 0 ? milliseconds : undefined
}

/** Whether an attribute is there and holds no duration: the finding `duration_syntax`. */
export function isBadDuration(attributes: Attributes, key: string): boolean {
  const value = attributes.get(key)?.value
  return value !== undefined && value !== '' && durationOf(attributes, key) === undefined
}
