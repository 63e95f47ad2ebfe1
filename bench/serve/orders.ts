import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** An order of the bench to a server in its own process. */
export type Order =
  | { readonly do: 'usage' }
  /** Begins runs that beat, and returns their names. */
  | { readonly do: 'begin'; readonly runs: number }
  /** Lets these runs beat in turns: each beat is one record. */
  | { readonly do: 'beat'; readonly runs: readonly string[]; readonly perSecond: number; readonly seconds: number }
  /** Starts runs that ask a question. */
  | { readonly do: 'ask'; readonly perSecond: number; readonly seconds: number }
  /** Calls a program without a protocol. Returns the milliseconds. */
  | { readonly do: 'call'; readonly calls: number }
  | { readonly do: 'stop' }

/** The use of a process: bytes after a collection, and microseconds of the processor. */
export interface Usage {
  readonly resident: number
  readonly heap: number
  readonly processor: number
}

/** The time at which each event became durable, in milliseconds of the clock that all processes of a machine share. */
export type DurableTimes = Readonly<Record<string, number>>

/** Performs the orders of the parent process, one at a time, and says once where it listens. */
export function takeOrders(ready: { readonly url: string; readonly token: string }, perform: (order: Order) => unknown): void {
  process.on('message', ({ id, order }: { readonly id: number; readonly order: Order }) => {
    void (async () => {
      const result = order.do === 'usage' ? usage() : await perform(order)
      process.send?.({ id, result })
      if (order.do === 'stop') process.disconnect()
    })().catch((thrown: unknown) => {
      process.send?.({ id, failure: thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown) })
    })
  })
  // The parent process has ended, perhaps by a failure.
  process.on('disconnect', () => process.exit())
  if (!process.connected) process.exit()
  process.send?.({ id: 0, result: ready })
}

/** Milliseconds of a clock that all processes of this machine share. */
export function sharedNow(): number {
  return Number(process.hrtime.bigint()) / 1e6
}

/** Calls at even times, as often as a rate says; a late call is made up for. */
export async function evenly(perSecond: number, seconds: number, call: (i: number) => unknown): Promise<void> {
  const begun = sharedNow()
  for (let i = 0; i < perSecond * seconds; i++) {
    const due = begun + (i * 1000) / perSecond
    const early = due - sharedNow()
    if (early > 0) await new Promise((resolve) => setTimeout(resolve, early))
    await call(i)
  }
}

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

function usage(): Usage {
  const { user, system } = process.cpuUsage()
  collectGarbage()
  const { rss, heapUsed, external } = process.memoryUsage()
  return { resident: rss, heap: heapUsed + external, processor: user + system }
}
