import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Json, JsonObject } from '../../src/kernel/index.ts'
import { createPolicy } from '../../src/policy/index.ts'
import type { ToolCall } from '../../src/tools/index.ts'
import { callIn, containing, folder, refusal, tools, use } from './workshop.ts'
import { callWith } from '../policy/settings.ts'

/** Starts a server on this machine. Returns its address. */
async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** A call that may reach these hosts, by name or by a star. */
function reaching(hosts: readonly string[], star: readonly string[] = [], change: Partial<ToolCall> = {}): ToolCall {
  return callIn(folder(), {
    allows: (capability, exactly) => {
      const [, host] = /^arbor:\/\/net\/(.+)$/.exec(capability) ?? []
      if (host === undefined) return true
      const name = decodeURIComponent(host)
      return hosts.includes(name) || (exactly !== true && (star.includes(name) || star.includes('*')))
    },
    ...change,
  })
}

const here = (): ToolCall => reaching(['127.0.0.1'])

function send(args: Record<string, Json>, call = here()): Promise<JsonObject> {
  return use('http', args, call) as Promise<JsonObject>
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const part of request) text += String(part)
  return text
}

describe('http', () => {
  it('sends a request and returns the response; a status is a result', async () => {
    const url = await serve((request, response) => {
      void bodyOf(request).then((body) => {
        response.writeHead(503, {
          'x-seen': `${request.method} ${request.url} ${String(request.headers['x-own'])} ${request.headers.host === new URL(url).host}`,
        })
        response.end(`got ${body}`)
      })
    })
    const answer = await send({ url: `${url}/a?b=c`, method: 'post', headers: { 'x-own': 'yes' }, body: 'één' })
    expect(answer).toMatchObject({ url: `${url}/a?b=c`, status: 503, text: 'got één', headers: { 'x-seen': 'POST /a?b=c yes true' } })
  })

  it('keeps a limited part of an answer', async () => {
    const url = await serve((_, response) => {
      const more = (): void => void (response.write('é'.repeat(10_000)) && setImmediate(more))
      more()
      response.on('drain', more)
    })
    expect(await send({ url, limit: 5 })).toMatchObject({ text: 'éé', truncated: true })
  })

  it('reads the text in the named encoding', async () => {
    const url = await serve((_, response) =>
      response.writeHead(200, { 'content-type': 'text/plain; charset=iso-8859-1' }).end(Buffer.from([0xe9])),
    )
    expect(await send({ url })).toMatchObject({ text: 'é' })
  })

  it('fails in time, can be tried again, and can be cancelled', async () => {
    const url = await serve(() => undefined)
    expect(await refusal(() => send({ url, timeout: 30 }))).toMatchObject({
      code: 'R4136',
      verdict: 'retry',
      message: containing('in time'),
    })
    const stop = new AbortController()
    const running = refusal(() => send({ url }, reaching(['127.0.0.1'], [], { signal: stop.signal })))
    stop.abort()
    expect(await running).toMatchObject({ code: 'R4132' })
    const closed = await serve((request) => request.socket.destroy())
    expect(await refusal(() => send({ url: closed }))).toMatchObject({ code: 'R4136', message: containing('ECONNRESET') })
  })

  it('accepts no compressed answer, and requests none', async () => {
    const url = await serve((request, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(String(request.headers['accept-encoding'])),
    )
    expect(await refusal(() => send({ url }))).toMatchObject({ code: 'R4137', message: containing('gzip') })
  })

  it.each<Record<string, Json>>([
    { url: 'file:///etc/passwd' },
    { url: 'http://ana:pw@example.org' },
    { url: 'no address' },
    { url: 'http://example.org', method: 'CONNECT' },
    { url: 'http://example.org', headers: { Host: 'other' } },
    { url: 'http://example.org', headers: { 'Content-Length': '1' } },
    { url: 'http://example.org', headers: { 'x-a': 'b\r\nx-c: d' } },
    { url: 'http://example.org', headers: { 'a b': 'c' } },
  ])('refuses %j', async (args) => {
    expect(await refusal(() => send(args, reaching([], ['*'])))).toMatchObject({ code: 'R4101' })
  })

  it('declares that reads may be repeated and other requests may not', () => {
    const place = { workdir: '/w', runFolder: '/w/r' }
    const traits = (args: Json): unknown => tools().prepare('http', args).traits(place)
    expect(traits({ url: 'https://example.org/a' })).toMatchObject({
      leaves: true,
      repeat: 'keyed',
      needs: ['arbor://tool/http', 'arbor://net/example.org'],
    })
    expect(traits({ url: 'http://[::1]:80/', method: 'DELETE' })).toMatchObject({
      repeat: 'ask',
      needs: ['arbor://tool/http', 'arbor://net/%3A%3A1'],
    })
  })
})

describe('an address that is not public', () => {
  const four = '127.0.0.1 127.1 0x7f.0.0.1 2130706433 0.0.0.0 10.0.0.1 172.16.0.1 192.168.1.1 169.254.169.254 100.64.0.1 224.0.0.1'
  const six = '[::1] [::] [::ffff:127.0.0.1] [::ffff:a9fe:a9fe] [fe80::1] [fd00::1] [64:ff9b::10.0.0.1] [2002:a00:1::]'
  it.each(`${four} ${six}`.split(' '))('%s needs its own grant; a star is not enough', async (host) => {
    expect(await refusal(() => send({ url: `http://${host}:9/` }, reaching([], ['*'])))).toMatchObject({
      code: 'R4135',
      message: containing('not a public address'),
    })
  })

  it('is also denied by the address that it stands for', async () => {
    const policy = createPolicy({
      grants: [{ file: 'p.json', allow: ['arbor://net/*'], deny: ['arbor://net/8.8.8.8'] }],
    })
    const call = reaching([], ['*'], { denies: (capability) => policy.denies(callWith(), capability) })
    for (const host of ['8.8.8.8', '[::ffff:8.8.8.8]', '[64:ff9b::808:808]', '[2002:808:808::]'])
      expect(await refusal(() => send({ url: `http://${host}:9/` }, call)), host).toMatchObject({
        code: 'R4135',
        message: containing('denied'),
      })
  })

  it('is reached if it is granted by name, and by no other name', async () => {
    const url = await serve((_, response) => response.end('hi'))
    expect(await send({ url })).toMatchObject({ text: 'hi' })
    const named = url.replace('127.0.0.1', 'localhost')
    expect(await refusal(() => send({ url: named }, reaching(['localhost'])))).toMatchObject({
      code: 'R4135',
      message: containing('the address of localhost'),
      fix: containing('arbor://net/'),
    })
    expect(await send({ url: named }, reaching(['localhost', '127.0.0.1', '::1']))).toMatchObject({ text: 'hi' })
    expect(await refusal(() => send({ url: named }, here()))).toMatchObject({ code: 'R4105' })
  })

  it('is not reached through a redirect either', async () => {
    const inner = await serve((_, response) => response.end('secret'))
    const places = [inner.replace('127.0.0.1', '127.0.0.2'), 'http://169.254.169.254/', 'http://example.org/', 'file:///etc/passwd']
    for (const location of places) {
      const url = await serve((_, response) => response.writeHead(302, { location }).end())
      const fault = await refusal(() => send({ url }, reaching(['127.0.0.1', '169.254.169.254'].slice(0, 1), [])))
      expect(fault.code, location).toMatch(/R4135|R4137/)
    }
  })
})

describe('a redirect', () => {
  it('is followed, as a read if its status says so', async () => {
    const url = await serve((request, response) => {
      if (request.url === '/end')
        void bodyOf(request).then((body) => response.end(`${request.method} ${body} ${request.headers['content-type']}`))
      else response.writeHead(request.url === '/keep' ? 307 : 303, { location: '/end' }).end()
    })
    const headers = { 'content-type': 'text/plain' }
    expect(await send({ url, method: 'POST', body: 'x', headers })).toMatchObject({ url: `${url}/end`, text: 'GET  undefined' })
    expect(await send({ url: `${url}/keep`, method: 'POST', body: 'x', headers })).toMatchObject({ text: 'POST x text/plain' })
  })

  it('sends another host nothing that was meant for the first', async () => {
    const other = await serve((request, response) => response.end(JSON.stringify(request.headers)))
    const url = await serve((_, response) => response.writeHead(302, { location: other }).end())
    const headers = { authorization: 'Bearer hunter2', cookie: 'hunter2', 'x-api-key': 'hunter2', 'x-plain': 'yes' }
    const { text } = await send({ url, headers })
    expect(text).not.toContain('hunter2')
    expect(text).toContain('"x-plain":"yes"')
  })

  it('is not followed forever', async () => {
    const url = await serve((_, response) => response.writeHead(302, { location: '/' }).end())
    expect(await refusal(() => send({ url }))).toMatchObject({ code: 'R4137', message: containing('more than 5 times') })
  })
})
