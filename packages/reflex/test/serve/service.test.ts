import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { Reflex } from '../../src/app/reflex.ts'
import { appOf } from '../../src/serve/app.ts'
import { makeWorld } from '../../src/serve/make-world.ts'
import { Principals } from '../../src/serve/principals.ts'
import { RateLimit } from '../../src/serve/rate.ts'
import type { RunRow } from '../../src/kernel/index.ts'
import { memoryStore } from '../../src/store/index.ts'
import { virtualHost } from '../../src/testing/index.ts'
import { type Reply, served, word } from './served.ts'
import { processIn, triggerFolder } from './trigger-folder.ts'

const program = {
  text: 'digraph ask { start [shape=Mdiamond]; gate [shape=hexagon, label="Release?"]; exit [shape=Msquare]; start -> gate; gate -> exit [label="yes"]; gate -> exit [label="no"] }',
  name: 'ask.dot',
}

describe('cancelling by a filter', () => {
  const three = async (send: (method: string, path: string, body?: unknown) => Promise<Reply>): Promise<void> => {
    for (const id of ['otter-1', 'otter-2', 'crane-1']) await send('POST', '/v1/runs', { program, id, wait: true })
  }

  test('cancels what matches, in pages, or only lists it', async () => {
    const { send } = await served()
    await three(send)
    const otters = { filter: { prefix: 'otter', status: 'suspended' } }
    expect(await send('POST', '/v1/runs/cancel', { ...otters, dry: true })).toMatchObject({
      status: 202,
      json: { dry: true, cancelled: { length: 2 } },
    })
    expect((await send('GET', '/v1/runs?status=cancelled')).json.runs).toEqual([])
    const first = await send('POST', '/v1/runs/cancel', { ...otters, limit: 1, reason: 'not needed' })
    expect(first).toMatchObject({
      status: 202,
      json: { cancelled: { length: 1 }, failed: [], next: expect.stringMatching(/^otter/) as unknown },
    })
    expect(await send('POST', '/v1/runs/cancel', { ...otters, after: word(first.json.next) })).toMatchObject({
      json: { cancelled: { length: 1 } },
    })
    expect((await send('GET', '/v1/runs?status=suspended')).json.runs).toMatchObject([{ id: 'crane-1' }])
    expect(await send('POST', '/v1/runs/cancel', otters)).toMatchObject({ json: { cancelled: [] } })
  })

  test.each([
    ['no property', { filter: {} }],
    ['an unknown property', { filter: { name: 'otter' } }],
    ['no filter', {}],
    ['a time that is none', { filter: { since: 'yesterday' } }],
    ['too many runs', { filter: { kind: 'pipeline' }, limit: 5000 }],
  ])('refuses %s', async (_, body) => {
    const { send } = await served()
    await three(send)
    expect(await send('POST', '/v1/runs/cancel', body)).toMatchObject({ status: 400, json: { error: { code: 'R6006' } } })
    expect((await send('GET', '/v1/runs?status=suspended')).json.runs).toHaveLength(3)
  })
})

test('metrics count runs, questions, starts and requests, and need a token', async () => {
  const { folder, config } = triggerFolder({
    subscriptions: { ops: { url: 'http://127.0.0.1:1/"x\\', secret: { env: 'SECRET' }, events: ['question'] } },
  })
  const server = await served({ triggers: config() }, { workdir: folder, trust: 'trusted' })
  const { send, url, token } = server
  expect(await send('GET', '/metrics', undefined, { authorization: '' })).toMatchObject({ status: 401 })
  await send('POST', '/v1/runs', { program, id: 'otter', wait: true })
  await send('GET', '/v1/runs/nobody')
  const write = 'digraph write { start [shape=Mdiamond]; ask [prompt="Write"]; exit [shape=Msquare]; start -> ask -> exit }'
  writeFileSync(join(folder, 'write.dot'), write)
  await send('POST', '/v1/runs', { program: 'pipeline:write', id: 'lark', wait: true })
  const response = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${token}` } })
  expect(response.headers.get('content-type')).toContain('text/plain')
  const text = await response.text()
  for (const line of [
    'reflex_runs{status="suspended",kind="pipeline"} 1',
    'reflex_questions_open 1',
    'reflex_runs_due 0',
    'reflex_starts_total{by="request"} 2',
    'reflex_effects_total{port="model",outcome="failed"} 1',
    'reflex_http_requests_total{route="metrics",status="401"} 1',
    'reflex_http_requests_total{route="runs.start",status="201"} 2',
    'reflex_http_requests_total{route="runs.get",status="404"} 1',
    'reflex_http_request_seconds_count{route="runs.start"} 2',
  ])
    expect(text.split('\n')).toContain(line)
  // Every line is a comment, or a name with labels and a number.
  for (const line of text.trimEnd().split('\n')) expect(line).toMatch(/^(# (HELP|TYPE) reflex_\w+ .+|reflex_\w+(\{[^\n]*\})? [\d.e+-]+)$/)
})

describe('a server is ready', () => {
  async function ready(isStopping: boolean, runs?: () => Promise<readonly RunRow[]>): Promise<Response> {
    const host = virtualHost()
    const store = memoryStore()
    const reflex = new Reflex({ ...processIn(triggerFolder().folder, host), store })
    if (runs !== undefined) Object.assign(store, { runs })
    const world = await makeWorld(reflex, [], { version: '0', isStopping: () => isStopping })
    const rate = new RateLimit(1000, () => host.now())
    const app = appOf(world, {
      principals: new Principals([]),
      names: [],
      maxBody: 1000,
      maxStreams: 1,
      rate,
      mcp: () => Promise.resolve(new Response()),
    })
    const answer = app.request('http://localhost/readyz', { headers: { host: 'localhost' } })
    await host.drain(4)
    await host.advance(5000)
    return answer
  }

  test('while its store answers and it does not stop', async () => {
    expect((await ready(false)).status).toBe(200)
    const stopping = await ready(true)
    expect({ status: stopping.status, body: await stopping.json() }).toMatchObject({
      status: 503,
      body: { error: { code: 'R6061' } },
    })
    expect((await ready(false, () => new Promise(() => undefined))).status).toBe(503)
    expect((await ready(false, () => Promise.reject(new Error('gone')))).status).toBe(500)
  })
})
