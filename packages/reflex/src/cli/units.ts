import { utc } from '../protocol/plain.ts'
const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** Returns a duration: `84 ms`, `1.9 s`, `2 m 05 s`, `3 h 20 m`, `6 d`. */
export function duration(ms: number): string {
  if (ms < SECOND) return `${Math.max(0, Math.round(ms))} ms`
  if (ms < MINUTE - 50) return `${(ms / SECOND).toFixed(1)} s`
  if (ms < HOUR) return `${Math.floor(Math.round(ms / SECOND) / 60)} m ${two(Math.round(ms / SECOND) % 60)} s`
  if (ms < DAY) return `${Math.floor(ms / HOUR)} h ${two(Math.floor((ms % HOUR) / MINUTE))} m`
  return `${Math.floor(ms / DAY)} d`
}

/** Returns an age for lists on a terminal: `20 s`, `3 min`, `2 h`, `6 d`. */
export function age(ms: number): string {
  if (ms < MINUTE) return `${Math.max(0, Math.floor(ms / SECOND))} s`
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min`
  if (ms < DAY) return `${Math.floor(ms / HOUR)} h`
  return `${Math.floor(ms / DAY)} d`
}

/** Returns a size: `412 B`, `3.1 kB`, `2.0 MB`. */
export function size(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`
  return bytes < 1_000_000 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`
}

/** Returns the local time of day, with the date if it is not today: `14:02:07`, `20 Nov 14:02:07`. */
export function localTime(at: number, now: number): string {
  const date = new Date(at)
  const today = new Date(now)
  const time = `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`
  if (date.toDateString() === today.toDateString()) return time
  return `${dayOf(date, today)} ${time}`
}

/** Returns a local date and time to the minute, for due times: `23 Nov 14:02`. */
export function dueTime(at: number, now: number): string {
  const date = new Date(at)
  return `${dayOf(date, new Date(now))} ${two(date.getHours())}:${two(date.getMinutes())}`
}

function dayOf(date: Date, today: Date): string {
  const day = `${date.getDate()} ${MONTHS[date.getMonth()] ?? ''}`
  return date.getFullYear() === today.getFullYear() ? day : `${day} ${date.getFullYear()}`
}

/** Returns a time in UTC, ISO 8601, to the second. */
export function utcSeconds(at: number): string {
  return `${utc(at).slice(0, 19)}Z`
}

function two(number: number): string {
  return String(number).padStart(2, '0')
}
