import { join } from 'node:path'
import { Reflex } from '../../packages/reflex/src/index.ts'
import type { Line } from '../measure.ts'
import { tickFolder, ticks } from './ticks.ts'

/** Events that come one after another, and those that come together. */
const ALONE = 2_000
const TOGETHER = 20_000
const GROUP = 256

/** Measures events that are sent to a running graph with a store in SQLite. A sender continues once its event is durable. */
export async function liveEvents(line: Line): Promise<void> {
  const place = tickFolder()
  const reflex = new Reflex({ workdir: place.folder, store: join(place.folder, 'store.db') })
  try {
    const run = await reflex.start(place.graph, { dataflow: { stays: true } })
    await run.idle()
    const events = ticks(ALONE + TOGETHER)
    const send = (): Promise<unknown> => run.run.message('event', events.next().value, { by: 'bench' })
    const [alone, aloneClock] = await measured(ALONE, async () => {
      for (let i = 0; i < ALONE; i++) await send()
    })
    line('live event, one after another, SQLite', rateOf(aloneClock), `${alone.toFixed(0)} us of processor time an event`)
    const [together, togetherClock] = await measured(TOGETHER, async () => {
      for (let i = 0; i < TOGETHER; i += GROUP) await Promise.all(Array.from({ length: Math.min(GROUP, TOGETHER - i) }, send))
    })
    line(`live event, ${GROUP} at once, SQLite`, rateOf(togetherClock), `${together.toFixed(1)} us of processor time an event`)
    await run.run.message('event', null, { by: 'bench' })
    await run.idle({ until: 'end' })
    const { events: taken } = run.value as { events: number }
    if (taken !== ALONE + TOGETHER) throw new Error(`${taken} events were taken`)
  } finally {
    await reflex.close()
    place.remove()
  }
}

/** Returns microseconds of processor time, and by the clock, for each of `count`. */
async function measured(count: number, work: () => Promise<void>): Promise<readonly [used: number, clock: number]> {
  const [from, start] = [process.cpuUsage(), performance.now()]
  await work()
  const clock = ((performance.now() - start) * 1000) / count
  const { user, system } = process.cpuUsage(from)
  return [(user + system) / count, clock]
}

function rateOf(microseconds: number): string {
  return `${(1e6 / microseconds).toFixed(0)} events/s`
}
