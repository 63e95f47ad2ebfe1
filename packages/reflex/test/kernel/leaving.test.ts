import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { faults } from '../../src/kernel/journal/faults.ts'
import type { Port } from '../../src/kernel/ports/port.ts'
import { Doors, kindOf, type Step, worldOf } from './world.ts'

/** Asks a question and has two effects at once; what each of them settles with is written down. */
const both: Step = (x, input) => {
  if (input === undefined) {
    x.wait('answer', 'later')
    x.request('first')
    x.request('second')
  } else if (input[0] === 'ok') x.set(`e${input[1]}`, input[2])
}

/** One effect of each port that its source names, one after the other. */
const chain: Step = (x, input) => {
  const ports = x.def as string[]
  const at = Number(x.get('at') ?? 0)
  if (input !== undefined) x.set(`e${at}`, input[0] === 'ok' ? input[2] : input[0])
  const port = ports[at]
  if (port === undefined) return x.done()
  x.set('at', at + 1)
  x.request(port)
}

const kinds = [kindOf('both', both), kindOf('chain', chain)]

describe('a run that is left', () => {
  it('in the middle of an effect is due to anybody, although it waits for a person too', async () => {
    const doors = new Doors()
    const world = worldOf(kinds, { ports: { first: doors.port(), second: doors.port() } })
    const run = await world.start('both')
    await world.host.drain()
    doors.door(0).settle(1)
    for (let i = 0; i < 3; i++) await Promise.resolve()
    expect(run.durable).toBeLessThan(run.state.n)
    await run.leave()
    expect(await world.store.runs()).toMatchObject([{ status: 'running', last: 3, waits: [{ name: 'later' }] }])
    expect(await world.store.due(world.host.now())).toEqual([run.id])

    const heirs = new Doors()
    const next = worldOf(kinds, { store: world.store, ports: { first: heirs.port(), second: heirs.port() } })
    const again = await next.runtime.resume(run.id)
    await next.host.drain()
    expect(heirs.open.length).toBe(1)
    heirs.door().settle(2)
    await again.idle()
    expect(again.status).toBe('suspended')
    again.close()
    expect(await world.store.due(next.host.now())).toEqual([])
  })
})

describe('a run that is drained', () => {
  const ports = (doors: Doors): Record<string, Port> => ({
    keyed: doors.port(true, 'keyed'),
    ask: doors.port(true, 'ask'),
    free: doors.port(),
  })

  it.each([['keyed'], ['free']])('ends what is under way, and leaves what is %s to whoever comes', async (then) => {
    const doors = new Doors()
    const world = worldOf(kinds, { ports: ports(doors) })
    const run = await world.start('chain', { source: ['ask', then] })
    await world.host.drain()
    const drained = run.drain()
    doors.door().settle('done')
    await drained
    expect(doors.open.length).toBe(1)
    expect(run.durable).toBe(run.state.n)
    run.close()
    expect(await world.store.due(world.host.now())).toEqual([run.id])

    const heirs = new Doors()
    const next = worldOf(kinds, { store: world.store, ports: ports(heirs) })
    const again = await next.runtime.resume(run.id)
    await next.host.drain()
    heirs.door().settle('done too')
    await again.idle()
    expect(again.state.ended?.status).toBe('done')
    expect(again.state.root.reader().get('e1')).toBe('done')
  })

  it('begins what would be a question if it were left, and asks nobody about it', async () => {
    const doors = new Doors()
    const world = worldOf(kinds, { ports: ports(doors) })
    const run = await world.start('chain', { source: ['keyed', 'ask', 'keyed'] })
    await world.host.drain()
    const drained = run.drain()
    doors.door(0).settle('one')
    await world.host.drain()
    expect(doors.open.length).toBe(2)
    doors.door(1).settle('two')
    await drained
    expect(doors.open.length).toBe(2)
    run.close()
    const heirs = new Doors()
    const next = worldOf(kinds, { store: world.store, ports: ports(heirs) })
    const again = await next.runtime.resume(run.id)
    await next.host.drain()
    expect([...again.state.waits.values()]).toEqual([])
    expect(heirs.open.map(({ key }) => key)).toEqual([`${run.id}:4`])
  })
})

describe('a run that is closed', () => {
  it('makes a fault only for what waits for a record', async () => {
    const make = vi.spyOn(faults, 'make')
    onTestFinished(() => make.mockRestore())
    const doors = new Doors()
    const world = worldOf(kinds, { ports: { first: doors.port(), second: doors.port() } })
    const [one, other] = [await world.start('both'), await world.start('both')]
    await world.host.drain()
    one.close()
    expect(make).not.toHaveBeenCalled()
    const waiting = [other.hasNextRecord(), other.hasNextRecord()]
    other.close()
    expect(await Promise.all(waiting)).toEqual([false, false])
    expect(make.mock.calls.map(([code]) => code)).toEqual(['R2017'])
  })
})
