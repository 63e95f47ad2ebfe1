import type { RunHandle } from '../../packages/reflex/src/runs/handle.ts'
import { startServer } from '../../packages/reflex/src/serve/index.ts'
import { type DurableTimes, evenly, type Order, sharedNow, takeOrders } from './orders.ts'
import { Beats, INPUT, reflexIn } from './programs.ts'

/** A rate that the load does not reach. */
const NO_RATE = 1_000_000_000

const beats = new Beats()
const reflex = reflexIn(process.argv[2] ?? '', 'own.db', beats)
const server = await startServer(reflex, { version: '0.0.0', port: 0, rate: NO_RATE })
const times: Record<string, number> = {}

/** Notes when records of a run become durable, under a name for each. */
function note(handle: RunHandle, nameOf: (n: number) => string): void {
  handle.run.subscribe((_, n) => void (times[nameOf(n)] = sharedNow()))
}

function takeTimes(): DurableTimes {
  const taken = { ...times }
  for (const name of Object.keys(taken)) delete times[name]
  return taken
}

async function begin(runs: number): Promise<string[]> {
  const ids: string[] = []
  for (let i = 0; i < runs; i++) {
    const handle = await reflex.start('beats.workflow.json', { prepare: (run) => note(run, (n) => `${run.id}@${n}`) })
    ids.push(handle.id)
  }
  return ids
}

async function ask(): Promise<void> {
  await reflex.start('ask.dot', { prepare: (run) => note(run, () => `${run.id}/q1`) })
}

async function call(calls: number): Promise<number> {
  const from = performance.now()
  for (let i = 0; i < calls; i++) {
    const handle = await reflex.start('total.workflow.json', { input: INPUT })
    await handle.idle()
  }
  return performance.now() - from
}

takeOrders(server, async (order: Order) => {
  if (order.do === 'begin') return begin(order.runs)
  if (order.do === 'call') return call(order.calls)
  if (order.do === 'beat') {
    const { runs, perSecond, seconds } = order
    // The first records were durable before the streams were open.
    takeTimes()
    await evenly(perSecond, seconds, (i) => beats.strike(runs[i % runs.length] ?? ''))
    return takeTimes()
  }
  if (order.do === 'ask') {
    takeTimes()
    await evenly(order.perSecond, order.seconds, ask)
    await new Promise((resolve) => setTimeout(resolve, 1000))
    return takeTimes()
  }
  await server.stop()
  await reflex.close()
  return undefined
})
