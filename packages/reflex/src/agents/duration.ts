const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }
const FORM = /^(\d{1,9}(?:\.\d{1,3})?) ?(ms|s|m|h|d)$/
/** The longest duration, in milliseconds: a hundred years. Longer ones exceed the arithmetic of timers. */
const LONGEST = 36_525 * 86_400_000

/** Returns a duration as `readDuration` reads it, in the largest unit of which it is a whole number: `1h`. */
export function shortDuration(milliseconds: number): string {
  const [unit, size] = Object.entries(UNITS).findLast(([, one]) => milliseconds % one === 0) ?? ['ms', 1]
  return `${milliseconds / size}${unit}`
}

/** Returns the milliseconds of `90s`, `3d` or a whole number of milliseconds; undefined for anything else. */
export function readDuration(value: string | number): number | undefined {
  if (typeof value === 'number') return Number.isInteger(value) && value > 0 && value <= LONGEST ? value : undefined
  const [, count, unit = ''] = FORM.exec(value.trim()) ?? []
  const milliseconds = Math.round(Number(count) * (UNITS[unit] ?? Number.NaN))
  return milliseconds > 0 && milliseconds <= LONGEST ? milliseconds : undefined
}
