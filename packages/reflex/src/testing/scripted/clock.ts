import { systemHost } from '../../kernel/index.ts'
import { readDuration } from '../../agents/index.ts'
import type { VirtualHost } from '../virtual-host.ts'
import type { Outside } from './outside.ts'

/** Turns of the event loop in which something must come to rest once nothing is under way outside. */
const TURNS = 100_000

/** Carries on until something is over: what is under way outside gets real time, and then the still clock goes on. False if that gave nothing. */
export async function until(told: Promise<unknown>, host: VirtualHost, outside: Outside): Promise<boolean> {
  const heard = { over: false }
  const hear = () => void (heard.over = true)
  told.then(hear, hear)
  let since = systemHost.now()
  for (let turns = 0; turns < TURNS && !heard.over; turns++) {
    await host.settle(2)
    if (heard.over) break
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
  if (heard.over) await told
  return heard.over
}

/** Milliseconds of `3d`, `90s` or a number of them. */
export function milliseconds(duration: string | number): number {
  const read = readDuration(duration)
  if (read === undefined)
    throw new RangeError(`${JSON.stringify(duration)} is no duration: write 90s, 3d or a whole number of milliseconds`)
  return read
}
