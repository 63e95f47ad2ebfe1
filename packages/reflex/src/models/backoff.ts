import type { Fault } from '../kernel/index.ts'
import { digestFraction } from '../kernel/journal/digest.ts'

const FIRST = 500
const LONGEST = 20_000

/**
 * Milliseconds to wait before the retry of this number, from 1. What the provider asks for counts; else half a second,
 * twice as long each time, spread by a quarter around it so that many runs do not come back at once. The same call
 * waits the same each time.
 */
export function waitBefore(retry: number, fault: Fault, key: string, now: number): number {
  const { retryAfter, retryAt } = fault.data ?? {}
  if (typeof retryAfter === 'number') return retryAfter
  if (typeof retryAt === 'number') return Math.max(0, retryAt - now)
  const spread = 0.75 + digestFraction(`${key}/${retry}`) / 2
  return Math.round(Math.min(FIRST * 2 ** (retry - 1), LONGEST) * spread)
}
