import { systemHost, type VirtualHost } from '../../kernel/index.ts'
import { readDuration } from '../../agents/index.ts'
import type { Outside } from './outside.ts'

/** The number of turns of the event loop in which a run must rest when no call is in progress outside. */
const TURNS = 100_000

/**
 * Runs until a promise settles. Calls in progress outside get real time; then the still clock advances to the next timer. Returns false if
 * that did not settle the promise.
 */
export async function waitFor(promise: Promise<unknown>, host: VirtualHost, outside: Outside): Promise<boolean> {
  const result = { over: false }
  const finish = () => void (result.over = true)
  promise.then(finish, finish)
  let since = systemHost.now()
  for (let turns = 0; turns < TURNS && !result.over; turns++) {
    await host.drain(2)
    if (result.over) break
    const { patience } = outside
    if (patience > 0) {
      if (systemHost.now() - since > patience) return false
      turns = 0
      continue
    }
    since = systemHost.now()
    if (!(await host.tick())) return false
  }
  // Throws the rejection of the promise.
  if (result.over) await promise
  return result.over
}

/**
 * Returns the milliseconds of a duration such as `3d` or `90s`. A number is returned unchanged. Throws a `RangeError` for any other value.
 */
export function milliseconds(duration: string | number): number {
  const parsed = readDuration(duration)
  if (parsed === undefined)
    throw new RangeError(`${JSON.stringify(duration)} is not a duration; write 90s, 3d or a whole number of milliseconds`)
  return parsed
}
