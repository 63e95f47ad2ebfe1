import { type ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { Reflex } from '../../reflex/src/app/reflex.ts'
import { workflow } from '../../reflex/src/kinds/workflow/index.ts'
import { defineTool } from '../../reflex/src/tools/index.ts'
import { PostgresProxy } from '../../reflex/test/store/postgres-proxy.ts'
import { PostgresServer, postgresPrograms } from '../../reflex/test/store/postgres-server.ts'
import { openCluster } from '../src/index.ts'
import { clusterCrowd } from './crowd.ts'
import { type WorldLine, Workers } from './processes.ts'
import { until } from './world.ts'

const programs = postgresPrograms()
const skipped = 'missing' in programs ? ` (skipped: ${programs.missing})` : ''

const STEPS = ['one', 'two', 'three', 'four']
const LEASE_MS = 4000

/** Four steps in order, with a question of a person before the last. */
const PROGRAM = workflow({
  id: 'steps',
  entry: 'one',
  nodes: {
    one: { spec: { tool: 'note', args: { step: 'one' } } },
    two: { spec: { tool: 'note', args: { step: 'two' } } },
    three: { spec: { tool: 'note', args: { step: 'three' } } },
    ask: { spec: { ask: 'Go on?', options: [{ event: 'YES' }] } },
    four: { spec: { tool: 'note', args: { step: 'four' } } },
  },
  edges: [
    { id: 'a', from: 'one', to: 'two' },
    { id: 'b', from: 'two', to: 'three' },
    { id: 'c', from: 'three', to: 'ask' },
    { id: 'd', from: 'ask', to: 'four', event: 'YES' },
  ],
})

/** Workers that end with the test. */
function hire(order: ConstructorParameters<typeof Workers>[0]): Workers {
  const workers = new Workers(order)
  onTestFinished(() => workers.end())
  return workers
}

/** What the tools did wrong: a step that is missing or out of order, and a call that was made again after it had ended. */
function wrongIn(lines: readonly WorldLine[], runs: readonly string[]): string[] {
  const wrong: string[] = []
  for (const run of runs) {
    const own = lines.filter((line) => line.run === run)
    const ended = own.filter(({ did }) => did === 'ended').map(({ step }) => step)
    const order = ended.filter((step, i) => ended.indexOf(step) === i)
    if (order.join() !== STEPS.join()) wrong.push(`${run} did ${order.join()}`)
    for (const step of STEPS) {
      const keys = new Set(own.filter((line) => line.step === step).map(({ key }) => key))
      if (keys.size !== 1) wrong.push(`${run} did ${step} under ${keys.size} keys`)
    }
  }
  return wrong
}

describe.skipIf('missing' in programs)(`workers of a cluster in processes of their own${skipped}`, () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await PostgresServer.start()
  })
  afterAll(() => server?.stop())

  /** A process that starts runs and answers, and carries none of them on. */
  function starter(address: string, folder: string): Reflex {
    const note = defineTool({ name: 'note', description: 'Notes.', leaves: true, repeat: 'keyed', needs: () => [], run: () => ({}) })
    const reflex = new Reflex({ store: address, cluster: true, leaseMs: LEASE_MS, workdir: folder, tools: [note] })
    onTestFinished(() => reflex.close())
    return reflex
  }

  async function startAll(reflex: Reflex, names: readonly string[]): Promise<void> {
    await Promise.all(names.map(async (id) => (await reflex.start(PROGRAM, { id })).close()))
  }

  const answerAll = async (reflex: Reflex, names: readonly string[]): Promise<void> => {
    const open = new Set(names)
    await until(async () => {
      for (const { id, run } of await reflex.inbox()) {
        if (!open.delete(run)) continue
        await reflex.answer(id, 'YES', { run: false })
      }
      return open.size === 0
    })
  }

  const ended = async (reflex: Reflex, names: readonly string[]): Promise<boolean> =>
    (await reflex.store.runs({ status: ['completed'], limit: 1000 })).length === names.length

  it('carry runs on to their ends, each step once and in order', async () => {
    const address = server.address()
    // With few slots, one worker cannot take all runs before the other one looks.
    const workers = hire({ address, leaseMs: LEASE_MS, toolMs: 20, tools: true, slots: 2 })
    const reflex = starter(address, workers.folder)
    await Promise.all([workers.start(), workers.start()])
    const names = Array.from({ length: 20 }, (_, i) => `run-${i}`)
    await startAll(reflex, names)
    await answerAll(reflex, names)
    await until(() => ended(reflex, names))
    expect(wrongIn(workers.lines, names)).toEqual([])
    expect(workers.lines.length).toBe(names.length * STEPS.length * 2)
    expect(new Set(workers.lines.map(({ pid }) => pid)).size).toBe(2)
  })

  it('have their own slots, whichever of them joins last', async () => {
    const address = server.address()
    const gate = join(mkdtempSync(join(tmpdir(), 'reflex-gate-')), 'gate')
    onTestFinished(() => rmSync(dirname(gate), { recursive: true, force: true }))
    const workers = hire({ address, leaseMs: LEASE_MS, toolMs: 20, tools: true, gate })
    const reflex = starter(address, workers.folder)
    const slots = [1, 5, 2]
    const all: ChildProcess[] = []
    for (const each of slots) all.push(await workers.start({ slots: each }))
    // More runs than slots: each worker is full, and none may take more.
    const names = Array.from({ length: 12 }, (_, i) => `run-${i}`)
    await startAll(reflex, names)
    const underWay = (): number[] =>
      all.map(({ pid }) => workers.lines.reduce((count, line) => count + (line.pid !== pid ? 0 : line.did === 'begun' ? 1 : -1), 0))
    await until(() => underWay().reduce((sum, count) => sum + count) >= 8)
    expect(underWay()).toEqual(slots)
    writeFileSync(gate, '')
    await answerAll(reflex, names)
    await until(() => ended(reflex, names))
    expect(wrongIn(workers.lines, names)).toEqual([])
  })

  it('lose nothing and repeat nothing that is settled when workers are killed and stopped', async () => {
    const address = server.address()
    const workers = hire({ address, leaseMs: LEASE_MS, toolMs: 50, tools: true })
    const reflex = starter(address, workers.folder)
    // A clock may be off by a quarter of a lease.
    const [killed, stopped] = await Promise.all([workers.start(), workers.start(), workers.start({ aheadMs: LEASE_MS / 5 })])
    const names = Array.from({ length: 30 }, (_, i) => `run-${i}`)
    await startAll(reflex, names)
    await until(() => workers.lines.length >= 30)
    killed.kill('SIGKILL')
    stopped.kill('SIGSTOP')
    await workers.start()
    await answerAll(reflex, names)
    stopped.kill('SIGCONT')
    await until(() => ended(reflex, names))
    expect(wrongIn(workers.lines, names)).toEqual([])
    const again = workers.lines.filter(({ did }) => did === 'begun').length - names.length * STEPS.length
    // Only what was in flight, with eight slots each, in the two that died, and on a slow machine in the other two that are taken for dead.
    expect(again).toBeLessThanOrEqual(32)
  })

  it('continue when the server of the database was away', async () => {
    const own = await PostgresServer.start()
    onTestFinished(() => own.stop())
    const address = own.address()
    const workers = hire({ address, leaseMs: LEASE_MS, toolMs: 20, tools: true })
    const reflex = starter(address, workers.folder)
    await Promise.all([workers.start(), workers.start()])
    const names = Array.from({ length: 20 }, (_, i) => `run-${i}`)
    await startAll(reflex, names)
    await until(() => workers.lines.length >= 20)
    await own.down()
    await own.up()
    await answerAll(reflex, names)
    await until(() => ended(reflex, names))
    expect(wrongIn(workers.lines, names)).toEqual([])
  })

  it('continue when the network to the server is cut again and again', async () => {
    const proxy = await PostgresProxy.start(server.port)
    onTestFinished(() => proxy.stop())
    const schema = new URL(server.address()).searchParams.get('schema') ?? ''
    const workers = hire({ address: server.address({ schema, port: proxy.port }), leaseMs: LEASE_MS, toolMs: 20, tools: true })
    const reflex = starter(server.address({ schema }), workers.folder)
    await Promise.all([workers.start(), workers.start()])
    const names = Array.from({ length: 20 }, (_, i) => `run-${i}`)
    proxy.cutEvery(60)
    await startAll(reflex, names)
    await answerAll(reflex, names)
    await until(() => ended(reflex, names))
    expect(wrongIn(workers.lines, names)).toEqual([])
  })

  it('of a new version take the runs that slept while the old ones were replaced', async () => {
    const address = server.address()
    const workers = hire({ address, leaseMs: LEASE_MS, toolMs: 5, tools: true })
    const reflex = starter(address, workers.folder)
    const old = await workers.start()
    const names = Array.from({ length: 10 }, (_, i) => `run-${i}`)
    await startAll(reflex, names)
    await until(async () => (await reflex.inbox()).length === names.length)
    await workers.drain(old)
    // Answered while no worker is there at all.
    await answerAll(reflex, names)
    await workers.start({ moreTools: ['new'] })
    await until(() => ended(reflex, names))
    expect(wrongIn(workers.lines, names)).toEqual([])
  })

  it('carry on what was answered while their queue was paused, among runs that sleep', async () => {
    const { wrong, delays } = await clusterCrowd({ server, sleeping: 2000, due: 40, workers: 2 })
    expect(wrong).toEqual([])
    expect(delays).toHaveLength(40)
  })

  it('leave a run to those that have its tools, and list it until one is there', async () => {
    const address = server.address()
    const workers = hire({ address, leaseMs: LEASE_MS, toolMs: 5, tools: false })
    const reflex = starter(address, workers.folder)
    const cluster = await openCluster(address, { host: reflex.host })
    onTestFinished(() => cluster.close())
    await workers.start()
    await startAll(reflex, ['run-0'])
    await until(async () => (await cluster.facts()).missingCount === 1)
    expect((await cluster.facts()).missing).toMatchObject([{ run: 'run-0', lacks: ['tool:note'] }])
    expect((await reflex.store.runs())[0]?.status).toBe('running')
    await workers.start({ tools: true })
    await answerAll(reflex, ['run-0'])
    await until(() => ended(reflex, ['run-0']))
    expect(wrongIn(workers.lines, ['run-0'])).toEqual([])
  })

  it('hand their runs to others when they are told to end', async () => {
    const address = server.address()
    const workers = hire({ address, leaseMs: LEASE_MS, toolMs: 20, tools: true })
    const reflex = starter(address, workers.folder)
    const [first] = await Promise.all([workers.start(), workers.start()])
    const names = Array.from({ length: 20 }, (_, i) => `run-${i}`)
    await startAll(reflex, names)
    await until(() => workers.lines.length >= 10)
    await workers.drain(first)
    await answerAll(reflex, names)
    await until(() => ended(reflex, names))
    expect(wrongIn(workers.lines, names)).toEqual([])
    expect(workers.lines.filter(({ did }) => did === 'begun').length).toBe(names.length * STEPS.length)
  })
})
