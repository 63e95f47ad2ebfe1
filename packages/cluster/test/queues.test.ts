import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type Admission, isFault } from 'reflex-runtime/kernel'
import { Reflex } from '../../reflex/src/app/reflex.ts'
import { workflow } from '../../reflex/src/kinds/workflow/index.ts'
import { defineTool } from '../../reflex/src/tools/index.ts'
import { PostgresServer, postgresPrograms } from '../../reflex/test/store/postgres-server.ts'
import { Workers } from './processes.ts'
import { ClusterWorld, until } from './world.ts'

const programs = postgresPrograms()
const skipped = 'missing' in programs ? ` (skipped: ${programs.missing})` : ''

describe.skipIf('missing' in programs)(`the queues of a cluster${skipped}`, () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await PostgresServer.start()
  })
  afterAll(() => server?.stop())

  /** A world with a worker whose turns end when the test says so. */
  async function gated() {
    const world = await ClusterWorld.at(server)
    const ends = new Map<string, () => void>()
    const carry = world.carrying()
    let isOver = false
    const join = async (slots = 8): Promise<void> => {
      await world.join(
        async (run) => {
          if (!isOver) await new Promise<void>((resolve) => ends.set(run, resolve))
          return carry(run)
        },
        { slots },
      )
      // A test that fails must not leave turns that never end.
      onTestFinished(() => {
        isOver = true
        endAll()
      })
    }
    const end = (run: string): void => {
      ends.get(run)?.()
      ends.delete(run)
    }
    const endAll = (): void => {
      for (const run of ends.keys()) end(run)
    }
    return { world, join, end, endAll, running: () => [...ends.keys()].sort() }
  }

  async function startIn(world: ClusterWorld, run: string, place: { queue?: string; tenant?: string; priority?: number }): Promise<void> {
    await world.cluster.enlist(run, place)
    await world.start(run)
  }

  it('begins at most as many turns at once as the operator allows', async () => {
    const { world, join, end, endAll, running } = await gated()
    await world.cluster.setQueue('default', { slots: 2 })
    await join()
    for (const run of ['a', 'b', 'c', 'd']) await world.start(run)
    await until(() => running().length === 2)
    const [queue] = await world.cluster.queues()
    expect(queue).toMatchObject({ name: 'default', slots: 2, waiting: 2, begun: 2 })
    const first = running()[0] ?? ''
    end(first)
    await until(async () => (await world.status(first)) === 'completed' && running().length === 2)
    await world.cluster.setQueue('default', { slots: null })
    await until(() => running().length === 3)
    endAll()
    await until(async () => (await world.cluster.queues()).every(({ waiting, begun }) => waiting + begun === 0))
  })

  it('are removed once their runs have ended, and can be created again', async () => {
    const { world, join, end, running } = await gated()
    const { cluster } = world
    await join()
    await expect(cluster.removeQueue('default')).rejects.toMatchObject({ code: 'R5110' })
    await expect(cluster.removeQueue('refunds')).rejects.toMatchObject({ code: 'R5106' })
    for (const round of [1, 2]) {
      const run = `refund-${round}`
      await cluster.setQueue('refunds', {})
      await cluster.enlist(run, { queue: 'refunds' })
      await expect(cluster.removeQueue('refunds')).rejects.toMatchObject({ code: 'R5110' })
      await world.start(run)
      await until(() => running().includes(run))
      await expect(cluster.removeQueue('refunds')).rejects.toMatchObject({ code: 'R5110' })
      end(run)
      await until(async () => (await world.status(run)) === 'completed')
      await until(() =>
        cluster.removeQueue('refunds').then(
          () => true,
          () => false,
        ),
      )
      expect((await cluster.queues()).map(({ name }) => name)).toEqual(['default'])
      await expect(cluster.enlist('late', { queue: 'refunds' })).rejects.toMatchObject({ code: 'R5106' })
    }
  })

  it('are kept for a run that waits for a person', async () => {
    const world = await ClusterWorld.at(server)
    await world.join(world.carrying(() => ({ status: 'suspended' })))
    await world.cluster.setQueue('refunds', {})
    await startIn(world, 'otter', { queue: 'refunds' })
    await until(async () => (await world.status('otter')) === 'suspended')
    await expect(world.cluster.removeQueue('refunds')).rejects.toMatchObject({
      code: 'R5110',
      message: 'the queue refunds has a run that has not ended',
    })
  })

  it('of calls are removed at any time', async () => {
    const world = await ClusterWorld.at(server)
    await world.cluster.setQueue('tool:refund', { slots: 1 })
    await world.cluster.removeQueue('tool:refund')
    expect((await world.cluster.queues()).map(({ name }) => name)).toEqual(['default'])
  })

  it('is not told of workers with other words as of trouble', async () => {
    const world = await ClusterWorld.at(server)
    const troubles: string[] = []
    for (const words of [['kind:note@1'], ['kind:note@1', 'has:gpu'], ['kind:note@1']]) {
      const worker = await world.join(world.carrying(), { can: words, onTrouble: ({ message }) => void troubles.push(message) })
      await worker.drain()
    }
    expect(troubles).toEqual([])
  })

  it('says of a run in which queue it waits, and what for', async () => {
    const { world, join, endAll } = await gated()
    await world.cluster.setQueue('slow', {})
    await startIn(world, 'a', { queue: 'slow' })
    expect(await world.cluster.turn('a')).toMatchObject({
      queue: 'slow',
      state: 'waits',
      isPaused: false,
      workers: 0,
      lacks: expect.any(Array) as [],
    })
    await world.cluster.setQueue('slow', { paused: true })
    await join(1)
    await until(async () => (await world.cluster.turn('a'))?.workers === 1)
    expect(await world.cluster.turn('a')).toMatchObject({ queue: 'slow', state: 'waits', isPaused: true, workers: 1 })
    await world.cluster.enlist('b', { needs: ['has:gpu'] })
    await world.start('b')
    expect(await world.cluster.turn('b')).toMatchObject({
      queue: 'default',
      state: 'waits',
      isPaused: false,
      workers: 1,
      lacks: ['has:gpu'],
    })
    await world.cluster.setQueue('slow', { paused: false })
    await until(async () => (await world.cluster.turn('a'))?.state === 'begun')
    endAll()
    await until(async () => (await world.status('a')) === 'completed')
    expect(await world.cluster.turn('nobody')).toBeUndefined()
  })

  it('leaves room for other tenants, however many turns of one are due', async () => {
    const { world, join, endAll, running } = await gated()
    await join(5)
    for (let i = 0; i < 20; i++) await startIn(world, `big-${i}`, { tenant: 'big' })
    await until(() => running().length === 4)
    await startIn(world, 'small-1', { tenant: 'small' })
    await until(() => running().includes('small-1'))
    expect((await world.cluster.facts()).waiting).toMatchObject([{ queue: 'default', tenant: 'big', waiting: 16 }])
    const stop = setInterval(endAll, 20)
    await until(() => world.turns.length === 21)
    clearInterval(stop)
  })

  it('admits the lowest priority first, then the tenant with the fewest turns, then what waits longest', async () => {
    const { world, join, end, running } = await gated()
    await world.cluster.setQueue('default', { slots: 1 })
    await world.start('first')
    await startIn(world, 'late', { priority: 5 })
    await startIn(world, 'mine-1', { tenant: 'mine' })
    await startIn(world, 'mine-2', { tenant: 'mine' })
    await startIn(world, 'urgent', { priority: -1, tenant: 'mine' })
    await world.start('last')
    await join()
    const order: string[] = []
    for (let i = 0; i < 6; i++) {
      await until(() => running().length === 1)
      order.push(...running())
      end(running()[0] ?? '')
      await until(() => running().length === 0)
    }
    expect(order).toEqual(['urgent', 'first', 'mine-1', 'mine-2', 'last', 'late'])
  })

  it('begins nothing of a paused queue, and goes on when it is resumed', async () => {
    const world = await ClusterWorld.at(server)
    await world.join(world.carrying())
    await world.cluster.setQueue('mail', { paused: true })
    await startIn(world, 'letter', { queue: 'mail' })
    await world.start('other')
    await until(async () => (await world.status('other')) === 'completed')
    expect(await world.state('letter')).toBe('waits')
    expect((await world.cluster.facts()).missingCount).toBe(0)
    await world.cluster.setQueue('mail', { paused: false })
    await until(async () => (await world.status('letter')) === 'completed')
  })

  it('keeps the rate of a queue', async () => {
    const world = await ClusterWorld.at(server)
    await world.join(world.carrying())
    // Two at once, and then one in a day.
    await world.cluster.setQueue('default', { rate: { most: 2, per: 2 * 86_400_000 } })
    for (const run of ['a', 'b', 'c']) await world.start(run)
    await until(() => world.turns.length === 2)
    await until(async () => (await world.cluster.queues())[0]?.begun === 0)
    expect((await world.cluster.queues())[0]).toMatchObject({ waiting: 1, rate: { most: 2, per: 172_800_000 } })
    await world.cluster.setQueue('default', { rate: null })
    await until(() => world.turns.length === 3)
  })

  it('keeps the rate of each tenant, and lets others begin in the meantime', async () => {
    const world = await ClusterWorld.at(server)
    await world.join(world.carrying())
    // Each tenant two at once, and then one in a day.
    await world.cluster.setQueue('default', { tenantRate: { most: 2, per: 2 * 86_400_000 } })
    for (const run of ['a', 'b', 'c', 'd']) await startIn(world, `big-${run}`, { tenant: 'big' })
    for (const run of ['a', 'b']) await startIn(world, `small-${run}`, { tenant: 'small', priority: 5 })
    await until(() => world.turns.length === 4)
    await until(async () => (await world.cluster.queues())[0]?.begun === 0)
    expect((await world.cluster.queues())[0]).toMatchObject({ waiting: 2, tenantRate: { most: 2, per: 172_800_000 } })
    expect((await world.cluster.facts()).waiting).toMatchObject([{ tenant: 'big', waiting: 2 }])
    await world.cluster.setQueue('default', { tenantRate: null })
    await until(() => world.turns.length === 6)
  })

  it('gives a run to a worker that has what it needs', async () => {
    const world = await ClusterWorld.at(server)
    await world.join(world.carrying())
    await world.cluster.enlist('heavy', { needs: ['has:gpu'] })
    await world.start('heavy')
    await until(async () => (await world.cluster.facts()).missingCount === 1)
    expect((await world.cluster.facts()).missing).toMatchObject([
      { run: 'heavy', lacks: ['has:gpu'], needs: expect.arrayContaining(['has:gpu']) as string[] },
    ])
    await world.addWorker('big', ['has:gpu', 'kind:note@1'])
    await until(async () => (await world.state('heavy')) === 'admitted')
  })

  it('lets a worker serve only its queues', async () => {
    const world = await ClusterWorld.at(server)
    await world.cluster.setQueue('gpu', {})
    await world.join(world.carrying(), { queues: ['gpu'] })
    await world.start('plain')
    await startIn(world, 'heavy', { queue: 'gpu' })
    await until(async () => (await world.status('heavy')) === 'completed')
    expect(await world.state('plain')).toBe('waits')
    expect((await world.cluster.facts()).missing).toMatchObject([{ run: 'plain', lacks: [] }])
  })

  /** A worker's door to the queues of calls. They are known to it from the start. */
  async function admissionOf(world: ClusterWorld): Promise<Admission> {
    let given: Admission | undefined
    await world.join(world.carrying(), { limitCalls: (admission) => (given = admission) })
    if (given === undefined) throw new Error('the worker limits no calls')
    return given
  }

  const queueOf = async ({ cluster }: ClusterWorld, queue: string) => (await cluster.queues()).find(({ name }) => name === queue)

  it('limits the calls to a model provider or a tool in the whole cluster, and says how many wait', async () => {
    const world = await ClusterWorld.at(server)
    await world.cluster.setQueue('model:openai', { slots: 2 })
    const admission = await admissionOf(world)
    expect(['model:openai', 'tool:free', 'default'].map((use) => admission.isLimited(use))).toEqual([true, false, false])
    const stop = new AbortController()
    const enter = () => admission.enter('model:openai', stop.signal)
    const [end] = await Promise.all([enter(), enter()])
    expect(await queueOf(world, 'model:openai')).toMatchObject({ slots: 2, begun: 2 })
    let third = 'waits'
    const waiting = enter().then(
      () => (third = 'begun'),
      (reason: unknown) => (third = String(reason)),
    )
    await until(async () => (await queueOf(world, 'model:openai'))?.waiting === 1)
    expect(third).toBe('waits')
    end?.()
    expect(await waiting).toBe('begun')
    const refused = Promise.all([enter().catch(String), enter().catch(String)])
    await until(async () => (await queueOf(world, 'model:openai'))?.waiting === 2)
    stop.abort('dropped')
    expect(await refused).toEqual(['dropped', 'dropped'])
    await until(async () => (await queueOf(world, 'model:openai'))?.waiting === 0)
    // Calls of a worker that is gone end with it, and those that waited there wait no longer.
    await world.sql(`insert into ${world.schema}_cluster.call values ('lost', 'model:openai', 'gone', 0)`)
    await world.sql(`insert into ${world.schema}_cluster.line values ('model:openai', 'gone', 7)`)
    await until(async () => {
      const { begun, waiting: count } = (await queueOf(world, 'model:openai')) ?? {}
      return begun === 2 && count === 0
    })
    await world.cluster.setQueue('tool:late', { slots: 1 })
    await until(() => admission.isLimited('tool:late'))
  })

  it('keeps the rate of calls', async () => {
    const world = await ClusterWorld.at(server)
    await world.cluster.setQueue('tool:refund', { rate: { most: 1, per: 86_400_000 } })
    const admission = await admissionOf(world)
    const stop = new AbortController()
    const end = await admission.enter('tool:refund', stop.signal)
    end()
    const refused = admission.enter('tool:refund', stop.signal).catch(String)
    await until(async () => (await queueOf(world, 'tool:refund'))?.waiting === 1)
    stop.abort('dropped')
    expect(await refused).toBe('dropped')
  })

  it('lets a call wait before it begins: no worker that drains or dies leaves a question, and its run is carried on elsewhere', async () => {
    const address = server.address()
    const workers = new Workers({ address, leaseMs: 4000, toolMs: 0, tools: true, repeat: 'ask' })
    const note = defineTool({ name: 'note', description: 'Notes.', leaves: true, repeat: 'ask', needs: () => [], run: () => ({}) })
    const starter = new Reflex({ store: address, cluster: true, workdir: workers.folder, tools: [note] })
    onTestFinished(async () => {
      workers.end()
      await starter.close()
    })
    const cluster = await starter.cluster()
    const noted = async () => (await cluster.queues()).find(({ name }) => name === 'tool:note')
    const rowOf = async () => (await starter.store.read('otter', 0))?.row
    await cluster.setQueue('tool:note', { paused: true })
    const handle = await starter.start(
      workflow({ id: 'once', entry: 'one', nodes: { one: { spec: { tool: 'note', args: { step: 'one' } } } }, edges: [] }),
      { id: 'otter' },
    )
    const first = await workers.start()
    await until(async () => (await noted())?.waiting === 1)
    expect(await rowOf()).toMatchObject({ status: 'running' })
    await workers.drain(first)
    expect(await rowOf()).toMatchObject({ status: 'running', owner: null })
    const second = await workers.start()
    await until(async () => (await noted())?.waiting === 1 && (await rowOf())?.owner !== null)
    second.kill('SIGKILL')
    await until(() => second.signalCode !== null)
    await workers.start()
    // Long after the death of the one before, the call waits again, and nobody is asked.
    await until(async () => (await cluster.facts()).workers.filter(({ isAlive }) => isAlive).length === 1)
    await until(async () => (await noted())?.waiting === 1)
    expect({ row: (await rowOf())?.waits, done: workers.lines }).toEqual({ row: [], done: [] })
    await cluster.setQueue('tool:note', { paused: false })
    await handle.idle({ until: 'end' })
    expect({ status: handle.status, did: workers.lines.map(({ did }) => did) }).toEqual({ status: 'completed', did: ['begun', 'ended'] })
    await until(async () => {
      const { begun, waiting } = (await noted()) ?? {}
      return begun === 0 && waiting === 0
    })
  }, 120_000)

  it('refuses a queue that does not exist, and limits that cannot be', async () => {
    const { cluster } = await ClusterWorld.at(server)
    const codes = await Promise.all(
      [
        () => cluster.enlist('otter-1', { queue: 'mial' }),
        () => cluster.setQueue('a mail', {}),
        () => cluster.setQueue('model:', {}),
        () => cluster.setQueue('mail', { slots: 0 }),
        () => cluster.setQueue('mail', { share: 2 }),
        () => cluster.setQueue('mail', { rate: { most: 1, per: 0.5 } }),
      ].map((work) => work().then(String, (thrown: unknown) => (isFault(thrown) ? thrown.code : String(thrown)))),
    )
    expect(codes).toEqual(['R5106', 'R5110', 'R5110', 'R5110', 'R5110', 'R5110'])
  })
})
