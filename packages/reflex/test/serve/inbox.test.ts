import { describe, expect, test } from 'vitest'
import { Reflex } from '../../src/app/reflex.ts'
import { memoryStore } from '../../src/store/index.ts'
import { newFolder } from '../app/folders.ts'
import { eventsOf, served, type Served, word } from './served.ts'

const ASKS =
  'digraph ask { start [shape=Mdiamond]; gate [shape=hexagon, label="Release?"]; exit [shape=Msquare]; start -> gate; gate -> exit [label="yes"]; gate -> exit [label="no"] }'
const program = { text: ASKS, name: 'ask.dot' }
const INBOX = '/v1/questions/events'

async function asked({ send }: Served, ...ids: string[]): Promise<void> {
  for (const id of ids) await send('POST', '/v1/runs', { program, id, wait: true })
}

/** Returns events as short texts: `question otter/q1`. */
function short(events: Awaited<ReturnType<typeof eventsOf>>): string[] {
  return events.map(({ event, data }) => `${event} ${word(data.id ?? data.question ?? data.questions)}`)
}

describe('the records of many runs as a stream', () => {
  test('a filter by program, kind and status is followed from a place on, over reconnects', async () => {
    const server = await served()
    const other = { text: ASKS.replace('digraph ask', 'digraph other'), name: 'other.dot' }
    const all = eventsOf(server, '/v1/runs/events', { most: 13 })
    const ended = eventsOf(server, '/v1/runs/events?status=completed,failed,cancelled', { most: 3 })
    const others = eventsOf(server, '/v1/runs/events?kind=pipeline&program=pipeline:other', { most: 5 })
    for (const path of ['', '?status=completed'])
      await expect.poll(async () => (await eventsOf(server, `/v1/runs/events${path}`, { most: 1 }))[0]?.event).toBe('begin')
    await asked(server, 'otter')
    await server.send('POST', '/v1/runs', { program: other, id: 'lark', wait: true })
    await server.send('POST', '/v1/runs/otter/questions/q1/answer', { value: 'yes' })
    await server.send('POST', '/v1/runs/lark/cancel', {})
    const events = await all
    const records = events.slice(1).map(({ id }) => id.split('~')[0])
    expect(new Set(records).size).toBe(12)
    expect((await ended).map(({ event, data }) => `${event} ${word(data.run)} ${word(data.status)}`)).toEqual([
      'begin  ',
      'record otter completed',
      'record lark cancelled',
    ])
    expect((await others).slice(1).map(({ id }) => id.split('~')[0])).toEqual(['lark@1', 'lark@2', 'lark@3', 'lark@4'])
    for (const [i, { id }] of events.slice(0, -1).entries()) {
      const rest = await eventsOf(server, '/v1/runs/events', { lastEventId: id, most: events.length - i - 1 })
      expect(rest.map((event) => event.id.split('~')[0])).toEqual(records.slice(i))
    }
    expect(await server.send('GET', '/v1/runs/events?status=done')).toMatchObject({ status: 400, json: { error: { code: 'R6006' } } })
    expect(await server.send('GET', '/v1/runs/events?colour=red')).toMatchObject({ status: 400, json: { error: { code: 'R6006' } } })
  })
})

describe('the inbox as a stream', () => {
  test('open questions come first, then their end, then what happens', async () => {
    const server = await served()
    await asked(server, 'otter')
    const stream = eventsOf(server, INBOX, { most: 5 })
    await expect.poll(async () => (await eventsOf(server, INBOX, { most: 2 })).length).toBe(2)
    await asked(server, 'lark')
    await server.send('POST', '/v1/runs/otter/questions/q1/answer', { value: 'yes' })
    await server.send('POST', '/v1/runs/lark/cancel', {})
    const events = await stream
    expect(short(events)).toEqual(['question otter/q1', 'inbox 1', 'question lark/q1', 'answered otter/q1', 'answered lark/q1'])
    const { questions } = (await server.send('GET', '/v1/questions')).json
    expect(questions).toEqual([])
    expect(events[0]?.data).toMatchObject({ id: 'otter/q1', run: 'otter', text: 'Release?', options: [{ value: 'yes' }, { value: 'no' }] })
    expect(events[3]?.data).toMatchObject({ run: 'otter', why: 'answer', value: 'yes', by: 'ana' })
    expect(events[4]?.data).toMatchObject({ run: 'lark', why: 'ended' })
    expect(events.map(({ id }) => id.split('~')[0])).toEqual(['', '', 'lark@4', 'otter@5', 'lark@6'])
  })

  test('from each id a client gets exactly what followed, also from another server over the same store', async () => {
    const store = memoryStore()
    const [one, other] = [await served({}, { store }), await served({}, { store })]
    const stream = eventsOf(one, INBOX, { most: 7 })
    await asked(one, 'a-1', 'b-1')
    await one.send('POST', '/v1/runs/a-1/questions/q1/answer', { value: 'no' })
    await asked(one, 'c-1')
    await one.send('POST', '/v1/runs/c-1/questions/q1/answer', { value: 'no' })
    await one.send('POST', '/v1/runs/b-1/questions/q1/answer', { value: 'no' })
    const events = await stream
    const all = short(events)
    expect(all.slice(1)).toEqual([
      'question a-1/q1',
      'question b-1/q1',
      'answered a-1/q1',
      'question c-1/q1',
      'answered c-1/q1',
      'answered b-1/q1',
    ])
    for (const [i, { id }] of events.entries()) {
      if (i === events.length - 1) continue
      for (const server of [one, other])
        expect(short(await eventsOf(server, INBOX, { lastEventId: id, most: all.length - i - 1 }))).toEqual(all.slice(i + 1))
    }
  })

  test('an id that is damaged, of another store or of a removed run is refused with 410 and what to do', async () => {
    const server = await served()
    await asked(server, 'otter')
    const id = (await eventsOf(server, INBOX, { most: 2 }))[1]?.id ?? ''
    for (const bad of ['nonsense', 'otter@3', `otter@99${id}`, `lark@1${id}`, '~zzzzzz', `${id}.~`, `~${'z'.repeat(4000)}`, '~../..'])
      expect(await server.send('GET', INBOX, undefined, { 'last-event-id': bad }), bad).toMatchObject({
        status: 410,
        json: { error: { code: 'R6030', fix: expect.stringContaining('without Last-Event-ID') as unknown } },
      })
  })

  test('a run that cannot be read is reported, and the others go on', async () => {
    const store = memoryStore()
    const server = await served({}, { store })
    const stream = eventsOf(server, INBOX, { most: 3 })
    await expect.poll(async () => (await eventsOf(server, INBOX, { most: 1 })).length).toBe(1)
    const batches = store.batches.bind(store)
    store.batches = (run, ...range) => {
      if (run === 'bad-1') throw new Error('the disk is gone')
      return batches(run, ...range)
    }
    const writer = new Reflex({ store, workdir: newFolder(), actor: 'bo' })
    await asked(server, 'bad-1', 'good-1')
    await writer.close()
    const events = await stream
    expect(events.map(({ event, data }) => `${event} ${word(data.run)}`)).toEqual(['inbox ', 'unreadable bad-1', 'question good-1'])
    expect(JSON.stringify(events)).not.toContain('disk')
  })

  test('many clients share one reading of the store', async () => {
    const store = memoryStore()
    const server = await served({}, { store })
    let reads = 0
    const batches = store.batches.bind(store)
    const streams = Array.from({ length: 20 }, () => eventsOf(server, INBOX, { most: 2 }))
    await expect.poll(async () => (await eventsOf(server, INBOX, { most: 1 })).length).toBe(1)
    store.batches = (run, ...range) => {
      reads++
      return batches(run, ...range)
    }
    await asked(server, 'otter')
    for (const events of await Promise.all(streams)) expect(short(events)).toEqual(['inbox 0', 'question otter/q1'])
    expect(reads).toBeLessThan(10)
  })
})
