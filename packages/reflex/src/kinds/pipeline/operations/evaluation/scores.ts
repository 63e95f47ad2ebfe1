/** Returns the words of a text that have three letters or more, in lower case. */
export function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.toLowerCase().match(/\p{L}{3,}/gu))
}

/** Returns the share of common items of two sets, in [0, 1]; two empty sets result in 1. */
export function jaccard(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let shared = 0
  for (const word of a) if (b.has(word)) shared++
  const all = a.size + b.size - shared
  return all === 0 ? 1 : shared / all
}

/** Returns the similarity of two counts, 1 − |a − b| / the larger, in [0, 1]; two zeros result in 1. */
export function similarity(a: number, b: number): number {
  const larger = Math.max(a, b)
  return larger === 0 ? 1 : 1 - Math.abs(a - b) / larger
}

/** Returns the mean; 0 for no numbers. */
export function mean(numbers: readonly number[]): number {
  return numbers.length === 0 ? 0 : numbers.reduce((sum, number) => sum + number, 0) / numbers.length
}

/** The structure of a text that is visible without understanding it. */
export interface Shape {
  readonly lines: number
  readonly paragraphs: number
  readonly headers: number
  readonly items: number
  readonly fences: number
}

/** Counts the parts of a text. A fence is a block of code, open or closed. */
export function shapeOf(text: string): Shape {
  const lines = text === '' ? [] : text.split('\n')
  const count = (pattern: RegExp): number => lines.filter((line) => pattern.test(line)).length
  return {
    lines: lines.length,
    paragraphs: text.split(/\n\s*\n/).filter((part) => part.trim() !== '').length,
    headers: count(/^#{1,6}\s/),
    items: count(/^\s*(?:[-*+]|\d{1,9}[.)])\s/),
    fences: Math.ceil(count(/^\s*```/) / 2),
  }
}

/** Returns the standard normal distribution: the share below `z`, to seven digits. */
export function normalCdf(z: number): number {
  const x = Math.abs(z) / Math.SQRT2
  const t = 1 / (1 + 0.327_591_1 * x)
  const series = t * (0.254_829_592 + t * (-0.284_496_736 + t * (1.421_413_741 + t * (-1.453_152_027 + t * 1.061_405_429))))
  const tail = (series * Math.exp(-x * x)) / 2
  return z < 0 ? tail : 1 - tail
}

/** Returns the probability that at least one of `k` draws out of `n` is good, if `good` of them are: 1 − C(n−good, k) / C(n, k). */
export function passAtK(n: number, good: number, k: number): number {
  const draws = Math.min(k, n)
  if (draws <= 0 || good <= 0) return 0
  if (n - good < draws) return 1
  let none = 1
  for (let i = n - good + 1; i <= n; i++) none *= 1 - draws / i
  return 1 - none
}

/** Returns the value below which this share of the numbers lies, by the nearest rank; undefined for no numbers. */
export function percentile(numbers: readonly number[], share: number): number | undefined {
  const sorted = numbers.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]
}
