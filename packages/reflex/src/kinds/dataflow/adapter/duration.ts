const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }
const FORM = /^(\d{1,12})(ms|s|m|h)$/
/** The longest duration, in milliseconds: a year. */
const LONGEST = 365 * 24 * 3_600_000

/** Returns the milliseconds of a duration such as `250ms`, `5s`, `10m` or `1h`; undefined for anything else and beyond a year. */
export function readDuration(text: string): number | undefined {
  const [, count, unit = ''] = FORM.exec(text) ?? []
  const milliseconds = Number(count) * (UNITS[unit] ?? Number.NaN)
  return milliseconds <= LONGEST ? milliseconds : undefined
}
