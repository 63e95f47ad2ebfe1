import { describe, expect, it } from 'vitest'
import type { Run } from '../../src/kernel/run/run.ts'
import { Doors, kindOf, type Step, worldOf } from './world.ts'

const counts: Step = (x) => {
  const at = Number(x.position ?? 0)
  if (at >= Number(x.def)) return x.done(at)
  x.go(at + 1)
  x.again()
}

/** Two effects at once. */
const both: Step = (x, input) => {
  if (input === undefined) {
    x.request('leaves')
    x.request('costs')
  } else if (x.pendingEffects().length === 1) x.done()
}

const kinds = [kindOf('counts', counts), kindOf('both', both)]

/** A subscriber that is done when the test says so. */
class Slow {
  #open: (() => void)[] = []
  readonly told: number[] = []

  readonly subscribe = (run: Run): void => {
    run.subscribe((_, n) => {
      this.told.push(n)
      return new Promise<void>((resolve) => this.#open.push(resolve))
    })
  }

  done(): void {
    for (const resolve of this.#open.splice(0)) resolve()
  }
}

describe('a subscriber that returns a promise', () => {
  it('holds up what leaves, and neither commits nor what only costs', async () => {
    const doors = { leaves: new Doors(), costs: new Doors() }
    const ports = { leaves: doors.leaves.port(true, 'keyed'), costs: { ...doors.costs.port(), costs: true } }
    const slow = new Slow()
    const { start, host } = worldOf(kinds, { ports })
    const run = await start('both', { prepare: slow.subscribe })
    await host.drain()
    expect([run.durable, slow.told, doors.leaves.open.length, doors.costs.open.length]).toEqual([2, [1, 2], 0, 1])
    slow.done()
    await host.drain()
    expect(doors.leaves.open.length).toBe(1)
  })

  it('is waited for by idle, by the end of the run, and by the close of the runtime', async () => {
    const slow = new Slow()
    const { start, host, runtime } = worldOf(kinds)
    const run = await start('counts', { source: 3, prepare: slow.subscribe })
    const over: string[] = []
    void run.idle().then(() => over.push('idle'))
    await host.drain()
    expect([over, run.durable, runtime.openRuns.size]).toEqual([[], 5, 1])
    void runtime.close().then(() => over.push('closed'))
    await host.drain()
    expect(over).toEqual([])
    slow.done()
    await host.drain()
    expect([over, runtime.openRuns.size]).toEqual([['idle', 'closed'], 0])
  })

  it('is waited for by the close of the runtime although its run is closed', async () => {
    const slow = new Slow()
    const { start, host, runtime } = worldOf(kinds)
    const run = await start('counts', { source: 3, prepare: slow.subscribe })
    await host.drain()
    run.close()
    let isClosed = false
    void runtime.close().then(() => (isClosed = true))
    await host.drain()
    expect(isClosed).toBe(false)
    slow.done()
    await host.drain()
    expect(isClosed).toBe(true)
  })

  it('stops a run that gets too far ahead of it, and a run of any length ends', async () => {
    let [behind, most, batch] = [0, 0, 0]
    const { start, host } = worldOf(kinds)
    const run = await start('counts', {
      source: 30_000,
      prepare: (made) =>
        void made.subscribe((_, n) => {
          behind++
          batch++
          most = Math.max(most, behind)
          // Ten turns of the event loop for each batch.
          if (n < made.durable) return undefined
          const size = batch
          batch = 0
          return host.drain(10).then(() => (behind -= size))
        }),
    })
    await run.idle()
    expect([run.state.ended?.value, behind]).toEqual([30_000, 0])
    expect(most).toBeLessThan(5_000)
  })
})

it('a subscriber hears once of each rest', async () => {
  let rests = 0
  const asks: Step = (x, input) => (input === undefined ? void x.wait('answer', 'q') : x.done(input[2]))
  const { start } = worldOf([kindOf('asks', asks)])
  const run = await start('asks', {
    prepare: (made) =>
      void made.subscribe(
        () => undefined,
        () => rests++,
      ),
  })
  await run.idle()
  await run.idle()
  expect(rests).toBe(1)
  await run.answer('2w', 1)
  await run.idle()
  expect(rests).toBe(2)
})
