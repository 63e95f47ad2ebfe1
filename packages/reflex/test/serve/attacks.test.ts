import { execFile } from 'node:child_process'
import { connect } from 'node:net'
import { chmodSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { memoryStore } from '../../src/store/index.ts'
import { readTokens } from '../../src/serve/index.ts'
import { newFolder } from '../app/folders.ts'
import { eventsOf, served, type Served } from './served.ts'

const ROOT = join(import.meta.dirname, '../../../..')
const ASKS =
  'digraph ask { start [shape=Mdiamond]; gate [shape=hexagon, label="Release?"]; exit [shape=Msquare]; start -> gate; gate -> exit [label="yes"] }'

/** Sends bytes as they are, and returns what comes back until the server closes the connection. */
function raw({ url }: Served, text: string): Promise<string> {
  const { port, hostname } = new URL(url)
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname, () => socket.write(text))
    let found = ''
    socket.on('data', (part: Buffer) => (found += part.toString('utf8')))
    socket.on('close', () => resolve(found))
    // A server that refuses a request early resets the connection.
    socket.on('error', () => resolve(found))
  })
}

describe('attacks over HTTP', () => {
  test.each([
    ['another host name (DNS rebinding)', ['Host: evil.example']],
    ['no host name', ['Host:']],
    ['a host name that begins like ours', ['Host: localhost.evil.example']],
    ['a page of another origin', ['Host: localhost', 'Origin: http://evil.example']],
    ['a page without an origin of its own', ['Host: localhost', 'Origin: null']],
    ['a form of another site', ['Host: localhost', 'Sec-Fetch-Site: cross-site']],
  ])('%s is refused before its token is looked at', async (_, headers) => {
    const server = await served()
    const all = [...headers, `Authorization: Bearer ${server.token}`, 'Connection: close']
    const reply = await raw(server, `GET /v1/runs HTTP/1.1\r\n${all.join('\r\n')}\r\n\r\n`)
    expect(reply.split('\r\n')[0]).toMatch(/ 40[03] /)
    expect(reply).not.toContain('"runs"')
  })

  test.each([
    ['two lengths', 'Content-Length: 5\r\nContent-Length: 50\r\n'],
    ['a length and chunks', 'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n'],
    ['a header without an end', `X-Long: ${'a'.repeat(100_000)}\r\n`],
  ])('a request with %s is refused', async (_, headers) => {
    const server = await served()
    const reply = await raw(
      server,
      `POST /v1/runs HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${server.token}\r\nContent-Type: application/json\r\n${headers}\r\n0\r\n\r\nGET /v1/runs HTTP/1.1\r\nHost: localhost\r\n\r\n`,
    )
    expect(reply.split('\r\n')[0]).toMatch(/ 4\d\d |^$/)
    expect(reply).not.toContain('"runs"')
  })

  test.each(['..%2f..%2fetc%2fpasswd', '%00', 'otter%2fq1', '__proto__', 'a'.repeat(5000), '%e0%a4', "'%20or%201=1"])(
    'the run %s is unknown',
    async (name) => {
      const { send } = await served()
      const { status, json } = await send('GET', `/v1/runs/${name}`)
      expect([400, 404]).toContain(status)
      expect(json).toMatchObject({ v: 1, error: { code: expect.stringMatching(/^R\d{4}$/) as unknown } })
    },
  )

  test('a token allows what its scopes say, and is never taken from an address', async () => {
    const folder = newFolder()
    const file = join(folder, 'tokens.json')
    const tokens = [{ name: 'reader', token: 'only-for-reading-1', scopes: ['read'] }]
    writeFileSync(file, JSON.stringify({ tokens }), { mode: 0o600 })
    const { send } = await served({ tokens: readTokens(file) })
    const reader = { authorization: 'Bearer only-for-reading-1' }
    expect(await send('GET', '/v1/runs', undefined, reader)).toMatchObject({ status: 200 })
    expect(await send('POST', '/v1/runs', { program: 'a:b' }, reader)).toMatchObject({ status: 403, json: { error: { code: 'R6002' } } })
    expect(await send('GET', '/v1/runs/otter/archive', undefined, reader)).toMatchObject({ status: 403 })
    expect(await send('GET', '/v1/runs?token=only-for-reading-1', undefined, { authorization: '' })).toMatchObject({ status: 401 })
  })

  test('a file of tokens that others can read, or that is wrong, is refused', () => {
    const file = join(newFolder(), 'tokens.json')
    writeFileSync(file, '{"tokens": []}')
    chmodSync(file, 0o644)
    expect(() => readTokens(file)).toThrow(expect.objectContaining({ code: 'R6013', fix: `chmod 600 ${file}` }))
    chmodSync(file, 0o600)
    for (const text of [
      '',
      '{',
      '[]',
      '{"tokens": [{"name": "a", "scopes": ["read"]}]}',
      '{"tokens": [{"name": "a", "token": "short", "scopes": ["read"]}]}',
    ]) {
      writeFileSync(file, text)
      expect(() => readTokens(file), text).toThrow(expect.objectContaining({ code: 'R6013' }))
    }
  })

  test('a program that arrives is untrusted, and its run has the name of the token', async () => {
    const { send, reflex } = await served()
    await send('POST', '/v1/runs', { program: { text: ASKS, name: 'ask.dot' }, id: 'otter', wait: true })
    const { state } = await reflex.runtime.peek('otter')
    expect(reflex.runtime.settingsOf(state)).toMatchObject({ trust: 'untrusted', actor: 'ana' })
  })

  test('a flood of requests of one token is slowed down, and others are served', async () => {
    const file = join(newFolder(), 'tokens.json')
    writeFileSync(file, JSON.stringify({ tokens: [{ name: 'flood', token: 'the-token-of-a-flood', scopes: ['read'] }] }), { mode: 0o600 })
    const { send } = await served({ rate: 5, tokens: readTokens(file) })
    const flood = { authorization: 'Bearer the-token-of-a-flood' }
    const replies = []
    for (let i = 0; i < 8; i++) replies.push(await send('GET', '/v1/runs', undefined, flood))
    const refused = replies.filter(({ status }) => status === 429)
    expect(refused.length).toBeGreaterThan(0)
    expect(refused[0]?.headers.get('retry-after')).toMatch(/^\d+$/)
    expect(await send('GET', '/v1/runs')).toMatchObject({ status: 200 })
  })

  test('more streams than allowed are refused, and closed ones make room', async () => {
    const server = await served({ maxStreams: 2 })
    await server.send('POST', '/v1/runs', { program: { text: ASKS, name: 'ask.dot' }, id: 'otter', wait: true })
    const open = async (): Promise<{ readonly response: Response; readonly stop: AbortController }> => {
      const stop = new AbortController()
      const headers = { authorization: `Bearer ${server.token}` }
      return { response: await fetch(`${server.url}/v1/runs/otter/events`, { headers, signal: stop.signal }), stop }
    }
    const streams = [await open(), await open()]
    expect((await open()).response.status).toBe(503)
    for (const { stop } of streams) stop.abort()
    await expect.poll(async () => (await eventsOf(server, '/v1/runs/otter/events', { most: 1 })).length).toBe(1)
  })

  test('an answer never has a stack, whatever fails', async () => {
    const store = memoryStore()
    store.runs = () => {
      throw new Error('the disk is gone')
    }
    const { send } = await served({}, { store })
    const { status, json } = await send('GET', '/v1/runs')
    expect({ status, json }).toMatchObject({ status: 500, json: { error: { code: 'R9001' } } })
    expect(JSON.stringify(json)).not.toContain('disk')
    expect(JSON.stringify(json)).not.toMatch(/\bat .*\.ts/)
  })
})

test('the commands of docs/serving.md run as they are printed', async () => {
  const folder = newFolder()
  mkdirSync(folder, { recursive: true })
  cpSync(join(ROOT, 'examples/02-refund'), folder, { recursive: true })
  const server = await served({}, { workdir: folder })
  const page = readFileSync(join(ROOT, 'docs/serving.md'), 'utf8')
  const commands = [...page.matchAll(/```sh\n(.*?)```/gs)].map(([, text = '']) => text).filter((text) => text.startsWith('curl'))
  expect(commands).toHaveLength(1)
  const script = commands.join('\n').replaceAll('curl ', 'curl -sS --fail-with-body -w "\\n" ')
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  execFile('sh', ['-e', '-c', script], { env: { ...process.env, URL: server.url, TOKEN: server.token } }, (error, out, err) =>
    error === null ? resolve(out) : reject(new Error(`${out}${err}`)),
  )
  const replies = (await promise)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
  expect(replies).toMatchObject([
    { programs: [{ name: 'identity' }, { name: 'refund' }] },
    { run: 'first', status: 'suspended' },
    { run: { id: 'first' } },
    { lines: expect.any(Array) as unknown },
    { questions: expect.any(Array) as unknown },
    { did: 'cancelled' },
  ])
})
