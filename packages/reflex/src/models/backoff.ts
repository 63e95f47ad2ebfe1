import { type Fault, digestFraction } from '../kernel/index.ts'

const FIRST = 500
const LONGEST = 20_000

/**
 * Returns the milliseconds to wait before the retry with this number, from 1: the time that the provider asks for, else
 * half a second, doubled with each retry. The doubled time varies by a quarter so that many runs do not return at once.
 * The same call waits the same time again.
 */
export function waitBefore(retry: number, fault: Fault, key: string, now: number): number {
  const { retryAfter, retryAt } = fault.data ?? {}
  if (typeof retryAfter === 'number') return retryAfter
  if (typeof retryAt === 'number') return Math.max(0, retryAt - now)
  const spread = 0.75 + digestFraction(`${key}/${retry}`) / 2
  return Math.round(Math.min(FIRST * 2 ** (retry - 1), LONGEST) * spread)
}
