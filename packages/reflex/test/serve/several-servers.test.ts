import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { Reflex } from '../../src/app/reflex.ts'
import { work } from '../../src/app/worker.ts'
import { newFolder } from '../app/folders.ts'
import { PostgresServer, postgresPrograms } from '../store/postgres-server.ts'
import { eventsOf, served, type Served, word } from './served.ts'

const ASKS =
  'digraph ask { start [shape=Mdiamond]; gate [shape=hexagon, label="Release?"]; exit [shape=Msquare]; start -> gate; gate -> exit [label="yes"] }'
const program = { text: ASKS, name: 'ask.dot' }

const programs = postgresPrograms()
const skipped = 'missing' in programs ? ` (skipped: ${programs.missing})` : ''

/** Starts a worker over a store, which ends with the test. */
function worker(store: string): void {
  const reflex = new Reflex({ store, workdir: newFolder(), actor: 'worker' })
  const stop = new AbortController()
  const worked = work(reflex, { signal: stop.signal })
  onTestFinished(async () => {
    stop.abort()
    await worked
    await reflex.close()
  })
}

describe.skipIf('missing' in programs)(`several servers and workers over one Postgres${skipped}`, () => {
  let postgres: PostgresServer
  beforeAll(async () => {
    postgres = await PostgresServer.start()
  })
  afterAll(() => postgres?.stop())

  async function two(): Promise<{ readonly one: Served; readonly other: Served; readonly store: string }> {
    const store = postgres.address()
    return { one: await served({}, { store }), other: await served({}, { store }), store }
  }

  test('a run started on one is answered on the other, and both stream it with the same ids', async () => {
    const { one, other } = await two()
    expect(await one.send('POST', '/v1/runs', { program, id: 'otter', wait: true })).toMatchObject({ status: 201 })
    const streams = [one, other].map((server) => eventsOf(server, '/v1/runs/otter/events'))
    const early = await eventsOf(one, '/v1/runs/otter/events', { most: 2 })
    expect((await other.send('GET', '/v1/questions')).json.questions).toMatchObject([{ id: 'otter/q1' }])
    expect(await other.send('POST', '/v1/runs/otter/questions/q1/answer', { value: 'yes' })).toMatchObject({ status: 200 })
    const [first = [], second = []] = await Promise.all(streams)
    expect(first.at(-1)?.data).toMatchObject({ ended: 'completed' })
    expect(second).toEqual(first)
    const rest = await eventsOf(other, '/v1/runs/otter/events', { lastEventId: early.at(-1)?.id ?? '' })
    expect([...early, ...rest]).toEqual(first)
    expect(await one.send('POST', '/v1/runs/otter/questions/q1/answer', { value: 'yes' })).toMatchObject({ status: 409 })
  })

  test('the inbox and a filter are followed on one and continued on the other', async () => {
    const { one, other } = await two()
    const all = eventsOf(one, '/v1/questions/events', { most: 5 })
    await expect.poll(async () => (await eventsOf(one, '/v1/questions/events', { most: 1 })).length).toBe(1)
    await one.send('POST', '/v1/runs', { program, id: 'a-1', wait: true })
    await other.send('POST', '/v1/runs', { program, id: 'b-1', wait: true })
    await one.send('POST', '/v1/runs/b-1/questions/q1/answer', { value: 'yes' })
    await other.send('POST', '/v1/runs/a-1/questions/q1/answer', { value: 'yes' })
    const events = await all
    expect(new Set(events.slice(1).map(({ event, data }) => `${event} ${word(data.id ?? data.question)}`))).toEqual(
      new Set(['question a-1/q1', 'question b-1/q1', 'answered b-1/q1', 'answered a-1/q1']),
    )
    for (const [i, { id }] of events.slice(0, -1).entries()) {
      const rest = await eventsOf(other, '/v1/questions/events', { lastEventId: id, most: events.length - i - 1 })
      expect(rest.map(({ event, data }) => [event, data])).toEqual(events.slice(i + 1).map(({ event, data }) => [event, data]))
    }
  })

  test('a worker continues what no server holds, and both servers see it', async () => {
    const { one, other, store } = await two()
    await one.send('POST', '/v1/runs', { program, id: 'otter', wait: true })
    one.reflex.runtime.openRuns.get('otter')?.close()
    const stream = eventsOf(other, '/v1/runs/otter/events')
    const inbox = eventsOf(one, '/v1/questions/events', { most: 3 })
    await expect.poll(async () => (await eventsOf(one, '/v1/questions/events', { most: 2 })).length).toBe(2)
    await one.reflex.store.post('otter', {
      id: 'm1',
      type: 'answer',
      to: word((await one.reflex.inbox())[0]?.wait),
      body: 'yes',
      by: 'bo',
      at: Date.now(),
    })
    worker(store)
    expect((await stream).at(-1)?.data).toMatchObject({ ended: 'completed' })
    expect((await inbox).map(({ event }) => event)).toEqual(['question', 'inbox', 'answered'])
    expect((await inbox)[2]?.data).toMatchObject({ question: 'otter/q1', by: 'bo' })
  })

  test('starts with one key on both at once give one run, and pages of a list are read on both', async () => {
    const { one, other } = await two()
    const key = { 'idempotency-key': 'order-7' }
    const body = { program, wait: true }
    const replies = await Promise.all([one, other, one, other, one, other].map(({ send }) => send('POST', '/v1/runs', body, key)))
    expect(replies.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 200, 200, 200, 200, 201])
    const names = replies.map(({ json }) => word(json.run?.id ?? json.run))
    expect(new Set(names).size).toBe(1)
    expect(await one.reflex.runs()).toHaveLength(1)
    for (const id of ['a-1', 'b-1', 'c-1']) await one.send('POST', '/v1/runs', { program, id, wait: true })
    const found: string[] = []
    for (let [next, turn] = ['', 0]; turn === 0 || next !== ''; turn++) {
      const { send } = turn % 2 === 0 ? one : other
      const { json } = await send('GET', `/v1/runs?limit=1${next === '' ? '' : `&cursor=${next}`}`)
      found.push(word(json.runs?.[0]?.id))
      next = word(json.next)
    }
    expect(found).toEqual(['c-1', 'b-1', 'a-1', names[0]])
  })
})
