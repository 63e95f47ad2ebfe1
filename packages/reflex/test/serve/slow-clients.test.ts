import { createServer, request } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { describe, expect, onTestFinished, test } from 'vitest'
import { Reflex } from '../../src/app/reflex.ts'
import { appOf } from '../../src/serve/app.ts'
import { route } from '../../src/serve/define-route.ts'
import { makeWorld } from '../../src/serve/make-world.ts'
import { newToken, Principals } from '../../src/serve/principals.ts'
import { RateLimit } from '../../src/serve/rate.ts'
import { memoryStore } from '../../src/store/index.ts'
import { virtualHost } from '../../src/testing/index.ts'
import { newFolder } from '../app/folders.ts'
import { eventsOf, served, type Served } from './served.ts'

const ASKS =
  'digraph ask { start [shape=Mdiamond]; gate [shape=hexagon, label="Release?"]; exit [shape=Msquare]; start -> gate; gate -> exit [label="yes"] }'
const program = { text: ASKS, name: 'ask.dot' }

/** Opens a connection that sends a text and then a byte every 5 ms, and resolves with all that it got when the server closes it. */
function drip({ url, token }: Pick<Served, 'url' | 'token'>, text: string, byte: string): Promise<string> {
  const { port, hostname } = new URL(url)
  return new Promise((resolve) => {
    let found = ''
    let timer: NodeJS.Timeout | undefined
    const socket = connect(Number(port), hostname, () => {
      socket.write(text.replace('TOKEN', token))
      timer = setInterval(() => socket.write(byte), 5)
    })
    socket.on('data', (part: Buffer) => (found += part.toString('utf8')))
    socket.on('error', () => undefined)
    socket.on('close', () => {
      clearInterval(timer)
      resolve(found)
    })
  })
}

describe('clients that send slowly', () => {
  test.each([
    ['headers without an end', 'GET /v1/runs HTTP/1.1\r\nHost: localhost\r\nX-Long: ', 'a'],
    [
      'a body without an end',
      'POST /v1/runs HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer TOKEN\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n{"program": "',
      'a',
    ],
    [
      'chunks without an end',
      'POST /v1/runs HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer TOKEN\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n',
      '1\r\na\r\n',
    ],
  ])('%s are cut off, and others are served', async (_, text, byte) => {
    const server = await served({ headersTimeout: 500, requestTimeout: 800 })
    const slow = Array.from({ length: 50 }, () => drip(server, text, byte))
    expect(await server.send('GET', '/v1/runs')).toMatchObject({ status: 200 })
    for (const reply of await Promise.all(slow)) expect(reply).toMatch(/^$|^HTTP\/1\.1 408 /)
    expect((await server.send('GET', '/v1/runs')).json.runs).toEqual([])
  })
})

describe('clients that read slowly', () => {
  test('one that reads nothing is cut off over HTTP, and continues with the last id that it received', async () => {
    const host = virtualHost()
    const workdir = newFolder()
    const surroundings = { host, worker: { id: 'w1', host: 'test', pid: 2 ** 22 }, cwd: workdir, environment: {}, actor: 'ana' }
    const reflex = new Reflex({ store: 'memory:', workdir, surroundings })
    const { token, holder } = newToken('ana', host.entropy())
    let [sent, ended] = [0, 0]
    const world = await makeWorld(reflex, [holder], { version: '0.0.0', work: false })
    const endless = route({
      name: 'endless',
      method: 'GET',
      url: '/endless',
      does: 'Streams without an end.',
      answers: { 200: 'text/event-stream' },
      handle: ({ header }) => ({
        events: (async function* () {
          try {
            for (let n = Number(header('last-event-id') ?? 0) + 1; ; n++) {
              sent++
              yield { id: String(n), data: { text: 'x'.repeat(10_000) } }
            }
          } finally {
            ended++
          }
        })(),
      }),
    })
    const rate = new RateLimit(1000, () => host.now())
    const limits = {
      principals: new Principals([holder]),
      names: [],
      maxBody: 100,
      maxStreams: 10,
      rate,
      mcp: () => Promise.resolve(new Response()),
    }
    const app = appOf({ ...world, routes: [endless] }, limits)
    const http = createServer(
      (incoming, outgoing) => void getRequestListener(app.fetch, { overrideGlobalObjects: false })(incoming, outgoing),
    )
    await new Promise<void>((resolve) => void http.listen(0, '127.0.0.1', resolve))
    onTestFinished(async () => {
      http.closeAllConnections()
      http.close()
      await reflex.close()
    })
    const { port } = http.address() as AddressInfo
    const socket: Socket = connect(port, '127.0.0.1', () => socket.write('GET /endless HTTP/1.1\r\nHost: localhost\r\n\r\n'))
    socket.pause()
    socket.on('error', () => undefined)
    await expect
      .poll(async () => {
        await host.advance(15_000)
        return ended
      })
      .toBe(1)
    // The buffers of the operating system take some of it; the server keeps no more.
    expect(sent * 10_000).toBeLessThan(50_000_000)
    let text = ''
    socket.on('data', (part: Buffer) => (text += part.toString('utf8')))
    await new Promise((resolve) => {
      socket.on('close', resolve)
      socket.resume()
    })
    const last = [...text.matchAll(/^id: (\d+)\ndata: .*\n\n/gm)].at(-1)?.[1] ?? ''
    expect(Number(last)).toBeGreaterThan(0)
    const [next] = await eventsOf({ url: `http://127.0.0.1:${port}`, token }, '/endless', { most: 1, lastEventId: last })
    expect(next?.id).toBe(String(Number(last) + 1))
  })
})

interface OpenStream {
  readonly status: number
  readonly text: () => string
  close(): void
}

/** Opens a stream with as little as possible for each. */
function openStream({ url, token }: Served, path: string): Promise<OpenStream> {
  return new Promise((resolve, reject) => {
    let text = ''
    const client = request(`${url}${path}`, { headers: { authorization: `Bearer ${token}` }, agent: false }, (response) => {
      response.setEncoding('utf8')
      response.on('data', (part: string) => (text += part))
      response.on('error', () => undefined)
      resolve({ status: response.statusCode ?? 0, text: () => text, close: () => client.destroy() })
    })
    client.on('error', reject)
    client.end()
  })
}

describe('many streams', () => {
  test('a thousand open streams get each event, from one reading of the store', async () => {
    const store = memoryStore()
    let looks = 0
    let reads = 0
    const [committed, batches] = [store.committed.bind(store), store.batches.bind(store)]
    const server = await served({}, { store })
    const streams = await Promise.all(Array.from({ length: 1000 }, () => openStream(server, '/v1/questions/events')))
    await expect.poll(() => streams.filter(({ text }) => text().includes('event: inbox')).length).toBe(1000)
    store.committed = (...range) => {
      looks++
      return committed(...range)
    }
    store.batches = (...range) => {
      reads++
      return batches(...range)
    }
    await server.send('POST', '/v1/runs', { program, id: 'otter', wait: true })
    await expect.poll(() => streams.filter(({ text }) => text().includes('event: question')).length).toBe(1000)
    expect(looks).toBeLessThan(500)
    expect(reads).toBeLessThan(20)
    for (const stream of streams) stream.close()
  })

  test('one look at the store is enough for all followed runs, and finds what another process wrote', async () => {
    const store = memoryStore()
    const server = await served({}, { store })
    const names = Array.from({ length: 20 }, (_, i) => `otter-${i}`)
    for (const id of names) await server.send('POST', '/v1/runs', { program, id, wait: true })
    const streams = await Promise.all(names.map((id) => openStream(server, `/v1/runs/${id}/events`)))
    await expect.poll(() => streams.filter(({ text }) => text().includes('"asks"') || text().includes('Release?')).length).toBe(20)
    let [looks, reads] = [0, 0]
    const [committed, read] = [store.committed.bind(store), store.read.bind(store)]
    store.committed = (...range) => {
      looks++
      return committed(...range)
    }
    store.read = (...range) => {
      reads++
      return read(...range)
    }
    await expect.poll(() => looks).toBeGreaterThan(3)
    expect(reads).toBeLessThanOrEqual(20)
    const other = await served({}, { store })
    server.reflex.runtime.openRuns.get('otter-7')?.close()
    await expect.poll(async () => (await other.send('POST', '/v1/runs/otter-7/questions/q1/answer', { value: 'yes' })).status).toBe(200)
    await expect.poll(() => streams[7]?.text()).toContain('"ended":"completed"')
    for (const stream of streams) stream.close()
  })

  test('a flood of streams beyond the limit is refused, and closed ones make room', async () => {
    const server = await served({ maxStreams: 50 })
    const paths = ['/v1/questions/events', '/v1/runs/events', '/v1/runs/events?status=failed']
    const streams = await Promise.all(Array.from({ length: 300 }, (_, i) => openStream(server, paths[i % paths.length] ?? '')))
    expect(streams.filter(({ status }) => status === 200)).toHaveLength(50)
    await expect.poll(() => streams.filter(({ text }) => text().includes('R6011')).length).toBe(250)
    expect(await server.send('POST', '/v1/runs', { program, id: 'otter', wait: true })).toMatchObject({ status: 201 })
    for (const stream of streams) stream.close()
    await expect.poll(async () => (await openStream(server, '/v1/runs/events')).status).toBe(200)
  })

  test('a forged id of the stream of a run is refused', async () => {
    const { send } = await served()
    for (const id of ['otter', 'lark']) await send('POST', '/v1/runs', { program, id, wait: true })
    for (const id of ['lark@1', 'otter@99', 'otter', 'otter@-1', 'otter@1e9', '@1', 'otter@1~0'])
      expect(await send('GET', '/v1/runs/otter/events', undefined, { 'last-event-id': id }), id).toMatchObject({
        status: 410,
        json: { error: { code: 'R6030' } },
      })
  })
})
