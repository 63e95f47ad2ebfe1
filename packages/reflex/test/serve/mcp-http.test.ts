import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { describe, expect, onTestFinished, test } from 'vitest'
import { Reflex } from '../../src/app/reflex.ts'
import { McpHttp } from '../../src/serve/mcp/http.ts'
import { virtualHost } from '../../src/testing/index.ts'
import { newFolder } from '../app/folders.ts'
import { served, type Served } from './served.ts'

const ENDS = 'start [shape=Mdiamond]; exit [shape=Msquare]'
const ASK = `digraph ask { ${ENDS}; gate [shape=hexagon, label="Release?"]; start -> gate; gate -> exit [label="yes"]; gate -> exit [label="no"] }`
const TOKENS = { reader: 'a-token-that-only-reads', other: 'a-token-of-somebody-else' }
const MODES = ['legacy', 'auto'] as const

type Structured = Readonly<Record<string, unknown>>

async function house(): Promise<Served & { readonly folder: string }> {
  const folder = newFolder()
  mkdirSync(join(folder, 'programs'))
  writeFileSync(join(folder, 'programs', 'ask.dot'), ASK)
  const digest = async (token: string): Promise<Uint8Array> =>
    new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(token)))
  const tokens = [
    { name: 'reader', scopes: new Set(['read'] as const), digest: await digest(TOKENS.reader) },
    { name: 'other', scopes: new Set(['read', 'start', 'answer'] as const), digest: await digest(TOKENS.other) },
  ]
  const server = await served({ tokens }, { workdir: folder, programs: [join(folder, 'programs')], trust: 'trusted' })
  return { ...server, folder }
}

interface ConnectOptions {
  readonly mode: (typeof MODES)[number]
  readonly token?: string
  readonly elicitation?: boolean
}

async function connected({ url, token }: Served, options: ConnectOptions): Promise<Client> {
  const client = new Client(
    { name: 'desk', version: '1' },
    { capabilities: options.elicitation === true ? { elicitation: { form: {} } } : {}, versionNegotiation: { mode: options.mode } },
  )
  const headers = { authorization: `Bearer ${options.token ?? token}` }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } }))
  onTestFinished(() => client.close())
  return client
}

const documentOf = (result: object): Structured => ('structuredContent' in result ? (result.structuredContent as Structured) : {})

describe.each(MODES)('MCP over HTTP, %s', (mode) => {
  test('programs are tools; a question is answered, with progress and resources; the token is the actor', async () => {
    const server = await house()
    const client = await connected(server, { mode })
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('pipeline_ask')
    const progress: number[] = []
    const first = documentOf(
      await client.callTool({ name: 'pipeline_ask' }, { onprogress: ({ progress: record }) => void progress.push(record) }),
    )
    expect(first).toMatchObject({ status: 'suspended' })
    expect(progress.length).toBeGreaterThan(0)
    const last = documentOf(await client.callTool({ name: 'answer', arguments: { run: first['run'], value: 'yes', reason: 'tests pass' } }))
    expect(last).toMatchObject({ status: 'completed' })
    const trace = await client.readResource({ uri: `reflex://runs/${String(first['run'])}/trace` })
    expect(JSON.stringify(trace)).toContain('\\"by\\":\\"ana\\"')
  })

  test('a question goes to the user of a client that can ask', async () => {
    const client = await connected(await house(), { mode, elicitation: true })
    client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { answer: 'yes' } }))
    expect(documentOf(await client.callTool({ name: 'pipeline_ask' }))).toMatchObject({ status: 'completed' })
  })

  test('a tool needs the scope of what it does, and a run belongs to the token that started it', async () => {
    const server = await house()
    const reader = await connected(server, { mode, token: TOKENS.reader })
    expect(await reader.callTool({ name: 'pipeline_ask' })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('R6002') as unknown }],
    })
    expect(await server.reflex.runs()).toEqual([])
    const first = documentOf(await (await connected(server, { mode })).callTool({ name: 'pipeline_ask' }))
    const other = await connected(server, { mode, token: TOKENS.other })
    expect(await other.callTool({ name: 'answer', arguments: { run: first['run'], value: 'yes' } })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('R6022') as unknown }],
    })
  })

  test('a program that is changed or added while the server works is read again', async () => {
    const server = await house()
    const client = await connected(server, { mode })
    await client.callTool({ name: 'pipeline_ask' })
    writeFileSync(join(server.folder, 'programs', 'ask.dot'), `digraph ask { ${ENDS}; start -> exit }`)
    writeFileSync(join(server.folder, 'programs', 'more.dot'), `digraph more { ${ENDS}; start -> exit }`)
    expect(documentOf(await client.callTool({ name: 'pipeline_ask' }))).toMatchObject({ status: 'completed' })
    expect(documentOf(await client.callTool({ name: 'pipeline_more' }))).toMatchObject({ status: 'completed' })
  })
})

describe('MCP over HTTP refuses', () => {
  const hello = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'desk', version: '1' } },
  }
  const accept = { accept: 'application/json, text/event-stream' }

  test.each([
    ['no token', { authorization: '' }, 401],
    ['a page of another site', { origin: 'http://evil.example' }, 403],
    ['another type of body', { 'content-type': 'text/plain' }, 415],
    ['a session that it does not know', { 'mcp-session-id': 'nonsense' }, 404],
  ])('%s', async (_, headers, status) => {
    const { url, token } = await house()
    const response = await fetch(`${url}/mcp`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...accept, ...headers },
      body: JSON.stringify(hello),
    })
    expect(response.status).toBe(status)
    await response.body?.cancel()
  })

  test('the session of another token', async () => {
    const { url, token } = await house()
    const send = (as: string, session?: string): Promise<Response> =>
      fetch(`${url}/mcp`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${as}`,
          'content-type': 'application/json',
          ...accept,
          ...(session === undefined ? {} : { 'mcp-session-id': session }),
        },
        body: JSON.stringify(session === undefined ? hello : { jsonrpc: '2.0', id: 2, method: 'tools/list' }),
      })
    const opened = await send(token)
    const session = opened.headers.get('mcp-session-id') ?? ''
    expect([opened.status, session.length]).toEqual([200, 32])
    await opened.body?.cancel()
    const [foreign, own] = [await send(TOKENS.other, session), await send(token, session)]
    expect([foreign.status, own.status]).toEqual([404, 200])
    await Promise.all([foreign.body?.cancel(), own.body?.cancel()])
  })

  test('a session beyond the limit, until one was idle for long', async () => {
    const host = virtualHost()
    const reflex = new Reflex({
      store: 'memory:',
      workdir: newFolder(),
      surroundings: { host, worker: { id: 'w', host: '', pid: 0 }, cwd: newFolder(), environment: {}, actor: 'ana' },
    })
    const mcp = new McpHttp(reflex, { version: '0.0.0', maxBody: 10_000, maxSessions: 1 })
    onTestFinished(async () => {
      await mcp.close()
      await reflex.close()
    })
    const holder = { name: 'ci', scopes: new Set(['read'] as const), digest: new Uint8Array() }
    const open = async (): Promise<number> => {
      const headers = { 'content-type': 'application/json', ...accept }
      const response = await mcp.answer(
        new Request('http://127.0.0.1/mcp', { method: 'POST', headers, body: JSON.stringify(hello) }),
        holder,
      )
      await response.text()
      return response.status
    }
    expect(await open()).toBe(200)
    await expect(open()).rejects.toMatchObject({ code: 'R6072' })
    await host.advance(300_001)
    expect(await open()).toBe(200)
  })
})
