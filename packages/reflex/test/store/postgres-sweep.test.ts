import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { openPostgres } from '../../src/store/index.ts'
import { batchOf, NOW, rowOf, TTL, workerOf } from '../../src/testing/store-suite/world.ts'
import { PostgresServer, postgresPrograms } from './postgres-server.ts'

const programs = postgresPrograms()
const skipped = 'missing' in programs ? ` (skipped: ${programs.missing})` : ''

describe.skipIf('missing' in programs)(`a sweep of a Postgres store${skipped}`, { timeout: 60_000 }, () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await PostgresServer.start()
  })
  afterAll(() => server?.stop())

  it('waits for pending writers, and sees their results', async () => {
    const store = openPostgres(server.address({ schema: 'store_sweep' }))
    onTestFinished(() => store.close())
    const worker = workerOf('first')
    await store.hello(worker, NOW, TTL)
    const lease = await store.create(rowOf('otter-2m9q'), worker)
    if (lease === 'taken') throw new Error('taken')
    const [named, spare] = ['ab'.repeat(32), 'cd'.repeat(32)]
    await store.commit([batchOf(lease, 1, { programs: [named, spare].map((hash) => ({ hash, kind: 'workflow', source: '{}' })) })])
    // One transaction of another process that is still open when the sweep starts. Only the server can delay it.
    const writing =
      server.sql(`insert into store_sweep.ledger (name, seq, key, at, sum, value) values ('memory', 1, 'k', 0, 0, '"${named}"');
      select pg_sleep(0.3)`)
    await waitingFor(server)
    const swept = await store.sweep({ now: NOW })
    await writing
    expect(swept).toEqual({ runs: [], programs: [spare], blobs: [], entries: 0 })
  })
})

/** Waits until the other transaction sleeps. */
async function waitingFor(server: PostgresServer): Promise<void> {
  for (let found = 0; found === 0; ) found = (await server.sql(`select 1 from pg_stat_activity where wait_event = 'PgSleep'`)).length
}
