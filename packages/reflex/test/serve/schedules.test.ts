import { hostname } from 'node:os'
import * as fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { Reflex } from '../../src/app/reflex.ts'
import { type Fault, isObject, type Store } from '../../src/kernel/index.ts'
import { ServeMetrics } from '../../src/serve/metrics.ts'
import { Calendar } from '../../src/serve/triggers/calendar.ts'
import { SCHEDULE, type Schedule } from '../../src/serve/triggers/config.ts'
import { Scheduler } from '../../src/serve/triggers/scheduler.ts'
import { Schedules } from '../../src/serve/triggers/schedules.ts'
import { memoryStore } from '../../src/store/index.ts'
import { virtualHost, type VirtualHost } from '../../src/testing/index.ts'
import { FakeCluster } from '../app/cluster/fake-cluster.ts'
import { served } from './served.ts'
import { processIn, triggerFolder } from './trigger-folder.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

const schedule = (cron: string, more: Partial<Schedule> = {}): Schedule => SCHEDULE.parse({ cron, program: 'pipeline:ask', ...more })

interface Process {
  readonly reflex: Reflex
  readonly schedules: Schedules
  readonly look: () => Promise<number>
  readonly troubles: string[]
}

/** A process that fires schedules when the test says so. */
function processOver(folder: string, store: Store, host: VirtualHost, id = 'w1'): Process {
  const reflex = new Reflex({ ...processIn(folder, host, id), store })
  const schedules = new Schedules(reflex)
  const troubles: string[] = []
  const scheduler = new Scheduler({ reflex, schedules, metrics: new ServeMetrics(), onTrouble: ({ code }) => troubles.push(code) })
  onTestFinished(() => reflex.close())
  return { reflex, schedules, look: () => scheduler.look(), troubles }
}

/** The times that started a run, from the ledger of starts. */
async function firedTimes(store: Store, name: string): Promise<readonly string[]> {
  const entries = await store.ledger('serve.starts')
  return entries.flatMap(({ key }) => (key.startsWith(`schedule/${name}/`) ? [key.slice(`schedule/${name}/`.length)] : []))
}

async function alone(): Promise<Process & { readonly host: VirtualHost; readonly store: Store }> {
  const host = virtualHost({ at: Date.UTC(2026, 0, 5, 9) })
  const store = memoryStore()
  const made = processOver(triggerFolder().folder, store, host)
  await made.look()
  return { ...made, host, store }
}

describe('a calendar', () => {
  const times = (cron: string, from: string, until: string): readonly string[] =>
    new Calendar(cron, 'Europe/Berlin').last(Date.parse(from), Date.parse(until), 100).map((time) => new Date(time).toISOString())

  test('takes a time that the clock leaves out after the gap, and one that it repeats once', () => {
    expect(times('30 2 * * *', '2026-03-28T12:00Z', '2026-03-29T12:00Z')).toEqual(['2026-03-29T01:00:00.000Z'])
    expect(times('30 2 * * *', '2026-10-24T12:00Z', '2026-10-25T12:00Z')).toEqual(['2026-10-25T00:30:00.000Z'])
    // With a wildcard in the hour, each hour that passes counts: two of them are 02:00.
    expect(times('0 * * * *', '2026-10-24T23:30Z', '2026-10-25T02:30Z')).toHaveLength(3)
    expect(times('0 * * * *', '2026-03-29T00:30Z', '2026-03-29T03:30Z')).toHaveLength(3)
  })

  test('finds the same times forwards and backwards, in every zone', () => {
    const zone = fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu', 'America/St_Johns')
    const field = (most: number, least = 0): fc.Arbitrary<string> =>
      fc.oneof(fc.constant('*'), fc.integer({ min: least, max: most }).map(String))
    fc.assert(
      fc.property(zone, field(59), field(23), field(28, 1), fc.integer({ min: 0, max: 364 }), (where, minute, hour, day, offset) => {
        const calendar = new Calendar(`${minute} ${hour} ${day} * *`, where)
        const from = Date.UTC(2026, 0, 1) + offset * 24 * HOUR
        const forwards = calendar.next(from, 20)
        const backwards = calendar.last(from, forwards.at(-1) ?? from, 20)
        expect(backwards).toEqual(forwards)
      }),
      { numRuns: 60 },
    )
  })
})

describe('a schedule', () => {
  test('starts its program at each time, in the name of the schedule', async () => {
    const { schedules, look, host, store, reflex } = await alone()
    await schedules.add('hourly', schedule('0 * * * *'))
    await look()
    for (let i = 0; i < 3; i++) {
      await host.advance(HOUR)
      await look()
      await look()
    }
    expect(await firedTimes(store, 'hourly')).toEqual(['2026-01-05T10:00:00.000Z', '2026-01-05T11:00:00.000Z', '2026-01-05T12:00:00.000Z'])
    const rows = await reflex.runs()
    expect(rows).toHaveLength(3)
    const { state } = await reflex.runtime.peek(rows[0]?.id ?? '')
    expect(reflex.runtime.settingsOf(state).actor).toBe('schedule/hourly')
    expect(await schedules.list()).toMatchObject([{ name: 'hourly', last: { did: 'started', run: rows[0]?.id }, next: { length: 5 } }])
  })

  test.each<[Schedule['missed'], readonly string[]]>([
    ['skip', []],
    ['last', ['13:00']],
    ['all', ['12:00', '13:00']],
  ])('with missed times and the policy %s', async (missed, wanted) => {
    const { schedules, look, host, store } = await alone()
    await schedules.add('hourly', schedule('0 * * * *', { missed, most: 2 }))
    await look()
    await host.advance(4 * HOUR + 30 * MINUTE)
    await look()
    expect(await firedTimes(store, 'hourly')).toEqual(wanted.map((time) => `2026-01-05T${time}:00.000Z`))
    await host.advance(30 * MINUTE)
    await look()
    expect((await firedTimes(store, 'hourly')).at(-1)).toBe('2026-01-05T14:00:00.000Z')
  })

  test.each<[Schedule['overlap'], readonly string[]]>([
    ['allow', ['suspended', 'suspended']],
    ['skip', ['suspended']],
    ['cancel', ['suspended', 'cancelled']],
  ])('whose run has not ended, with the policy %s', async (overlap, wanted) => {
    const { schedules, look, host, reflex } = await alone()
    await schedules.add('hourly', schedule('0 * * * *', { overlap }))
    await look()
    for (let i = 0; i < 2; i++) {
      await host.advance(HOUR)
      await look()
      await Promise.all([...reflex.runtime.openRuns.values()].map((run) => run.idle()))
      await host.advance(100)
    }
    expect((await reflex.runs()).map(({ status }) => status)).toEqual(wanted)
  })

  test('that is paused has no missed times when it continues', async () => {
    const { schedules, look, host, store } = await alone()
    await schedules.add('hourly', schedule('0 * * * *', { missed: 'all' }))
    await look()
    await schedules.pause('hourly', true)
    await look()
    await host.advance(5 * HOUR)
    await look()
    await schedules.pause('hourly', false)
    await look()
    expect(await firedTimes(store, 'hourly')).toEqual([])
    await host.advance(HOUR)
    await look()
    expect(await firedTimes(store, 'hourly')).toHaveLength(1)
  })

  test('whose program is missing reports it once for each time and goes on', async () => {
    const { schedules, look, host, troubles } = await alone()
    await schedules.add('hourly', schedule('0 * * * *', { program: 'pipeline:nothing' }))
    await look()
    await host.advance(HOUR)
    await look()
    // Another process may have the program.
    expect(troubles).toEqual([])
    await host.advance(MINUTE)
    await look()
    await look()
    expect(troubles).toEqual(['R1021'])
    expect(await schedules.list()).toMatchObject([{ last: { did: 'failed', error: { code: 'R1021' } } }])
  })

  test('is fired once for each time by two processes that stop and look as they like', async () => {
    const { folder } = triggerFolder()
    const action = fc.record({ who: fc.constantFrom('a', 'b', 'both'), minutes: fc.integer({ min: 1, max: 200 }) })
    const zones = fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe')
    const crons = fc.constantFrom('*/30 * * * *', '0 * * * *', '15 2 * * *', '30 2 * * *', '0 0 * * *', '45 */3 * * *')
    // Around the changes of the clock in spring and autumn.
    const begins = fc.constantFrom('2026-03-28T20:00Z', '2026-10-24T20:00Z', '2026-04-04T10:00Z', '2026-03-07T22:00Z')
    await fc.assert(
      fc.asyncProperty(zones, crons, begins, fc.array(action, { minLength: 1, maxLength: 5 }), async (zone, cron, begin, actions) => {
        const host = virtualHost({ at: Date.parse(begin) })
        const store = memoryStore()
        const processes = {
          a: new Reflex({ ...processIn(folder, host, 'a'), store }),
          b: new Reflex({ ...processIn(folder, host, 'b'), store }),
        }
        const looks = Object.fromEntries(
          Object.entries(processes).map(([name, reflex]) => {
            const parts = { reflex, schedules: new Schedules(reflex), metrics: new ServeMetrics(), onTrouble: () => undefined }
            const scheduler = new Scheduler(parts)
            return [name, () => scheduler.look()]
          }),
        )
        await new Schedules(processes.a).add('x', schedule(cron, { zone, missed: 'all', most: 1000, program: 'pipeline:short' }))
        await Promise.all([looks['a']?.(), looks['b']?.()])
        for (const { who, minutes } of actions) {
          await host.advance(minutes * MINUTE)
          await Promise.all(Object.entries(looks).flatMap(([name, look]) => (who === 'both' || who === name ? [look()] : [])))
        }
        await Promise.all([looks['a']?.(), looks['b']?.()])
        const due = new Calendar(cron, zone).last(Date.parse(begin), host.now(), 1000).map((time) => new Date(time).toISOString())
        expect([...(await firedTimes(store, 'x'))].toSorted()).toEqual(due)
        expect(await processes.a.runs()).toHaveLength(due.length)
        await processes.a.close()
        await processes.b.close()
      }),
      { numRuns: 8 },
    )
  })

  test('whose process dies between the claim of a time and the start is started by the next one, as the same run', async () => {
    const { schedules, look, host, store, reflex } = await alone()
    await schedules.add('hourly', schedule('0 * * * *'))
    await look()
    await host.advance(HOUR)
    const { library, workdir } = reflex
    const dying = { store, host, library, workdir, start: () => Promise.reject(new Error('killed')) } as object as Reflex
    const scheduler = new Scheduler({ reflex: dying, schedules, metrics: new ServeMetrics(), onTrouble: () => undefined })
    await scheduler.look().catch(() => undefined)
    expect(await reflex.runs()).toHaveLength(0)
    const [entry] = await store.ledger('serve.starts')
    await look()
    expect((await reflex.runs()).map(({ id }) => id)).toEqual([isObject(entry?.value) ? entry.value.run : ''])
  })
})

test('a process that dies before the first record of a run has used up its name: the next process starts another one, once', async () => {
  const { schedules, look, host, store, reflex } = await alone()
  await schedules.add('hourly', schedule('0 * * * *'))
  await look()
  await host.advance(HOUR)
  const { library, workdir } = reflex
  const worker = { id: 'dead', host: hostname(), pid: 2 ** 22 }
  const start = async (_: unknown, { id }: { readonly id: string }): Promise<never> => {
    await store.hello(worker, host.now(), 15_000)
    const now = host.now()
    const program = ['ask', 'pipeline', 1, 'hash'] as const
    await store.create({ id, trace: 't'.repeat(32), program, status: 'running', started: now, updated: now, due: null, waits: [] }, worker)
    throw new Error('killed')
  }
  const dying = { store, host, library, workdir, start } as object as Reflex
  await new Scheduler({ reflex: dying, schedules, metrics: new ServeMetrics(), onTrouble: () => undefined }).look().catch(() => undefined)
  expect(await reflex.runs()).toHaveLength(0)
  await look()
  await look()
  expect(await reflex.runs()).toHaveLength(1)
  expect(await schedules.list()).toMatchObject([{ last: { did: 'started', run: (await reflex.runs())[0]?.id } }])
})

test('a process that stalls between the claim of a time and the start, for longer than its lease, starts no second run', async () => {
  const { schedules, look, host, store, reflex } = await alone()
  await schedules.add('hourly', schedule('0 * * * *'))
  await look()
  await host.advance(HOUR)
  const stalled = new Reflex({ ...processIn(reflex.workdir, host, 'w2'), store })
  onTestFinished(() => stalled.close())
  const claimed = Promise.withResolvers<void>()
  const wakes = Promise.withResolvers<void>()
  const start = stalled.start.bind(stalled)
  stalled.start = (async (...given: Parameters<typeof start>) => {
    claimed.resolve()
    await wakes.promise
    return start(...given)
  }) as typeof start
  const troubles: string[] = []
  const parts = { reflex: stalled, schedules: new Schedules(stalled), metrics: new ServeMetrics() }
  const late = new Scheduler({ ...parts, onTrouble: ({ code }) => troubles.push(code) }).look()
  await claimed.promise
  await look()
  const [row] = await reflex.runs()
  await host.advance(MINUTE)
  wakes.resolve()
  await late
  expect(troubles).toEqual([])
  expect((await reflex.runs()).map(({ id }) => id)).toEqual([row?.id])
  expect(await schedules.list()).toMatchObject([{ last: { did: 'started', run: row?.id } }])
})

test('a schedule with a place starts its runs there, and a process without a cluster leaves them to others for a minute', async () => {
  const host = virtualHost({ at: Date.UTC(2026, 0, 5, 9) })
  const store = memoryStore()
  const fake = new FakeCluster(store, host)
  const { folder } = triggerFolder()
  const alone = processOver(folder, store, host)
  const { surroundings, ...options } = processIn(folder, host, 'w2')
  if (surroundings === undefined) throw new Error('no surroundings')
  const member = new Reflex({ ...options, store, cluster: true, surroundings: { ...surroundings, clusters: fake } })
  onTestFinished(() => member.close())
  const troubles: string[] = []
  const parts = { schedules: new Schedules(member), metrics: new ServeMetrics(), onTrouble: ({ code }: Fault) => troubles.push(code) }
  const scheduler = new Scheduler({ reflex: member, ...parts })
  await alone.schedules.add('hourly', schedule('0 * * * *', { tenant: 'acme', priority: 4, needs: ['gpu'] }))
  await alone.look()
  await host.advance(HOUR)
  await alone.look()
  expect([await store.runs(), alone.troubles]).toEqual([[], []])
  await Promise.all([scheduler.look(), alone.look()])
  const [row] = await store.runs()
  expect(fake.places.get(row?.id ?? '')).toEqual({ tenant: 'acme', priority: 4, needs: ['has:gpu'] })
  expect(member.runtime.openRuns.size).toBe(0)
  await host.advance(HOUR)
  await host.advance(MINUTE)
  await alone.look()
  expect([await store.runs(), alone.troubles, troubles]).toMatchObject([{ length: 1 }, ['R5142'], []])
})

describe('schedules over HTTP', () => {
  test('are added, listed, paused and removed', async () => {
    const { folder, config } = triggerFolder({
      schedules: { nightly: { cron: '0 3 * * *', zone: 'Europe/Berlin', program: 'pipeline:ask' } },
    })
    const { send } = await served({ triggers: config() }, { workdir: folder })
    const body = { name: 'weekly', cron: '0 9 * * 1', program: 'pipeline:short' }
    expect(await send('POST', '/v1/schedules', body)).toMatchObject({
      status: 201,
      json: { schedule: { name: 'weekly', next: { length: 5 } } },
    })
    expect(await send('POST', '/v1/schedules', body)).toMatchObject({ status: 201 })
    expect(await send('POST', '/v1/schedules', { ...body, cron: '0 8 * * 1' })).toMatchObject({
      status: 409,
      json: { error: { code: 'R6058' } },
    })
    expect(await send('POST', '/v1/schedules', { ...body, name: 'nightly' })).toMatchObject({
      status: 409,
      json: { error: { code: 'R6058' } },
    })
    expect(await send('POST', '/v1/schedules', { ...body, name: 'b', cron: '99 9 * * 1' })).toMatchObject({
      status: 400,
      json: { error: { code: 'R6056' } },
    })
    expect(await send('POST', '/v1/schedules', { ...body, name: 'b', program: 'pipeline:none' })).toMatchObject({
      status: 404,
      json: { error: { code: 'R1021' } },
    })
    expect(await send('POST', '/v1/schedules', { ...body, name: '../b' })).toMatchObject({
      status: 400,
      json: { error: { code: 'R6006' } },
    })
    expect(await send('POST', '/v1/schedules/weekly/pause', {})).toMatchObject({ status: 200, json: { paused: true } })
    expect(await send('GET', '/v1/schedules')).toMatchObject({
      json: {
        schedules: [
          { name: 'nightly', declared: 'file' },
          { name: 'weekly', declared: 'store', paused: true, next: [] },
        ],
      },
    })
    expect(await send('DELETE', '/v1/schedules/weekly')).toMatchObject({ status: 200, json: { removed: 'weekly' } })
    expect(await send('DELETE', '/v1/schedules/weekly')).toMatchObject({ status: 404, json: { error: { code: 'R6057' } } })
    expect(await send('DELETE', '/v1/schedules/nightly')).toMatchObject({ status: 409, json: { error: { code: 'R6058' } } })
  })
})
