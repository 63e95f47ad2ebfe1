import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { Reflex } from '../../reflex/src/app/reflex.ts'
import { defineTool } from '../../reflex/src/tools/index.ts'
import { PostgresServer, postgresPrograms } from '../../reflex/test/store/postgres-server.ts'
import { type WorldLine, Workers } from './processes.ts'
import { until } from './world.ts'

const programs = postgresPrograms()
const skipped = 'missing' in programs ? ` (skipped: ${programs.missing})` : ''
const LEASE_MS = 8000

/** Notes, sleeps for so many milliseconds, and notes again. A worker holds a run that is due again within five seconds. */
const sleeper = (ms: number): string => `return BT.tree("sleeper", {
  root = BT.sequence({ BT.tool("note", { step = "before" }), BT.wait(${ms}), BT.tool("note", { step = "after" }) }),
})
`

/** The most calls that were under way at once. */
function mostAtOnce(lines: readonly WorldLine[]): number {
  let [now, most] = [0, 0]
  for (const { did } of lines) most = Math.max(most, (now += did === 'begun' ? 1 : -1))
  return most
}

describe.skipIf('missing' in programs)(`a run that is woken by a time${skipped}`, () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await PostgresServer.start()
  })
  afterAll(() => server?.stop())

  async function place(sleepMs: number) {
    const address = server.address()
    const workers = new Workers({ address, leaseMs: LEASE_MS, toolMs: 300, tools: true })
    const note = defineTool({ name: 'note', description: 'Notes.', leaves: true, repeat: 'keyed', needs: () => [], run: () => ({}) })
    const reflex = new Reflex({ store: address, cluster: true, leaseMs: LEASE_MS, workdir: workers.folder, tools: [note] })
    onTestFinished(async () => {
      workers.end()
      await reflex.close()
    })
    const file = join(workers.folder, 'sleeper.lua')
    writeFileSync(file, sleeper(sleepMs))
    const start = async (runs: readonly string[], queue: string) =>
      Promise.all(runs.map(async (id) => (await reflex.start(file, { id, queue })).close()))
    const completed = async (): Promise<number> => (await reflex.store.runs({ status: ['completed'] })).length
    return { workers, cluster: await reflex.cluster(), start, completed }
  }

  it('needs a turn in a queue with limits: no more work at once than the operator allows', async () => {
    const { workers, cluster, start, completed } = await place(1500)
    await cluster.setQueue('few', { slots: 1 })
    await workers.start()
    await start(['a', 'b', 'c'], 'few')
    await until(async () => (await completed()) === 3)
    expect([mostAtOnce(workers.lines), workers.lines.length]).toEqual([1, 12])
  })

  it('is released when its queue is paused, and does nothing until that is resumed', async () => {
    const { workers, cluster, start, completed } = await place(4900)
    await cluster.setQueue('plain', {})
    await workers.start()
    await start(['a'], 'plain')
    await until(() => workers.lines.length === 2)
    await cluster.setQueue('plain', { paused: true })
    // Its time has come, and it waits for a turn.
    await until(async () => (await cluster.queues()).find(({ name }) => name === 'plain')?.waiting === 1)
    expect(workers.lines.map(({ step }) => step)).toEqual(['before', 'before'])
    await cluster.setQueue('plain', { paused: false })
    await until(async () => (await completed()) === 1)
    expect(workers.lines.length).toBe(4)
  })
})
