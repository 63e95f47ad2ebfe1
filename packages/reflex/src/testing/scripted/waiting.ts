import { systemHost } from '../../kernel/index.ts'
import { readDuration } from '../../agents/index.ts'
import type { VirtualHost } from '../virtual-host.ts'
import type { Outside } from './outside.ts'

/** Turns of the event loop in which something must come to rest once nothing is under way outside. */
const TURNS = 100_000

/** Carries on until something is over: what is under way outside gets real time, and then the still clock goes on. False if that gave nothing. */
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
  // What went wrong is told here.
  if (result.over) await promise
  return result.over
}

/** Milliseconds of `3d`, `90s` or a number of them. */
export function milliseconds(duration: string | number): number {
  const parsed = readDuration(duration)
  if (parsed === undefined)
    throw new RangeError(`${JSON.stringify(duration)} is no duration: write 90s, 3d or a whole number of milliseconds`)
  return parsed
}
