import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PostgresServer, postgresPrograms } from '../../reflex/test/store/postgres-server.ts'
import { ClusterTables } from './tables.ts'
import { CAN } from './world.ts'

const programs = postgresPrograms()
const skipped = 'missing' in programs ? ` (skipped: ${programs.missing})` : ''

/** A random action on a cluster. The actions of one group run at the same time, each on its own connection. */
type Action =
  | { readonly do: 'start' | 'begin' | 'end' | 'remove' | 'undo'; readonly run: number }
  | { readonly do: 'die' | 'revive'; readonly worker: number }
  | { readonly do: 'tick'; readonly whole: boolean }

interface Limits {
  readonly slots: number | null
  readonly tenantSlots: number | null
}

const RUNS = 12
const TENANTS = 3
const WORKERS = 2

const anyRun = fc.nat({ max: RUNS - 1 })
const anyAction: fc.Arbitrary<Action> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constantFrom('start', 'begin', 'end'), run: anyRun }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('remove', 'undo'), run: anyRun }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('die', 'revive'), worker: fc.nat({ max: WORKERS - 1 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('tick' as const), whole: fc.boolean() }) },
)
const anyLimit = fc.option(fc.integer({ min: 1, max: 4 }))
const anyGroup = fc.oneof(
  { weight: 4, arbitrary: fc.array(anyAction, { minLength: 1, maxLength: 6 }) },
  { weight: 1, arbitrary: fc.record({ slots: anyLimit, tenantSlots: anyLimit }) },
)

describe.skipIf('missing' in programs)(`the admission of turns${skipped}`, () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await PostgresServer.start()
  })
  afterAll(() => server?.stop())

  it('counts the turns under way, and exceeds no limit, whatever happens at once', async () => {
    const tables = await ClusterTables.at(server)
    const addRun = (run: number): Promise<void> => tables.addRuns(`run-${run}-`, 1, `tenant-${run % TENANTS}`)
    const perform = async (action: Action): Promise<void> => {
      if (action.do === 'tick') return tables.tick(action.whole)
      if ('worker' in action && action.do === 'die')
        return void (await tables.ask(`update own.worker set seen = 0 where id = $1`, [`w${action.worker}`]))
      if ('worker' in action) return tables.addWorker(`w${action.worker}`, 4, [...CAN, `has:${action.worker}`]).catch(() => undefined)
      const id = `run-${action.run}-1`
      if (action.do === 'start') return tables.start(id)
      if (action.do === 'begin') return tables.begin(id, 'w0')
      if (action.do === 'end') return tables.end(id, 'w0')
      if (action.do === 'remove') return void (await tables.ask('delete from store.run where id = $1', [id]))
      // A transaction that fails after it has admitted a turn.
      await tables.ask(`select own.make_due(seq, own.now_ms()), 1 / 0 from store.run where id = $1`, [id]).catch(() => undefined)
    }
    const turns = async (column: 'queue' | 'tenant'): Promise<Map<string, number>> => {
      const rows = await tables.ask<{ name: string; turns: number }>(
        `select ${column} as name, count(*)::integer as turns from own.turn where state in ('admitted', 'begun') group by 1`,
      )
      return new Map(rows.map(({ name, turns }) => [name, turns]))
    }
    await fc.assert(
      fc.asyncProperty(fc.array(anyGroup, { minLength: 4, maxLength: 14 }), async (groups) => {
        await tables.ask('delete from store.run where id <> $1', ['first'])
        await tables.ask('delete from own.place')
        await tables.ask('delete from own.worker')
        for (let worker = 0; worker < WORKERS; worker++) await perform({ do: 'revive', worker })
        for (let run = 0; run < RUNS; run++) await addRun(run)
        let limits: Limits = { slots: null, tenantSlots: null }
        await tables.world.cluster.setQueue('default', limits)
        for (const group of groups) {
          const [inQueue, ofTenants] = [await turns('queue'), await turns('tenant')]
          if (Array.isArray(group)) await Promise.all(group.map(perform))
          else await tables.world.cluster.setQueue('default', (limits = group))
          const wrong = await tables.ask(
            `select queue, tenant, version, coalesce(counted.turns, 0) as counted, coalesce(there.turns, 0) as there from
              (select queue, tenant, version, sum(turns) as turns from own.load group by 1, 2, 3) as counted full join
              (select queue, tenant, version, count(*) as turns from own.turn where state in ('admitted', 'begun') group by 1, 2, 3) as there
              using (queue, tenant, version) where coalesce(counted.turns, 0) <> coalesce(there.turns, 0)`,
          )
          expect(wrong).toEqual([])
          // Turns that ran before a limit was lowered may continue.
          for (const [queue, now] of await turns('queue'))
            if (limits.slots !== null) expect(now).toBeLessThanOrEqual(Math.max(limits.slots, inQueue.get(queue) ?? 0))
          for (const [tenant, now] of await turns('tenant'))
            if (limits.tenantSlots !== null) expect(now).toBeLessThanOrEqual(Math.max(limits.tenantSlots, ofTenants.get(tenant) ?? 0))
        }
      }),
      { numRuns: 15 },
    )
  })

  it('keeps room for others: however many turns of one tenant wait, none of the others waits behind them', async () => {
    const tables = await ClusterTables.at(server)
    await tables.addWorker('w0', 64)
    await tables.addRuns('big-', 400, 'big')
    await tables.ask(`select own.make_due(seq, own.now_ms()) from store.run where id ^@ 'big-'`)
    expect((await tables.underWay()).length).toBe(51)
    for (let tenant = 0; tenant < 9; tenant++) await tables.addRuns(`small-${tenant}-`, 20, `small-${tenant}`)
    const waited: string[] = []
    // Of 64 slots the others need up to 38; each round a turn ends, in the order of their beginning.
    for (let round = 0, started = 0; round < 150; round++) {
      const small = (await tables.underWay()).filter((run) => run.startsWith('small')).length
      if (small < 38 && round % 10 < 6) {
        const run = `small-${started % 9}-${Math.floor(started++ / 9) + 1}`
        await tables.start(run)
        if ((await tables.state(run)) !== 'admitted') waited.push(run)
      }
      const oldest = await tables.ask<{ id: string }>(
        `select id from own.turn where state in ('admitted', 'begun') order by since, run limit 1 offset $1`,
        [round % 20],
      )
      await tables.perform(oldest[0]?.id ?? '', 'w0')
    }
    expect(waited).toEqual([])
    // The big tenant continues.
    expect((await tables.underWay('big')).length).toBeGreaterThan(0)
  })

  it('uses all slots for runs without a tenant, and shares them when a tenant comes', async () => {
    const tables = await ClusterTables.at(server)
    await tables.addWorker('w0', 10)
    await tables.addRuns('plain-', 30)
    await tables.ask(`select own.make_due(seq, own.now_ms()) from store.run where id ^@ 'plain-'`)
    expect((await tables.underWay()).length).toBe(10)
    await tables.addRuns('named-', 30, 'named')
    await tables.ask(`select own.make_due(seq, own.now_ms()) from store.run where id ^@ 'named-'`)
    for (const run of (await tables.underWay()).slice(0, 8)) await tables.perform(run, 'w0')
    const [plain, named] = [await tables.underWay(''), await tables.underWay('named')]
    expect(named.length).toBeGreaterThanOrEqual(plain.length)
    expect(plain.length + named.length).toBeLessThan(10)
  })

  it('does not hold up a turn behind those that no worker can take, and takes these when one comes that can', async () => {
    const tables = await ClusterTables.at(server)
    await tables.addWorker('w0', 1)
    await tables.addRuns('first-', 1)
    await tables.addRuns('heavy-', 700, '', ['has:gpu'])
    await tables.addRuns('last-', 1)
    await tables.start('first-1')
    await tables.ask(`select own.make_due(seq, own.now_ms()) from store.run where id ^@ 'heavy-'`)
    await tables.start('last-1')
    expect(await tables.underWay()).toEqual(['first-1'])
    await tables.perform('first-1', 'w0')
    expect(await tables.underWay()).toEqual(['last-1'])
    await tables.addWorker('gpu', 3, [...CAN, 'has:gpu'])
    await tables.tick()
    expect((await tables.underWay()).length).toBe(4)
  })

  it('makes all runs due of a time that very many have, bite by bite', async () => {
    const tables = await ClusterTables.at(server)
    await tables.addRuns('timed-', 450)
    await tables.ask(`update store.run set due = 5 where id ^@ 'timed-'`)
    let place: readonly number[] | null = null
    const marked: number[] = []
    do {
      const [row]: { tick: { position: number[] | null } }[] = await tables.ask('select own.tick(0, false, $1) as tick', [place])
      place = row?.tick.position ?? null
      const [count] = await tables.ask<{ n: number }>(`select count(*)::integer as n from own.turn where state = 'waits'`)
      marked.push(count?.n ?? 0)
      if (marked.length === 1) await tables.ask(`update store.run set due = own.now_ms() where id = 'first'`)
      // A run that becomes due in the meantime does not wait for the rest.
      if (marked.length === 2) expect(await tables.state('first')).toBe('waits')
    } while (place !== null)
    expect(marked).toEqual([200, 401, 451, ...marked.slice(3)])
  })
})
