import { describe, expect, test } from 'vitest'
import { CATALOGUE } from '../../src/protocol/catalogue.ts'
import { ReflexClient, type ReflexError, type StreamEvent } from '../../src/client/index.ts'
import { served } from '../serve/served.ts'

const ASKS =
  'digraph ask { start [shape=Mdiamond]; gate [shape=hexagon, label="Release?"]; exit [shape=Msquare]; start -> gate; gate -> exit [label="yes"]; gate -> exit [label="no"] }'
const program = { text: ASKS, name: 'ask.dot' }
const JSON_TYPE = { 'content-type': 'application/json' }

/** A `fetch` that answers from a list: a response, or an error for a connection that breaks off. */
function answers(...list: (Response | Error)[]): { readonly fetch: typeof fetch; readonly sent: RequestInit[] } {
  const sent: RequestInit[] = []
  return {
    sent,
    async fetch(_, init) {
      sent.push(init ?? {})
      const next = list.shift() ?? new Response(null, { status: 204 })
      if (next instanceof Error) throw next
      return next
    },
  }
}

const clientOf = (own: typeof fetch, retries = 3): ReflexClient =>
  new ReflexClient({ url: 'http://reflex.test', token: 't', fetch: own, retries })
const busy = (): Response =>
  new Response(JSON.stringify({ error: { code: 'R6008', verdict: 'retry', message: 'busy', data: { retryAfter: 0 } } }), {
    status: 429,
    headers: JSON_TYPE,
  })
const events = (...numbers: number[]): Response =>
  new Response(numbers.map((n) => `id: otter@${n}\nevent: record\ndata: {"record":${n}}\n\n`).join(''), {
    headers: { 'content-type': 'text/event-stream' },
  })

async function refusal(made: Promise<unknown>): Promise<ReflexError> {
  return made.then(
    () => Promise.reject(new Error('it was not refused')),
    (thrown: unknown) => thrown as ReflexError,
  )
}

describe('a run over HTTP', () => {
  test('is started, followed, answered with a reason and read', async () => {
    const { url, token } = await served()
    const client = new ReflexClient({ url, token })
    const started = await client.runs.start({ program, id: 'otter', wait: true })
    expect(started).toMatchObject({ run: 'otter', status: 'suspended' })
    const { questions } = await client.questions.list()
    expect(questions).toMatchObject([{ id: 'otter/q1', text: 'Release?' }])
    const seen: StreamEvent[] = []
    for await (const event of client.runs.events('otter', { after: 1 })) {
      seen.push(event)
      if (seen.length === started.records - 1)
        expect(await client.questions.answer('otter', 'q1', { value: 'yes', reason: 'the tests pass' })).toMatchObject({
          answered: { by: 'ana', reason: 'the tests pass' },
        })
    }
    expect(seen.map(({ id }) => id)).toEqual(seen.map((_, i) => `otter@${i + 2}`))
    expect(seen.at(-1)?.data).toMatchObject({ ended: 'completed' })
    expect((await client.runs.get('otter')).run.status).toBe('completed')
    expect(await client.runs.graph('otter', { format: 'dot' })).toContain('digraph')
    expect((await client.runs.archive('otter')).split('\n')[0]).toContain('"archive"')
  })

  test('that is started twice with one key is one run', async () => {
    const { url, token } = await served()
    const client = new ReflexClient({ url, token })
    const key = { idempotencyKey: 'order-7' }
    const [first, second] = [await client.runs.start({ program, wait: true }, key), await client.runs.start({ program, wait: true }, key)]
    expect(second).toEqual(first)
  })
})

describe('a refusal', () => {
  test('is an error with the code, the status and the fix', async () => {
    const { url, token } = await served()
    const client = new ReflexClient({ url, token })
    expect(await refusal(client.runs.get('nobody'))).toMatchObject({
      name: 'ReflexError',
      code: 'R2016',
      status: 404,
      fix: expect.any(String) as unknown,
    })
    const other = new ReflexClient({ url, token: 'wrong' })
    expect(await refusal(other.runs.list())).toMatchObject({ code: 'R6001', status: 401 })
    expect(await refusal(new ReflexClient({ url: 'http://127.0.0.1:1', token, retries: 0 }).health())).toMatchObject({
      code: 'R6070',
      status: 0,
    })
    for (const code of ['R6070', 'R6071']) expect(CATALOGUE.has(code)).toBe(true)
  })

  test('of another server is not taken for one of Reflex', async () => {
    const html = new Response('<h1>404</h1>', { status: 404 })
    expect(await refusal(clientOf(answers(html).fetch).runs.list())).toMatchObject({ code: 'R6071', status: 404 })
    const garbled = new Response('{', { headers: JSON_TYPE })
    expect(await refusal(clientOf(answers(garbled).fetch).runs.list())).toMatchObject({ code: 'R6071', status: 200 })
  })
})

describe('a request that fails in passing', () => {
  const ok = (): Response => new Response('{"v":1,"runs":[],"more":false}', { headers: JSON_TYPE })

  test('is repeated if it changes nothing, at most as often as is allowed', async () => {
    const { fetch: own, sent } = answers(busy(), busy(), ok())
    expect(await clientOf(own).runs.list()).toMatchObject({ runs: [] })
    expect(sent).toHaveLength(3)
    const few = answers(busy(), busy(), ok())
    expect(await refusal(clientOf(few.fetch, 1).runs.list())).toMatchObject({ code: 'R6008' })
    expect(few.sent).toHaveLength(2)
  })

  test('is repeated with the same key if it is a start, and sent once if it is anything else', async () => {
    const start = answers(busy(), ok())
    await clientOf(start.fetch).runs.start({ program: 'pipeline:ask' })
    const keys = start.sent.map(({ headers }) => new Headers(headers).get('idempotency-key'))
    expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/)
    expect(keys[1]).toBe(keys[0])
    const cancel = answers(busy(), ok())
    expect(await refusal(clientOf(cancel.fetch).runs.cancel('otter'))).toMatchObject({ code: 'R6008' })
    expect(cancel.sent).toHaveLength(1)
  })
})

describe('a stream', () => {
  test('that breaks off is continued after the last event', async () => {
    const parts = ['id: otter@3\ndata: {"record":3}\n\nid: otter@4\nda']
    const broken = new Response(
      new ReadableStream({
        pull(controller) {
          const part = parts.shift()
          if (part === undefined) controller.error(new Error('the connection broke off'))
          else controller.enqueue(new TextEncoder().encode(part))
        },
      }),
    )
    const { fetch: own, sent } = answers(events(1, 2), broken, busy(), events(4))
    const found: unknown[] = []
    for await (const { data } of clientOf(own).runs.events('otter')) found.push(data['record'])
    expect(found).toEqual([1, 2, 3, 4])
    const last = sent.map(({ headers }) => new Headers(headers).get('last-event-id'))
    expect(last).toEqual([null, 'otter@2', 'otter@3', 'otter@3', 'otter@4'])
  })

  test('ends when its reader leaves, and when its signal is aborted', async () => {
    let closed = 0
    const endless = (): Response =>
      new Response(
        new ReadableStream({
          start: (controller) => controller.enqueue(new TextEncoder().encode('id: otter@1\ndata: {}\n\n')),
          cancel: () => void closed++,
        }),
      )
    for await (const _ of clientOf(answers(endless()).fetch).runs.events('otter')) break
    expect(closed).toBe(1)
    const stop = new AbortController()
    stop.abort()
    for await (const _ of clientOf(answers(endless()).fetch).runs.events('otter', { signal: stop.signal }))
      throw new Error('an event after the end')
  })

  test('that is refused fails at once', async () => {
    const { url, token } = await served()
    const none = new ReflexClient({ url, token }).runs.events('nobody')
    expect(await refusal(none.next())).toMatchObject({ code: 'R2016' })
  })
})
