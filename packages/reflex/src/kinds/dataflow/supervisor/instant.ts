import type { Instant } from '../model/event.ts'

const NANOS = 1_000_000_000

/** Orders instants: negative if `a` is earlier than `b`. */
export function compareInstants(a: Instant, b: Instant): number {
  return a.secs - b.secs || a.nanos - b.nanos
}

/** Returns the instant a number of milliseconds later. Exact, because a double cannot hold nanoseconds since 1970. */
export function later({ secs, nanos }: Instant, milliseconds: number): Instant {
  const sum = nanos + (milliseconds % 1000) * 1_000_000
  return { secs: secs + Math.floor(milliseconds / 1000) + Math.floor(sum / NANOS), nanos: sum % NANOS }
}
