import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Surroundings } from '../../src/app/host.ts'
import { digest, type Port } from '../../src/kernel/index.ts'
import { Reflex } from '../../src/app/reflex.ts'
import { memoryStore } from '../../src/store/index.ts'
import { virtualHost } from '../../src/testing/index.ts'
import { settingsWith } from '../policy/settings.ts'
import { newFolder } from './folders.ts'
import { type Life, PLACES } from './workers.ts'

/** A port that never comes to an end, and counts how often it began. */
function endless(traits: Pick<Port, 'leaves' | 'repeat'> = { leaves: false, repeat: 'free' }): {
  readonly port: Port
  readonly begun: () => number
} {
  let begun = 0
  const perform = (): Promise<never> => {
    begun++
    return new Promise(() => undefined)
  }
  return { port: { ...traits, perform }, begun: () => begun }
}

const lines = async ({ reflex }: Life): Promise<string[]> =>
  (await reflex.trace('otter')).lines.map(({ event: { mark, text = '' } }) => `${mark} ${text}`.trim())

describe.each(PLACES)('cancelling a stored run, %s', (_, place) => {
  test('ends it at its question, says who and why, and is no news the second time', async () => {
    const here = place().live(virtualHost())
    await here.reflex.run(here.program('waits', { questions: ['approve'] }), { id: 'otter' })
    const { record, handle } = await here.reflex.cancel('otter', { reason: 'it was withdrawn' })
    await handle?.idle()
    expect(handle?.status).toBe('cancelled')
    expect(await lines(here)).toEqual(['note step', 'note cancelled by ana: it was withdrawn'])
    expect(record).toBeGreaterThan(1)
    expect((await here.reflex.inbox()).length).toBe(0)
    expect(await here.reflex.replay('otter')).toMatchObject({ result: 'equal' })
    await expect(here.reflex.cancel('otter')).rejects.toMatchObject({ code: 'R2001', message: 'otter was cancelled' })
  })

  test('performs nothing again that was in flight when its process died', async () => {
    const { port, begun } = endless()
    const [host, scene] = [virtualHost(), place()]
    const first = scene.live(host, { slow: port })
    await first.reflex.start(first.program('acts', { port: 'slow' }), { id: 'otter' })
    await host.drain()
    expect(begun()).toBe(1)
    await first.reflex.close()
    const second = scene.live(host, { slow: port })
    second.program('acts', { port: 'slow' })
    const { handle } = await second.reflex.cancel('otter')
    await handle?.idle()
    expect({ status: handle?.status, begun: begun() }).toEqual({ status: 'cancelled', begun: 1 })
  })

  test('of a run that another process holds goes through the inbox', async () => {
    const [host, scene] = [virtualHost(), place()]
    const holder = scene.live(host, {}, process.pid)
    const held = await holder.reflex.run(holder.program('waits', { questions: ['approve'] }), { id: 'otter' })
    const other = scene.live(host)
    const { did, message, handle, record } = await other.reflex.cancel('otter', { by: 'ben', wait: 0 })
    expect({ did, told: message !== undefined, handle, record }).toEqual({
      did: 'requested',
      told: true,
      handle: undefined,
      record: undefined,
    })
    await host.advance(1000)
    expect(held.status).toBe('cancelled')
    expect(await lines(other)).toEqual(['note step', 'note cancelled by ben'])
  })

  test('waits for the process that holds the run, and reports the result and the effects that may have happened', async () => {
    const [host, scene] = [virtualHost(), place()]
    const ports = { bank: endless({ leaves: true, repeat: 'keyed' }).port }
    const holder = scene.live(host, ports, process.pid)
    await holder.reflex.start(holder.program('acts', { port: 'bank' }), { id: 'otter' })
    await host.drain()
    const other = scene.live(host, ports)
    other.program('acts', { port: 'bank' })
    const asked: number[] = []
    const cancelling = other.reflex.cancel('otter', { requested: ({ pid }) => void asked.push(pid) })
    await host.advance(2000)
    const effects = [{ key: 'otter:2', path: '', port: 'bank', asked: false }]
    expect(await cancelling).toMatchObject({ did: 'cancelled', status: 'cancelled', record: 3, holder: { pid: process.pid }, effects })
    expect(asked).toEqual([process.pid])
  })

  test('says after a limit that the process which holds the run has not taken it, and leaves it in the inbox', async () => {
    const [host, scene] = [virtualHost(), place()]
    const holder = scene.live(host, {}, process.pid)
    await holder.reflex.run(holder.program('waits', { questions: ['approve'] }), { id: 'otter' })
    holder.cable.cut = true
    const other = scene.live(host)
    const cancelling = other.reflex.cancel('otter', { wait: 3000 })
    await host.advance(3500)
    expect(await cancelling).toMatchObject({ did: 'requested', status: 'suspended', holder: { pid: process.pid }, effects: [] })
    holder.cable.cut = false
    await host.advance(1000)
    expect((await other.reflex.find('otter')).status).toBe('cancelled')
  })

  test('cancels by itself where the other process releases the run meanwhile', async () => {
    const [host, scene] = [virtualHost(), place()]
    const holder = scene.live(host, {}, process.pid)
    const held = await holder.reflex.run(holder.program('waits', { questions: ['approve'] }), { id: 'otter' })
    holder.cable.cut = true
    const other = scene.live(host)
    const cancelling = other.reflex.cancel('otter', { by: 'ben' })
    await host.advance(500)
    holder.cable.cut = false
    await held.leave()
    await host.advance(1500)
    expect(await cancelling).toMatchObject({ did: 'cancelled', status: 'cancelled' })
    expect(await lines(other)).toEqual(['note step', 'note cancelled by ben'])
  })

  test('lists the effects in flight when its process died, without those that may be repeated freely', async () => {
    const [host, scene] = [virtualHost(), place()]
    const ports = { bank: endless({ leaves: true, repeat: 'keyed' }).port, slow: endless().port }
    const first = scene.live(host, ports)
    for (const port of ['bank', 'slow']) await first.reflex.start(first.program('acts', { port }), { id: port })
    await host.drain()
    await first.reflex.close()
    const second = scene.live(host, ports)
    for (const port of ['bank', 'slow']) second.program('acts', { port })
    const { did, effects } = await second.reflex.cancel('bank')
    expect({ did, effects }).toEqual({
      did: 'cancelled',
      effects: [{ key: 'bank:2', path: '', port: 'bank', name: 'bank', repeat: 'keyed', asked: false }],
    })
    expect((await second.reflex.cancel('slow')).effects).toEqual([])
  })

  test('of a fork that nobody has told to go on performs nothing', async () => {
    const here = place().live(virtualHost())
    await here.reflex.run(here.program('waits', { questions: ['approve'] }), { id: 'otter' })
    const { id } = await here.reflex.fork('otter')
    const { handle } = await here.reflex.cancel(id)
    await handle?.idle()
    expect(handle?.status).toBe('cancelled')
    expect((await here.reflex.find('otter')).status).toBe('suspended')
  })
})

test('a run can be cancelled where the module of its tools is gone, and nobody else can go on with it', async () => {
  const cwd = newFolder()
  const store = memoryStore()
  const troubles: string[] = []
  const life = (pid: number): Reflex => {
    const reflex = new Reflex({ workdir: cwd, store, surroundings: here(pid), onTrouble: ({ code }) => void troubles.push(code) })
    onTestFinished(() => reflex.close())
    return reflex
  }
  const here = (pid: number): Surroundings => {
    const worker = { id: `t${pid}`, host: 'test', pid: 2 ** 22 + pid }
    return { host: virtualHost(), worker, cwd, environment: {}, actor: 'ana', seal: (text) => digest(text) }
  }
  const { runtime } = life(1)
  await runtime.programs.load('workflow')
  const program = runtime.programs.add('workflow', 'asks', {
    id: 'asks',
    entry: 'a',
    nodes: { a: { id: 'a', spec: { ask: 'Go on?' } } },
    edges: [],
  })
  const settings = settingsWith({ actor: 'ana', workdir: cwd, tools: [join(cwd, 'gone.ts')] })
  const run = await runtime.start(program, { id: 'otter', settings })
  await run.idle()
  await run.leave()
  await expect(life(2).resume('otter')).rejects.toMatchObject({ code: 'R1026' })
  const { handle } = await life(3).cancel('otter')
  await handle?.idle()
  expect({ status: handle?.status, troubles }).toEqual({ status: 'cancelled', troubles: ['R1026'] })
})
