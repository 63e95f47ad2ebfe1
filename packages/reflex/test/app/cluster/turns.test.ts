import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { Reflex } from '../../../src/app/reflex.ts'
import { defineTool } from '../../../src/tools/index.ts'
import { clusterPlace } from './places.ts'

const charge = defineTool({ name: 'charge', description: 'Charges.', repeat: 'free', leaves: false, run: () => ({ paid: true }) })

/** A workflow whose one node calls a tool. */
function charging(workdir: string): string {
  const file = join(workdir, 'pay.workflow.json')
  const nodes = { pay: { id: 'pay', spec: { tool: 'charge', args: {} } }, end: { id: 'end', spec: {} } }
  const edges = [{ id: 'on', from: 'pay', to: 'end', event: 'DONE' }]
  writeFileSync(file, JSON.stringify({ id: 'pay', entry: 'pay', nodes, edges }))
  return file
}

describe('what a worker can run', () => {
  test('every revision of every kind, its tools, and the words of its operator, sorted', async () => {
    const { worker } = clusterPlace()
    const { member } = await worker('one', { tools: [charge] }, { has: ['gpu'] })
    expect(member.can).toEqual([...member.can].sort())
    expect(member.can).toEqual(
      expect.arrayContaining(['has:gpu', 'kind:pipeline@2', 'kind:tree@1', 'kind:workflow@1', 'kind:workflow@3', 'tool:charge']),
    )
    expect(member.can).not.toContain('kind:pipeline@1')
    // Only the process that began the turn of a wrapped agent can continue it.
    expect(member.can.some((word) => word.startsWith('kind:turn@'))).toBe(false)
  })

  test('a run that names a module of tools brings them to a worker without them', async () => {
    const { process, worker, fake, store, workdir } = clusterPlace()
    const module = join(workdir, 'charge.mjs')
    const text = `export const charge = { name: 'charge', description: 'Charges.', repeat: 'free', leaves: false, needs: () => [], run: () => ({}) }`
    writeFileSync(module, text)
    await worker('without')
    await process('starter').start(charging(workdir), { id: 'otter', tools: [module], trust: 'trusted' })
    expect(await fake.workers[0]?.carry('otter', 'default')).toEqual({ did: 'rested' })
    expect((await store.read('otter', 0))?.row.status).toBe('completed')
  })

  test.each([
    [{ queues: ['slwo'] }, 'R5106'],
    [{ queues: ['a queue'] }, 'R5110'],
    [{ has: ['a b'] }, 'R5110'],
    [{ has: ['a\0'] }, 'R5110'],
    [{ slots: 0 }, 'R5110'],
    [{ slots: 1.5 }, 'R5110'],
    [{ slots: 1e9 }, 'R5110'],
  ])('a worker with %j does not join: %s', async (joins, code) => {
    const { worker, fake } = clusterPlace()
    await expect(worker('one', {}, joins)).rejects.toMatchObject({ code })
    expect(fake.workers).toEqual([])
  })

  test.each([0, -1, Number.NaN])('a process with %d slots is refused', (slots) => {
    const { store } = clusterPlace()
    expect(() => new Reflex({ store, cluster: { slots } })).toThrow(expect.objectContaining({ code: 'R1090' }))
  })

  test('a worker without a tool of the program opens nothing and says what is missing; one that has it takes the run', async () => {
    const { process, worker, until, fake, workdir, store } = clusterPlace()
    const starter = process('starter', { tools: [charge] })
    await worker('without')
    const handle = await starter.start(charging(workdir), { id: 'otter' })
    await fake.settle()
    expect(fake.turns).toEqual([['otter', 'without', { did: 'lacks', needs: ['tool:charge'] }]])
    expect((await store.read('otter', 0))?.row).toMatchObject({ last: 1, owner: null, status: 'running' })
    await worker('with', { tools: [charge] })
    await until(handle.idle())
    expect(fake.turns.at(-1)).toEqual(['otter', 'with', { did: 'rested' }])
    expect(fake.calls).toEqual(['enter tool:charge', 'leave tool:charge'])
    expect((await store.read('otter', 0))?.row.last).toBeGreaterThan(1)
  })
})

test('a call to a model asks for room at its provider, and gives it back', async () => {
  const { process, worker, until, fake, workdir } = clusterPlace()
  const file = join(workdir, 'say.dot')
  writeFileSync(
    file,
    'digraph say { start [shape=Mdiamond]; say [shape=box, prompt="Say hello."]; exit [shape=Msquare]; start -> say -> exit }',
  )
  await worker('one', { model: 'simulated' })
  const handle = await process('starter').start(file, { id: 'otter' })
  await until(handle.idle({ until: 'end' }))
  expect(fake.calls).toEqual(['enter model:simulated', 'leave model:simulated'])
})

describe('a turn', () => {
  test('of a run that a living process holds, that has ended, or that is not there', async () => {
    const { worker, fake, store, asks, host, workdir } = clusterPlace()
    const { reflex } = await worker('one')
    const [parts] = fake.workers
    const surroundings = { host, worker: { id: 'laptop', host: 'test', pid: 1 }, cwd: workdir, environment: {}, actor: 'ana' }
    const laptop = new Reflex({ workdir, store, surroundings })
    const held = await laptop.run(asks, { id: 'otter' })
    expect(await parts?.carry('otter', 'default')).toEqual({ did: 'held' })
    await held.leave()
    await laptop.runtime.whenReleased()
    expect(await parts?.carry('otter', 'default')).toEqual({ did: 'rested' })
    expect(reflex.runtime.openRuns.size).toBe(0)
    await laptop.cancel('otter')
    expect(await parts?.carry('otter', 'default')).toEqual({ did: 'gone' })
    expect(await parts?.carry('newt', 'default')).toEqual({ did: 'gone' })
  })

  test('ends when the worker leaves, and the run is released', async () => {
    const { process, worker, fake, asks, store } = clusterPlace()
    const { member } = await worker('one')
    await (await process('starter').start(asks, { id: 'otter' })).leave()
    await fake.settle()
    await member.leave()
    expect(fake.workers).toEqual([])
    expect((await store.read('otter', 0))?.row).toMatchObject({ owner: null, status: 'suspended' })
  })
})

describe('a start', () => {
  test('enlists the run at its place before another process can take it', async () => {
    const { process, fake, asks } = clusterPlace()
    await fake.openCluster('').then((cluster) => cluster.setQueue('slow', {}))
    await process('starter').start(asks, { id: 'otter', queue: 'slow', tenant: 'acme', priority: 3, needs: ['gpu'] })
    expect(fake.places.get('otter')).toEqual({ queue: 'slow', tenant: 'acme', priority: 3, needs: ['has:gpu'] })
  })

  test('in a queue that does not exist is refused, and there is no run that a worker could take', async () => {
    const { process, fake, asks, store, host } = clusterPlace()
    await expect(process('starter').start(asks, { id: 'otter', queue: 'slwo' })).rejects.toMatchObject({ code: 'R5106' })
    expect(await store.due(host.now())).toEqual([])
    expect(fake.places.size).toBe(0)
  })

  test.each([
    [{ queue: 'a queue' }, 'R5110'],
    [{ tenant: '' }, 'R5110'],
    [{ needs: ['a b'] }, 'R5110'],
    [{ priority: 1.5 }, 'R5110'],
    [{ priority: -1 }, 'R5110'],
    [{ priority: 1_000_001 }, 'R5110'],
    [{ tenant: 'ä' }, 'R5110'],
    [{ tenant: 'a\0b' }, 'R5110'],
    [{ queue: 'default\n' }, 'R5110'],
    [{ needs: Array.from({ length: 10_000 }, (_, i) => `w${i}`) }, 'R5110'],
  ])('with the place %j is refused with %s', async (place, code) => {
    const { process, asks, store } = clusterPlace()
    await expect(process('starter').start(asks, { id: 'otter', ...place })).rejects.toMatchObject({ code })
    expect(await store.read('otter', 0)).toBeUndefined()
  })

  test('for a tenant with a name of 10,000 characters is refused with a short message', async () => {
    const { process, asks } = clusterPlace()
    const refused: unknown = await process('starter')
      .start(asks, { tenant: 'a'.repeat(10_000) })
      .catch((thrown: unknown) => thrown)
    expect(refused).toMatchObject({ code: 'R5110' })
    expect(String(refused).length).toBeLessThan(500)
  })

  test('with a place, without a cluster, is refused', async () => {
    const { store, workdir, asks } = clusterPlace()
    const alone = new Reflex({ store, workdir })
    await expect(alone.start(asks, { queue: 'slow' })).rejects.toMatchObject({ code: 'R5142' })
  })

  test('needs a store in Postgres, unless the application brings an engine', async () => {
    const { store, workdir, asks } = clusterPlace()
    const alone = new Reflex({ store, workdir, cluster: true })
    await expect(alone.start(asks, { id: 'otter' })).rejects.toMatchObject({ code: 'R5141' })
    expect(await store.due(Date.now())).toEqual([])
  })
})

describe('answers, messages and cancellations of a member', () => {
  test('are posted, so that a worker takes them, and its own process opens nothing', async () => {
    const { process, worker, until, fake, asks } = clusterPlace()
    const starter = process('starter')
    await worker('one')
    const handle = await starter.start(asks, { id: 'otter' })
    await until(handle.idle())
    const answered = await starter.answer('otter', 'yes')
    expect(answered.handle).toBeUndefined()
    expect(answered.message).toBeDefined()
    await until(handle.idle({ until: 'end' }))
    expect(handle.status).toBe('completed')
    const other = await starter.start(asks, { id: 'newt' })
    await until(other.idle())
    await expect(until(starter.cancel('newt'))).resolves.toMatchObject({ did: 'cancelled' })
    expect(starter.runtime.openRuns.size).toBe(0)
    expect(fake.turns.length).toBeGreaterThan(2)
  })

  test('a second answer is refused as late, and a command is refused', async () => {
    const { process, worker, until, asks } = clusterPlace()
    const starter = process('starter')
    await worker('one')
    const handle = await starter.start(asks, { id: 'otter' })
    await until(handle.idle())
    const [question] = handle.questions
    if (question === undefined) throw new Error('no question')
    await until(handle.answer(question, 'yes'))
    await expect(until(handle.answer(question, 'yes'))).rejects.toMatchObject({ code: 'R2001' })
    await expect(handle.run.command(0, {})).rejects.toMatchObject({ code: 'R5001' })
  })
})

describe('a run that is due again within seconds', () => {
  /** A tree that waits for three seconds. */
  function pausing(workdir: string): string {
    const file = join(workdir, 'pause.tree.json')
    writeFileSync(file, JSON.stringify({ id: 'pause', root: { type: 'wait', id: 'pause', params: { wait_ms: 3000 } } }))
    return file
  }

  test('stays with its worker after its turn, which continues it by itself', async () => {
    const { process, worker, fake, store, host, workdir } = clusterPlace()
    await worker('one')
    await process('starter').start(pausing(workdir), { id: 'heron' })
    await fake.settle()
    expect(fake.turns).toEqual([['heron', 'one', { did: 'rested' }]])
    expect((await store.read('heron', 0))?.row).toMatchObject({ status: 'suspended', owner: { id: 'one' } })
    await host.advance(4000)
    expect((await store.read('heron', 0))?.row).toMatchObject({ status: 'completed', owner: null })
    expect(fake.turns.length).toBe(1)
  })

  test('gives way to the turns of others', async () => {
    const { process, worker, fake, store, host, asks, workdir } = clusterPlace()
    await worker('one', {}, { slots: 1 })
    await process('starter').start(pausing(workdir), { id: 'heron' })
    await fake.settle()
    await process('other').start(asks, { id: 'otter' })
    await fake.settle()
    await host.drain(50)
    expect((await store.read('heron', 0))?.row).toMatchObject({ status: 'suspended', owner: null })
    expect((await store.read('otter', 0))?.row.status).toBe('suspended')
  })
})
