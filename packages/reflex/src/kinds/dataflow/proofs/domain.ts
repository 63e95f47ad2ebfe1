import { isList, type JsonObject } from '../../../kernel/index.ts'

/** The values that a number can have. A bound that nothing states is infinite: results of it say nothing about overflow. */
export interface Domain {
  readonly low: number
  readonly high: number
  /** True if a bound is not a value itself. */
  readonly isLowOpen?: boolean
  readonly isHighOpen?: boolean
  readonly isWhole?: boolean
  /** The only values. */
  readonly points?: readonly number[]
  /** True if 0 is a value besides: that of an absent key. */
  readonly hasZero?: boolean
}

export const ANY_NUMBER: Domain = { low: Number.NEGATIVE_INFINITY, high: Number.POSITIVE_INFINITY }

export function exactly(value: number): Domain {
  return { low: value, high: value, points: [value] }
}

/** Returns the values that the schema of a number allows, and 0 besides if the field may be absent. */
export function schemaDomain(schema: JsonObject, isOptional: boolean): Domain {
  const bound = (name: string, otherwise: number): number => {
    const value = schema[name]
    return typeof value === 'number' ? value : otherwise
  }
  const [least, above] = [bound('minimum', ANY_NUMBER.low), bound('exclusiveMinimum', ANY_NUMBER.low)]
  const [most, below] = [bound('maximum', ANY_NUMBER.high), bound('exclusiveMaximum', ANY_NUMBER.high)]
  const listed = 'const' in schema ? [schema['const']] : isList(schema['enum']) ? schema['enum'] : undefined
  const range: Domain = {
    low: Math.max(least, above),
    high: Math.min(most, below),
    isLowOpen: above >= least && above > ANY_NUMBER.low,
    isHighOpen: below <= most && below < ANY_NUMBER.high,
    isWhole: schema['type'] === 'integer',
    ...(isOptional ? { hasZero: true } : {}),
  }
  if (listed === undefined) return range
  const points = listed.filter((value) => typeof value === 'number' && hasValue({ ...range, hasZero: false }, value)) as number[]
  return { ...range, low: Math.min(...points), high: Math.max(...points), isLowOpen: false, isHighOpen: false, points }
}

/** True for a value of a domain. */
export function hasValue({ low, high, isLowOpen, isHighOpen, isWhole, points, hasZero }: Domain, value: number): boolean {
  if (hasZero === true && value === 0) return true
  if (points !== undefined) return points.includes(value)
  if (isWhole === true && !Number.isInteger(value)) return false
  return (isLowOpen === true ? value > low : value >= low) && (isHighOpen === true ? value < high : value <= high)
}

/** Returns the smallest and the largest value, 0 for an absent key included. */
export function hull({ low, high, hasZero }: Domain): readonly [number, number] {
  return hasZero === true ? [Math.min(low, 0), Math.max(high, 0)] : [low, high]
}

/** Returns a value of each part of a domain between two neighbours of these numbers, and each of the numbers that is a value itself. */
export function representatives(domain: Domain, numbers: readonly number[]): number[] {
  const cuts = [...new Set(numbers)].sort((a, b) => a - b)
  const ends = [Number.NEGATIVE_INFINITY, ...cuts, Number.POSITIVE_INFINITY]
  return ends.flatMap((end, index) => {
    const next = ends[index + 1]
    const own = Number.isFinite(end) && hasValue(domain, end) ? [end] : []
    const between = next === undefined ? undefined : valueBetween(domain, end, next)
    return between === undefined ? own : [...own, between]
  })
}

/** Returns a value of a domain that is larger than one number and smaller than another. */
function valueBetween(domain: Domain, above: number, below: number): number | undefined {
  const fits = (value: number): boolean => value > above && value < below && hasValue(domain, value)
  if (domain.points !== undefined) return [...domain.points, 0].find(fits)
  const low = Math.max(above, domain.low)
  const high = Math.min(below, domain.high)
  return [...middles(low, high), 0].find(fits)
}

/** Returns values between two bounds, the plainest first. */
function middles(low: number, high: number): number[] {
  if (low === Number.NEGATIVE_INFINITY && high === Number.POSITIVE_INFINITY) return [1]
  if (low === Number.NEGATIVE_INFINITY) return [Math.ceil(high) - 1, high - Math.max(1, Math.abs(high) / 2), high]
  if (high === Number.POSITIVE_INFINITY) return [Math.floor(low) + 1, low + Math.max(1, Math.abs(low) / 2), low]
  const middle = low + (high - low) / 2
  return [Math.round(middle), middle, Math.floor(low) + 1, Math.ceil(high) - 1, low, high]
}
