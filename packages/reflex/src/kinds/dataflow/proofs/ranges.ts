import { type Domain, hull } from './domain.ts'

/** The range of a result, and true if stated values can make it too large for a number. */
export interface Ranged {
  readonly domain: Domain
  readonly overflows: boolean
}

/** A range with more single values than this is a range only. */
const MOST_POINTS = 16

type Range = readonly [low: number, high: number]

const APPLY: Readonly<Record<string, (a: number, b: number) => number>> = {
  add: (a, b) => a + b,
  subtract: (a, b) => a - b,
  multiply: (a, b) => a * b,
  divide: (a, b) => a / b,
  min: Math.min,
  max: Math.max,
}

/** Returns the range of an operation with two operands. Both are judged as independent. */
export function rangeOf(op: string, a: Domain, b: Domain): Ranged {
  const apply = APPLY[op]
  const [left, right] = [hull(a), hull(b)]
  if (apply === undefined || (op === 'divide' && right[0] <= 0 && right[1] >= 0)) return { domain: UNKNOWN, overflows: false }
  const isStated = [...left, ...right].every(Number.isFinite)
  const corners = left.flatMap((x) => right.map((y) => apply(x, y)))
  // An unstated bound times 0, or minus another one, has no value: nothing is known.
  if (corners.some(Number.isNaN)) return { domain: UNKNOWN, overflows: false }
  return {
    domain: { low: Math.min(...corners) + 0, high: Math.max(...corners) + 0 },
    overflows: isStated && corners.some((corner) => !Number.isFinite(corner)),
  }
}

/** Returns the range of an operation with one operand. */
export function rangeOfOne(op: 'abs' | 'negate', of: Domain): Domain {
  const [low, high] = hull(of)
  if (op === 'negate') return { low: 0 - high, high: 0 - low }
  return low <= 0 && high >= 0 ? { low: 0, high: Math.max(-low, high) } : spanned([Math.abs(low), Math.abs(high)])
}

/** Returns the range that has the values of two. */
export function joined(a: Domain, b: Domain): Domain {
  const points =
    a.points === undefined || b.points === undefined ? undefined : [...new Set([...a.points, ...b.points])].sort((x, y) => x - y)
  const range = spanned([...hull(a), ...hull(b)])
  return points === undefined || points.length > MOST_POINTS
    ? range
    : { ...range, points, hasZero: a.hasZero === true || b.hasZero === true }
}

function spanned(values: Range | readonly number[]): Domain {
  return { low: Math.min(...values), high: Math.max(...values) }
}

const UNKNOWN: Domain = { low: Number.NEGATIVE_INFINITY, high: Number.POSITIVE_INFINITY }
