import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { SCOPES } from '../../src/programs/route.ts'
import { readTokens } from '../../src/serve/index.ts'
import { routesWith } from '../../src/serve/make-world.ts'
import { newFolder } from '../app/folders.ts'
import { served, word } from './served.ts'

const ASKS =
  'digraph ask { start [shape=Mdiamond]; gate [shape=hexagon, label="Release?"]; exit [shape=Msquare]; start -> gate; gate -> exit [label="yes"] }'
const TREE = JSON.stringify({
  format: 1,
  id: 'patrol',
  events: true,
  root: { type: 'wait', id: 'nap', params: { wait_ms: 3_600_000 } },
})

function tokensOf(tokens: readonly object[]): ReturnType<typeof readTokens> {
  const file = join(newFolder(), 'tokens.json')
  writeFileSync(file, JSON.stringify({ tokens }), { mode: 0o600 })
  return readTokens(file)
}

describe('bodies of a stranger', () => {
  test.each([
    ['nest without an end', `{"program":"a:b","input":{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}}`],
    ['name the prototype', '{"program":"a:b","input":{"__proto__":{"admin":true}}}'],
    ['name the prototype with an escape', '{"program":"a:b","input":{"\\u005f_proto__":{"admin":true}}}'],
    ['are not JSON', '{"program"'],
  ])('that %s are refused', async (_, body) => {
    const { send } = await served()
    expect(await send('POST', '/v1/runs', body)).toMatchObject({ status: 400, json: { error: { code: 'R6080' } } })
  })

  test('brackets in a text do not nest', async () => {
    const { send } = await served()
    const body = { program: 'workflow:none', input: { text: `\\"${'['.repeat(1000)}` } }
    expect(await send('POST', '/v1/runs', body)).toMatchObject({ status: 404, json: { error: { code: 'R1021' } } })
  })

  test('an unknown kind, and an unknown value, are not found', async () => {
    const { send } = await served()
    expect(await send('GET', '/v1/programs/constructor:x')).toMatchObject({ status: 404, json: { error: { code: 'R2011' } } })
    expect(await send('GET', `/v1/blobs/${'a'.repeat(64)}`)).toMatchObject({ status: 404, json: { error: { code: 'R6081' } } })
  })
})

describe('tokens and scopes', () => {
  test('each route refuses each token that has only other scopes, before it reads anything', async () => {
    const tokens = tokensOf(SCOPES.map((scope) => ({ name: scope, token: `the-token-to-${scope}-only`, scopes: [scope] })))
    const { send, reflex } = await served({ tokens })
    const routes = await routesWith(reflex.kinds.modules)
    let refused = 0
    for (const { method, url, scope: needed } of routes.filter(({ scope }) => scope !== undefined)) {
      const path = url.replaceAll(/\{\w+\}/g, 'none')
      const body = method === 'POST' ? '{' : undefined
      const nobody = await send(method, path, body, { authorization: '' })
      expect([method, url, nobody.status]).toEqual([method, url, 401])
      for (const scope of SCOPES.filter((one) => one !== needed && one !== 'admin')) {
        const { status, json } = await send(method, path, body, { authorization: `Bearer the-token-to-${scope}-only` })
        expect([method, url, scope, status, json.error?.code]).toEqual([method, url, scope, 403, 'R6002'])
        refused++
      }
    }
    expect(refused).toBeGreaterThan(100)
  })

  test('two tokens of one name keep their own trust', async () => {
    const tokens = tokensOf([
      { name: 'ci', token: 'the-token-with-trust', scopes: ['start'], trust: 'trusted' },
      { name: 'ci', token: 'the-token-without-it', scopes: ['start'] },
    ])
    const { send, reflex } = await served({ tokens })
    const trusts: unknown[] = []
    for (const token of ['the-token-with-trust', 'the-token-without-it']) {
      const { json } = await send('POST', '/v1/runs', { program: { text: ASKS, name: 'ask.dot' } }, { authorization: `Bearer ${token}` })
      const { state } = await reflex.runtime.peek(word(json.run))
      trusts.push(reflex.runtime.settingsOf(state).trust)
    }
    expect(trusts).toEqual(['trusted', 'untrusted'])
  })

  test('keys of one token are never those of another', async () => {
    const tokens = tokensOf([
      { name: 'ci', token: 'the-token-of-one-ci', scopes: ['start'] },
      { name: 'ci/a', token: 'the-token-of-other', scopes: ['start'] },
    ])
    const { send } = await served({ tokens })
    const start = (token: string, key: string): ReturnType<typeof send> =>
      send('POST', '/v1/runs', { program: { text: ASKS, name: 'ask.dot' } }, { authorization: `Bearer ${token}`, 'idempotency-key': key })
    const [one, other] = [await start('the-token-of-one-ci', 'a/b'), await start('the-token-of-other', 'b')]
    expect([one.status, other.status]).toEqual([201, 201])
    expect(one.json.run).not.toBe(other.json.run)
  })

  test('only a debugger sends commands to a debugged tree', async () => {
    const tokens = tokensOf([{ name: 'ana', token: 'the-token-to-answer', scopes: ['answer'] }])
    const { send } = await served({ tokens })
    await send('POST', '/v1/runs', { program: { text: TREE, name: 'patrol.tree.json' }, id: 'patrol', wait: true })
    const answer = { authorization: 'Bearer the-token-to-answer' }
    expect(await send('POST', '/v1/runs/patrol/signals/debug', { value: 'stop' }, answer)).toMatchObject({
      status: 403,
      json: { error: { code: 'R6002' } },
    })
    expect(await send('POST', '/v1/runs/patrol/signals/news', { value: 'stop' }, answer)).toMatchObject({ status: 202 })
  })
})

test('HEAD of a stream opens none', async () => {
  const { url, token } = await served({ maxStreams: 1 })
  const headers = { authorization: `Bearer ${token}` }
  for (let i = 0; i < 3; i++) expect((await fetch(`${url}/v1/questions/events`, { method: 'HEAD', headers })).status).toBe(200)
  const metrics = await (await fetch(`${url}/metrics`, { headers })).text()
  expect(metrics).not.toMatch(/^reflex_http_streams_open [1-9]/m)
})

test('a server that is bound to an address of IPv6 answers requests for it', async () => {
  const { send } = await served({ bind: '::1', names: [] })
  expect(await send('GET', '/v1/runs')).toMatchObject({ status: 200 })
})

test('effects of runs that requests have started end before the server stops, within its grace', async () => {
  const folder = newFolder()
  const server = await served({ grace: 600_000 }, { workdir: folder, trust: 'trusted' })
  writeFileSync(
    join(folder, 'slow.dot'),
    'digraph slow { start [shape=Mdiamond]; w [shape=parallelogram, tool_command="sleep 0.3; echo $((41*101))"]; exit [shape=Msquare]; start -> w -> exit }',
  )
  const { json } = await server.send('POST', '/v1/runs', { program: 'pipeline:slow', id: 'slow' })
  expect(json.status).toBe('running')
  await server.stop()
  const lines: string[] = []
  for await (const line of server.reflex.export('slow')) lines.push(line)
  expect(lines.join('\n')).toContain('4141')
})
