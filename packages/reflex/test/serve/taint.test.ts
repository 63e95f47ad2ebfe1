import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { newFolder } from '../app/folders.ts'
import { eventsOf, served, type Served, word } from './served.ts'

const ENDS = 'start [shape=Mdiamond] done [shape=Msquare]'
/** A text that is a program: it would run as one. */
const COMMAND = `digraph made { ${ENDS} start -> done }`
const COMPOSE = 'act [type="graph.compose", source_key="given"]'
const TOKEN = 'a-token-of-twenty-characters'

const ask = { id: 'ask', spec: { ask: 'Which program?', writes: 'given' } }
const deep = { id: 'deep', spec: {}, invokes: { workflowId: 'pipeline:deep', inputMap: [{ from: 'given', to: 'given' }], returnMap: [] } }
const PROGRAMS = {
  'deep.dot': `digraph deep { ${ENDS} ${COMPOSE} start -> act -> done }`,
  'heard.dot': `digraph heard { ${ENDS} given [type="wait.signal", signal_topic=news, timeout="1h"]
    act [type="graph.compose", source_key="wait.given.payload"] start -> given -> act -> done }`,
  'asks.workflow.json': JSON.stringify({
    id: 'asks',
    entry: 'ask',
    nodes: { ask, deep },
    edges: [{ id: 'e', from: 'ask', to: 'deep', event: 'NEXT' }],
  }),
}

/** A server with programs that run what they are given, and a client whose values are from outside unless its token says otherwise. */
async function guarded(outside?: false): Promise<Served> {
  const folder = newFolder()
  mkdirSync(join(folder, 'programs'))
  for (const [name, text] of Object.entries(PROGRAMS)) writeFileSync(join(folder, 'programs', name), text)
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(TOKEN)))
  const token = { name: 'ci', digest, scopes: new Set(['read', 'answer', 'start'] as const), outside }
  const server = await served({ tokens: [token] }, { workdir: folder, programs: [join(folder, 'programs')], trust: 'trusted' })
  const authorization = { authorization: `Bearer ${TOKEN}` }
  return {
    ...server,
    token: TOKEN,
    send: (method, path, body, headers) => server.send(method, path, body, { ...authorization, ...headers }),
  }
}

/** Returns how a run has ended, and why it failed. */
async function endOf(server: Served, run: string): Promise<string> {
  await eventsOf(server, `/v1/runs/${run}/events`)
  const { json } = await server.send('GET', `/v1/runs/${run}`)
  return `${word(json.run?.status)} ${JSON.stringify(json.run?.error ?? '')}`
}

const DECIDES = /which is untrusted, from \w+; it would decide what runs/
const REFUSED = new RegExp(`^failed .*${DECIDES.source}`)

describe('what arrives over HTTP', () => {
  test('an input cannot decide what runs', async () => {
    const server = await guarded()
    await server.send('POST', '/v1/runs', { program: 'pipeline:deep', input: { given: COMMAND }, id: 'otter' })
    expect(await endOf(server, 'otter')).toMatch(REFUSED)
    await server.send('POST', '/pipelines', { dot: PROGRAMS['deep.dot'], inputs: { given: COMMAND }, options: { id: 'lark' } })
    expect(await endOf(server, 'lark')).toMatch(/^failed/)
  })

  test('an answer cannot decide what runs, also in a program that keeps no labels', async () => {
    const server = await guarded()
    await server.send('POST', '/v1/runs', { program: 'workflow:asks', id: 'otter', wait: true })
    await server.send('POST', '/v1/runs/otter/questions/q1/answer', { value: COMMAND })
    await server.reflex.runtime.openRuns.get('otter')?.idle()
    const { json } = await server.send('GET', '/v1/runs/otter/questions')
    expect(json.questions).toMatchObject([{ error: { message: expect.stringMatching(DECIDES) as unknown } }])
  })

  test('a message of a chat cannot decide what runs', async () => {
    const server = await guarded()
    await server.send('POST', '/v1/runs', { program: 'pipeline:heard', id: 'otter', wait: true })
    const messages = [{ id: 'm1', role: 'user', parts: [{ type: 'text', text: COMMAND }] }]
    const answer = await fetch(`${server.url}/v1/chat`, {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify({ id: 'otter', messages }),
    })
    await answer.text()
    expect(await endOf(server, 'otter')).toMatch(REFUSED)
    await server.send('POST', '/v1/runs', { program: 'workflow:asks', id: 'lark', wait: true })
    const other = await fetch(`${server.url}/v1/chat`, {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify({ id: 'lark', messages }),
    })
    await other.text()
    const { json } = await server.send('GET', '/v1/runs/lark/questions')
    expect(json.questions).toMatchObject([{ error: { message: expect.stringMatching(DECIDES) as unknown } }])
  })

  test('a message cannot decide what runs, and its record names its sender', async () => {
    const server = await guarded()
    await server.send('POST', '/v1/runs', { program: 'pipeline:heard', id: 'otter', wait: true })
    await server.send('POST', '/v1/runs/otter/signals/news', { value: COMMAND })
    expect(await endOf(server, 'otter')).toMatch(REFUSED)
    const { json } = await server.send('GET', '/v1/runs/otter/records?limit=1000')
    expect(json.records).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ input: expect.objectContaining({ type: 'message', value: COMMAND, by: 'ci' }) as unknown }),
      ]),
    )
    const board = (await server.send('GET', '/v1/runs/otter')).json.board as unknown as { key: string; value: unknown }[]
    expect(board.find(({ key }) => key === 'wait.given.source')?.value).toBe('ci')
  })

  test('a fork with other values, another decision or another trust needs the scope admin', async () => {
    const server = await guarded()
    await server.send('POST', '/v1/runs', { program: 'workflow:asks', id: 'otter', wait: true })
    for (const change of [{ set: { given: COMMAND } }, { decide: COMMAND }, { trust: 'autonomous' }])
      expect(await server.send('POST', '/v1/runs/otter/fork', { id: 'lark', ...change })).toMatchObject({
        status: 403,
        json: { error: { code: 'R6002' } },
      })
    expect(await server.send('POST', '/v1/runs/otter/fork', { id: 'lark' })).toMatchObject({ status: 201 })
  })

  test('a token of the operator brings the values of the operator', async () => {
    const server = await guarded(false)
    await server.send('POST', '/v1/runs', { program: 'pipeline:deep', input: { given: COMMAND }, id: 'otter' })
    expect(await endOf(server, 'otter')).toMatch(/^completed/)
    await server.send('POST', '/v1/runs', { program: 'workflow:asks', id: 'lark', wait: true })
    await server.send('POST', '/v1/runs/lark/questions/q1/answer', { value: COMMAND })
    expect(await endOf(server, 'lark')).toMatch(/^completed/)
  })
})
