import { type Domain, type Interval, meetNumbers, point, REALS, typesOf } from './domain.ts'

/** The comparisons that are true when they are false, and when their sides change places. */
export const NEGATED = { '<': '>=', '<=': '>', '>': '<=', '>=': '<' } as const
export const TURNED = { '<': '>', '<=': '>=', '>': '<', '>=': '<=' } as const
export type Order = keyof typeof NEGATED

export function isOrder(operator: unknown): operator is Order {
  return typeof operator === 'string' && Object.hasOwn(NEGATED, operator)
}

/** Returns the interval of a literal number, which is a text if JSON has no number for it. */
export function numberOf(literal: string | number): Interval {
  const value = Number(literal)
  return literal !== '-0' && Number.isFinite(value) ? point(value) : REALS
}

/** True if each value of one is comparable with each of the other: all are numbers, or all are texts. */
export function isComparable(left: Domain, right: Domain): boolean {
  const types = new Set([...typesOf(left), ...typesOf(right)])
  return !left.nil && !right.nil && types.size === 1 && (types.has('a number') || types.has('a text'))
}

/** The numbers that stand in a relation to some number of an interval. */
export function boundOf(operator: Order, { lo, hi, isLoOpen, isHiOpen }: Interval): Interval {
  if (operator === '<') return { ...REALS, hi, isHiOpen: hi !== Infinity }
  if (operator === '<=') return { ...REALS, hi, isHiOpen }
  return operator === '>' ? { ...REALS, lo, isLoOpen: lo !== -Infinity } : { ...REALS, lo, isLoOpen }
}

export function canHold(operator: Order, left: Interval | undefined, right: Interval | undefined): boolean {
  return left !== undefined && right !== undefined && meetNumbers(left, boundOf(operator, right)) !== undefined
}

/** Returns the numbers that the sums or differences of two intervals can be. Beyond safe integers nothing is known. */
export function sumOf(operator: '+' | '-', a: Interval, b: Interval): Interval {
  const [lo, hi] = operator === '+' ? [a.lo + b.lo, a.hi + b.hi] : [a.lo - b.hi, a.hi - b.lo]
  const isKnown = Math.abs(lo) < Number.MAX_SAFE_INTEGER && Math.abs(hi) < Number.MAX_SAFE_INTEGER && a.isWhole && b.isWhole
  return isKnown ? { ...REALS, lo, hi, isWhole: true } : { ...REALS, isWhole: a.isWhole && b.isWhole }
}
