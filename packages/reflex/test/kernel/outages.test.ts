import { expect, it } from 'vitest'
import { faults } from '../../src/kernel/journal/faults.ts'
import { ledgerPort } from '../../src/kernel/ports/ledger.ts'
import { storeOfEffects } from '../../src/kernel/ports/outage.ts'
import { systemHost } from '../../src/kernel/ports/host.ts'
import { memoryStore } from '../../src/store/index.ts'
import { faults as storeFaults } from '../../src/store/faults.ts'
import { postgresFaults } from '../../src/store/postgres/faults.ts'
import { failingStore } from '../store/failing-store.ts'
import { Doors, kindOf, type Step, worldOf } from './world.ts'

/** Appends to a ledger once another effect has settled, beside a third one that takes longer. */
const appends: Step = (x, input) => {
  if (input === undefined) {
    x.request('quick', null)
    x.request('slow', null)
  } else if (input[0] === 'err') x.done(input[2])
  else if (input[0] === 'ok' && input[2] === 'quick') x.request('ledger', ['append', 'log', 1])
  else if (input[0] === 'ok' && input[2] === 'slow') x.done('written')
}

const OUTAGES: readonly (readonly [string, () => Error])[] = [
  ['the connection is lost', () => postgresFaults.make('R5069', 'lost')],
  ['the outcome is unknown', () => postgresFaults.make('R5070', 'unknown')],
  ['the server takes no writes', () => postgresFaults.make('R5075', 'read-only')],
  ['the disk is full', () => faults.make('R5005', 'full')],
  ['the store is busy', () => storeFaults.make('R5025', 'busy')],
  ['a newer release has changed it', () => storeFaults.make('R5022', 'newer')],
]

it.each(OUTAGES)('stops a run and keeps its effect pending if %s', async (_, fault) => {
  for (const throws of [true, false]) {
    const { store, mend } = failingStore(memoryStore(), 'append', fault, { throws })
    const doors = new Doors()
    let quick = 0
    const ports = {
      ledger: ledgerPort(storeOfEffects(store), systemHost),
      slow: doors.port(),
      quick: { leaves: true, repeat: 'ask' as const, perform: () => (quick++, 'quick') },
    }
    const { runtime, start } = worldOf([kindOf('appends', appends)], { store, ports })
    const run = await start('appends', { id: 'otter' })
    await expect(run.idle({ until: 'end' })).rejects.toEqual(fault())
    expect(doors.door().signal.aborted).toBe(true)
    expect((await runtime.journal('otter')).map(({ input }) => input?.[0])).toEqual(['kernel', undefined, 'ok'])
    mend()
    const resumed = await runtime.resume('otter')
    await expect.poll(() => doors.open.length).toBe(2)
    doors.door().settle('slow')
    await resumed.idle({ until: 'end' })
    expect(resumed.state.ended).toMatchObject({ status: 'done', value: 'written' })
    expect(await store.ledger('log')).toHaveLength(1)
    expect(quick).toBe(1)
  }
})

it('takes a request that no store performs for the outcome of its effect', async () => {
  const store = memoryStore()
  const writes: Step = (x, input) => {
    if (input === undefined) x.request('ledger', ['appendAll', 'log', [{ name: '', value: 1 }]])
    else x.done(input[0] === 'err' ? input[2] : 'written')
  }
  const { start } = worldOf([kindOf('writes', writes)], { store, ports: { ledger: ledgerPort(storeOfEffects(store), systemHost) } })
  const run = await start('writes')
  await run.idle()
  expect(run.state.ended).toMatchObject({ status: 'done', value: { code: 'R5055' } })
})

it('takes a fault of another store for the outcome of the effect that uses it', async () => {
  const { store: other } = failingStore(memoryStore(), 'append', () => postgresFaults.make('R5069', 'lost'))
  const writes: Step = (x, input) => {
    if (input === undefined) x.request('other', null)
    else x.done(input[0] === 'err' ? input[2] : 'written')
  }
  const port = { leaves: true, repeat: 'keyed' as const, perform: async () => other.append('log', 'key', 1, 0) }
  const { start } = worldOf([kindOf('writes', writes)], { ports: { other: port } })
  const run = await start('writes')
  await run.idle({ until: 'end' })
  expect(run.state.ended).toMatchObject({ status: 'done', value: { code: 'R5069' } })
})
