const SECOND = 1_000_000_000n

/** An instant in nanoseconds since 1970 UTC, in the years 1 to 9999, as in CEL. */
export class Timestamp {
  readonly kind = 'timestamp'
  readonly nanos: bigint

  constructor(nanos: bigint) {
    this.nanos = nanos
  }

  /** Returns the instant as `2026-01-31T12:00:00Z`, with the decimals that it has. */
  text(): string {
    const seconds = floorDivide(this.nanos, SECOND)
    const text = new Date(Number(seconds) * 1000).toISOString().slice(0, 19)
    return `${text}${decimals(this.nanos - seconds * SECOND)}Z`
  }
}

/** A duration in nanoseconds. */
export class Duration {
  readonly kind = 'duration'
  readonly nanos: bigint

  constructor(nanos: bigint) {
    this.nanos = nanos
  }

  /** Returns the seconds with the decimals that it has, such as `-1.5s`. */
  text(): string {
    const whole = this.nanos < 0n ? -this.nanos : this.nanos
    return `${this.nanos < 0n ? '-' : ''}${whole / SECOND}${decimals(whole % SECOND)}s`
  }
}

const FIRST = BigInt(Date.parse('0001-01-01T00:00:00Z')) * 1_000_000n
const LAST = BigInt(Date.parse('9999-12-31T23:59:59Z')) * 1_000_000n + SECOND - 1n
const LONGEST = 315_576_000_000n * SECOND

/** Returns the instant; undefined outside the years 1 to 9999. */
export function timestampAt(nanos: bigint): Timestamp | undefined {
  return nanos < FIRST || nanos > LAST ? undefined : new Timestamp(nanos)
}

/** Returns the duration; undefined if it is longer than 10,000 years. */
export function durationOf(nanos: bigint): Duration | undefined {
  return nanos < -LONGEST || nanos > LONGEST ? undefined : new Duration(nanos)
}

const INSTANT = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/

/** Reads an instant in the format of RFC 3339, such as `2026-01-31T12:00:00.5+02:00`; returns undefined for any other text. */
export function readTimestamp(text: string): Timestamp | undefined {
  const [, clock = '', fraction = '', zone = ''] = INSTANT.exec(text) ?? []
  const at = Date.parse(`${clock}Z`)
  // Date.parse turns 31 February into 3 March. The printed date then differs from the text.
  if (Number.isNaN(at) || new Date(at).toISOString().slice(0, 19) !== clock) return undefined
  const offset = zoneMinutes(zone)
  if (offset === undefined) return undefined
  return timestampAt((BigInt(at) - BigInt(offset) * 60_000n) * 1_000_000n + BigInt(fraction.padEnd(9, '0')))
}

const UNITS: Readonly<Record<string, bigint>> = {
  h: 3600n * SECOND,
  m: 60n * SECOND,
  s: SECOND,
  ms: 1_000_000n,
  us: 1000n,
  µs: 1000n,
  ns: 1n,
}
const PARTS = /(\d{1,15})(?:\.(\d{1,9}))?(ms|us|µs|ns|h|m|s)/gy

/** Reads a duration such as `1h30m`, `-1.5s` or `250ms`; returns undefined for any other text. */
export function readDuration(text: string): Duration | undefined {
  if (text === '0') return new Duration(0n)
  const body = /^[+-]?((?:\d{1,15}(?:\.\d{1,9})?(?:ms|us|µs|ns|h|m|s))+)$/.exec(text.slice(0, 200))?.[1]
  if (body === undefined || text.length > 200) return undefined
  let nanos = 0n
  for (const [, whole = '0', fraction = '', unit = ''] of body.matchAll(PARTS)) {
    const size = UNITS[unit] ?? 0n
    nanos += BigInt(whole) * size + (BigInt(fraction.padEnd(9, '0')) * size) / SECOND
  }
  return durationOf(text.startsWith('-') ? -nanos : nanos)
}

/**
 * Returns the minutes east of UTC of `Z`, `UTC`, `+02:00` or `02:00`. Returns undefined for a zone name, because zone tables differ between
 * machines.
 */
export function zoneMinutes(zone: string): number | undefined {
  if (zone === 'Z' || zone === 'UTC') return 0
  const [, sign = '', hours = '', minutes = ''] = /^([+-]?)(\d\d):(\d\d)$/.exec(zone) ?? []
  if (hours === '' || Number(hours) > 23 || Number(minutes) > 59) return undefined
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes))
}

/** The getters of a timestamp, for a date that is already moved into its zone. They count from 0 where CEL does. */
export const CALENDAR: Readonly<Record<string, (date: Date) => number>> = {
  getFullYear: (date) => date.getUTCFullYear(),
  getMonth: (date) => date.getUTCMonth(),
  getDate: (date) => date.getUTCDate(),
  getDayOfMonth: (date) => date.getUTCDate() - 1,
  getDayOfWeek: (date) => date.getUTCDay(),
  getDayOfYear: (date) => Math.round((startOfDay(date) - startOfYear(date)) / 86_400_000),
  getHours: (date) => date.getUTCHours(),
  getMinutes: (date) => date.getUTCMinutes(),
  getSeconds: (date) => date.getUTCSeconds(),
  getMilliseconds: (date) => date.getUTCMilliseconds(),
}

/** The getters of a duration: the whole duration in that unit, except milliseconds, which are only the part below one second. */
export const SPANS: Readonly<Record<string, (nanos: bigint) => bigint>> = {
  getHours: (nanos) => nanos / (3600n * SECOND),
  getMinutes: (nanos) => nanos / (60n * SECOND),
  getSeconds: (nanos) => nanos / SECOND,
  getMilliseconds: (nanos) => (nanos % SECOND) / 1_000_000n,
}

/** Returns a date whose UTC fields are the local fields in the zone. */
export function dateAt(timestamp: Timestamp, minutes: number): Date {
  return new Date(Number(floorDivide(timestamp.nanos, 1_000_000n)) + minutes * 60_000)
}

function startOfDay(date: Date): number {
  return date.getTime() - (((date.getTime() % 86_400_000) + 86_400_000) % 86_400_000)
}

function startOfYear(date: Date): number {
  const start = new Date(0)
  start.setUTCFullYear(date.getUTCFullYear(), 0, 1)
  return start.getTime()
}

function floorDivide(value: bigint, by: bigint): bigint {
  const quotient = value / by
  return value % by < 0n ? quotient - 1n : quotient
}

function decimals(nanos: bigint): string {
  return nanos === 0n
    ? ''
    : `.${String(nanos)
        .padStart(9, '0')
        .replace(/0{1,9}$/, '')}`
}
