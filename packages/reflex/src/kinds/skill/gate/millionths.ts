const MILLION = 1_000_000

/** Returns a number as an integer of millionths. All comparisons of scores are between such integers (reference skill 1.9). */
export function millionths(value: number): number {
  const rounded = Math.round(value * MILLION)
  return Number.isSafeInteger(rounded) ? rounded : 0
}

/** Returns `part / whole` in millionths; 0 if the whole is 0. */
export function ratio(part: number, whole: number): number {
  return whole > 0 ? millionths(part / whole) : 0
}

/** Returns millionths as people read them: `0.864`, or points as `4.75`. */
export function decimal(value: number, places: number): string {
  return (value / MILLION).toFixed(places)
}
