import { type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Reflex } from '../../reflex/src/app/reflex.ts'
import { workflow } from '../../reflex/src/kinds/workflow/index.ts'
import { defineTool } from '../../reflex/src/tools/index.ts'
import { PostgresServer, postgresPrograms } from '../../reflex/test/store/postgres-server.ts'
import { type ChildOrder, Workers } from './processes.ts'
import { until } from './world.ts'

const programs = postgresPrograms()
const skipped = 'missing' in programs ? ` (skipped: ${programs.missing})` : ''
const LEASE_MS = 4000
/** Milliseconds: longer than any test. */
const GRACE_MS = 3_600_000

const CALL = workflow({ id: 'calls', entry: 'one', nodes: { one: { spec: { tool: 'note', args: { step: 'one' } } } }, edges: [] })

/** A server of its own, workers whose tool ends when `open` is called, and a process that starts runs. */
async function place(more: Partial<ChildOrder> = {}) {
  const server = await PostgresServer.start()
  onTestFinished(() => server.stop())
  const address = server.address()
  const folder = mkdtempSync(join(tmpdir(), 'reflex-drain-'))
  const gate = join(folder, 'gate')
  const workers = new Workers({ address, leaseMs: LEASE_MS, toolMs: 20, tools: true, gate, grace: GRACE_MS, ...more })
  const note = defineTool({ name: 'note', description: 'Notes.', leaves: true, repeat: 'keyed', needs: () => [], run: () => ({}) })
  const reflex = new Reflex({ store: address, cluster: true, leaseMs: LEASE_MS, workdir: folder, tools: [note] })
  onTestFinished(async () => {
    workers.end()
    await reflex.close()
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
  })
  const begun = (): string[] => workers.lines.filter(({ did }) => did === 'begun').map(({ run }) => run)
  const completed = async (count: number): Promise<boolean> => (await reflex.store.runs({ status: ['completed'] })).length === count
  const start = async (id: string): Promise<void> => (await reflex.start(CALL, { id })).close()
  return {
    server,
    workers,
    reflex,
    begun,
    completed,
    start,
    /** Begins to drain a worker with an effect under way while the database is away, which it reports. */
    drainWithoutServer: async (): Promise<ChildProcess> => {
      const leaving = await workers.start()
      await start('first')
      await until(() => begun().length === 1)
      await server.down()
      await workers.beginDrain(leaving)
      await until(() => workers.said.some((line) => line.includes('R5101')))
      return leaving
    },
    open: (): void => writeFileSync(gate, ''),
  }
}

/** Resolves with the exit code of a process, or the signal that ended it. */
async function endOf(child: ChildProcess): Promise<unknown> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  return child.signalCode ?? child.exitCode
}

describe.skipIf('missing' in programs)(`a worker that drains${skipped}`, () => {
  it('counts as alive for longer than a lease: its turn and the room of its call stay its own', async () => {
    const { workers, reflex, begun, completed, start, open } = await place()
    const cluster = await reflex.cluster()
    await cluster.setQueue('tool:note', { slots: 1 })
    const leaving = await workers.start()
    await start('first')
    await until(() => begun().length === 1)
    const [{ id } = { id: '' }] = (await cluster.facts()).workers
    await workers.start()
    await workers.beginDrain(leaving)
    const facts = async () => (await cluster.facts()).workers.find((worker) => worker.id === id)
    await until(async () => (await facts())?.drains === true)
    const since = (await facts())?.seen ?? 0
    await start('second')
    await until(async () => {
      const { seen = 0, isAlive = false } = (await facts()) ?? {}
      return !isAlive || seen > since + 2 * LEASE_MS
    })
    expect(await facts()).toMatchObject({ isAlive: true, drains: true, turns: 1 })
    const queues = await cluster.queues()
    expect(queues.find(({ name }) => name === 'tool:note')).toMatchObject({ begun: 1, waiting: 1 })
    expect(begun()).toEqual(['first'])
    open()
    await until(() => completed(2))
    expect(begun()).toEqual(['first', 'second'])
    expect(await endOf(leaving)).toBe(0)
    // A worker that has left is forgotten in the end.
    expect((await facts())?.isAlive === true).toBe(false)
  })

  it('has its grace although the database is away when it begins to drain, and keeps the result of its effect', async () => {
    const { server, workers, reflex, begun, completed, drainWithoutServer, open } = await place({ repeat: 'ask' })
    const leaving = await drainWithoutServer()
    await server.up()
    open()
    expect(await endOf(leaving)).toBe(0)
    await workers.start()
    await until(() => completed(1))
    expect(await reflex.inbox()).toEqual([])
    expect(begun()).toEqual(['first'])
  })

  it('ends although the database stays away, after the grace of its effect', async () => {
    const { server, workers, drainWithoutServer, open } = await place()
    const leaving = await drainWithoutServer()
    open()
    expect(await endOf(leaving)).toBe(1)
    expect(workers.lines.map(({ did }) => did)).toEqual(['begun', 'ended'])
    await server.up()
  })
})
