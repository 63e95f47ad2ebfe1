import { createHmac } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { signedHeaders } from '../../src/serve/triggers/signature.ts'
import { type Reply, served, type Served, word } from './served.ts'
import { SECRET, triggerFolder } from './trigger-folder.ts'

const secret = { env: 'SECRET' }
const TRIGGERS = {
  hooks: {
    orders: {
      secret,
      when: { '/type': ['order.created', 'order.changed'] },
      start: { program: 'pipeline:order', input: { order: '/data/id' }, values: { via: 'hook' }, key: '/data/id' },
    },
    payments: { secret, send: { program: 'pipeline:order', key: '/data/order', topic: 'paid', value: '/data' } },
    pushes: { secret, scheme: 'github', start: { program: 'pipeline:short', input: { branch: '/ref' } } },
    charges: { secret, scheme: 'stripe', send: { run: '/run', topic: 'paid' } },
    few: { secret, rate: 2, start: { program: 'pipeline:short' } },
  },
}

async function started(): Promise<Served> {
  const { folder, config } = triggerFolder(TRIGGERS)
  return served({ triggers: config() }, { workdir: folder })
}

/** Sends a delivery that is signed as Standard Webhooks, without a token. */
function deliver(
  { send }: Served,
  hook: string,
  id: string,
  payload: unknown,
  more: Record<string, string> = {},
  time = Date.now(),
): Promise<Reply> {
  const body = typeof payload === 'string' ? payload : JSON.stringify(payload)
  return send('POST', `/v1/hooks/${hook}`, body, { authorization: '', ...signedHeaders(SECRET, id, time, body), ...more })
}

const order = { type: 'order.created', data: { id: 'A-1' } }

describe('a delivery', () => {
  test('starts a run once for its id, with values from outside, untrusted', async () => {
    const server = await started()
    const { reflex } = server
    const first = await deliver(server, 'orders', 'msg_1', order)
    expect(first).toMatchObject({ status: 202, json: { did: 'started' } })
    const again = await deliver(server, 'orders', 'msg_1', order)
    expect(again).toMatchObject({ status: 200, json: first.json })
    expect(await reflex.runs()).toHaveLength(1)
    const { state } = await reflex.runtime.peek(word(first.json.run))
    const settings = reflex.runtime.settingsOf(state)
    expect(settings).toMatchObject({ actor: 'hook/orders', trust: 'untrusted' })
    expect(JSON.stringify(state.start)).toContain('"order":"A-1"')
    expect(await deliver(server, 'orders', 'msg_1', { ...order, data: { id: 'A-2' } })).toMatchObject({
      status: 409,
      json: { error: { code: 'R6009' } },
    })
    expect(await deliver(server, 'orders', 'msg_2', { type: 'order.deleted', data: {} })).toMatchObject({
      status: 202,
      json: { did: 'ignored' },
    })
    expect(await deliver(server, 'orders', 'msg_3', { type: 'order.created' })).toMatchObject({
      status: 422,
      json: { error: { code: 'R6054', path: '/data/id' } },
    })
  })

  test('sends a message to the run that its key names, once', async () => {
    const server = await started()
    const { reflex } = server
    const paid = { data: { order: 'A-1', amount: 5 } }
    expect(await deliver(server, 'payments', 'msg_1', paid)).toMatchObject({ status: 404, json: { error: { code: 'R6055' } } })
    const { json } = await deliver(server, 'orders', 'msg_1', order)
    const run = word(json.run)
    await reflex.runtime.openRuns.get(run)?.idle()
    expect(await deliver(server, 'payments', 'msg_1', paid)).toMatchObject({ status: 202, json: { did: 'sent', run } })
    expect(await deliver(server, 'payments', 'msg_1', paid)).toMatchObject({ status: 200, json: { did: 'sent', run } })
    const handle = await reflex.resume(run).catch(() => undefined)
    await handle?.idle()
    expect(await reflex.find(run)).toMatchObject({ status: 'completed' })
    expect(await deliver(server, 'payments', 'msg_1', paid)).toMatchObject({ status: 200, json: { did: 'sent', run } })
    expect(await deliver(server, 'payments', 'msg_9', paid)).toMatchObject({ status: 409, json: { error: { code: 'R2001' } } })
  })

  test('is accepted with the signatures of GitHub and Stripe; an unsigned id makes no second delivery of it', async () => {
    const server = await started()
    const { send, reflex } = server
    const hmac = (text: string): string => createHmac('sha256', SECRET).update(text).digest('hex')
    const push = JSON.stringify({ ref: 'main' })
    const github = (id: string): Promise<Reply> =>
      send('POST', '/v1/hooks/pushes', push, { 'x-hub-signature-256': `sha256=${hmac(push)}`, 'x-github-delivery': id })
    const first = await github('1')
    expect(first).toMatchObject({ status: 202, json: { did: 'started' } })
    expect(await github('2')).toMatchObject({ status: 200, json: { run: word(first.json.run) } })
    await reflex.start(await reflex.library.named('pipeline:order', reflex.workdir), { id: 'otter' })
    const charge = JSON.stringify({ run: 'otter' })
    const seconds = Math.floor(Date.now() / 1000)
    const stripe = (time: number): Promise<Reply> =>
      send('POST', '/v1/hooks/charges', charge, { 'stripe-signature': `t=${time},v1=00,v1=${hmac(`${time}.${charge}`)}` })
    expect(await stripe(seconds)).toMatchObject({ status: 202, json: { did: 'sent', run: 'otter' } })
    expect(await stripe(seconds - 301)).toMatchObject({ status: 401, json: { error: { code: 'R6052' } } })
  })
})

describe('what a hook refuses', () => {
  test.each<[string, (server: Served) => Promise<Reply>, number, string]>([
    [
      'a forged signature',
      (server) => deliver(server, 'orders', 'm', order, { 'webhook-signature': `v1,${'A'.repeat(43)}=` }),
      401,
      'R6051',
    ],
    ['no signature', (server) => deliver(server, 'orders', 'm', order, { 'webhook-signature': '' }), 401, 'R6051'],
    ['a signature of another id', (server) => deliver(server, 'orders', 'm', order, { 'webhook-id': 'other' }), 401, 'R6051'],
    ['a signature of another time', (server) => deliver(server, 'orders', 'm', order, { 'webhook-timestamp': '1' }), 401, 'R6051'],
    ['a delivery of ten minutes ago', (server) => deliver(server, 'orders', 'm', order, {}, Date.now() - 600_000), 401, 'R6052'],
    ['a delivery from the future', (server) => deliver(server, 'orders', 'm', order, {}, Date.now() + 600_000), 401, 'R6052'],
    ['a token in place of a signature', ({ send }) => send('POST', '/v1/hooks/orders', order), 401, 'R6051'],
    ['another scheme', (server) => deliver(server, 'pushes', 'm', order), 401, 'R6051'],
    ['an unknown hook', (server) => deliver(server, 'nothing', 'm', order), 404, 'R6053'],
    ['a hook named like a property', (server) => deliver(server, '__proto__', 'm', order), 404, 'R6053'],
    ['a body that is not JSON', (server) => deliver(server, 'orders', 'm', 'x=1'), 400, 'R6080'],
    ['a body of more than a million bytes', (server) => deliver(server, 'orders', 'm', `"${'é'.repeat(500_000)}"`), 413, 'R6004'],
    ['a key that is no text', (server) => deliver(server, 'orders', 'm', { ...order, data: { id: {} } }), 422, 'R6054'],
    ['a value of the prototype', (server) => deliver(server, 'payments', 'm', '{"__proto__": {"data": {"order": "A-1"}}}'), 422, 'R6054'],
  ])('%s', async (_, act, status, code) => {
    const server = await started()
    expect(await act(server)).toMatchObject({ status, json: { error: { code } } })
    expect(await server.reflex.runs()).toEqual([])
  })

  test('a payload with __proto__ changes no prototype and reaches the run as data', async () => {
    const server = await started()
    const body = '{"type": "order.created", "data": {"id": "A-1", "__proto__": {"polluted": true}}}'
    expect(await deliver(server, 'orders', 'm', body)).toMatchObject({ status: 202 })
    expect({}).not.toHaveProperty('polluted')
  })

  test('a flood of signed deliveries is limited for its hook alone', async () => {
    const server = await started()
    const statuses = await Promise.all(['1', '2', '3'].map(async (id) => (await deliver(server, 'few', id, {})).status))
    expect(statuses.toSorted((a, b) => a - b)).toEqual([202, 202, 429])
    expect(await deliver(server, 'orders', '4', order)).toMatchObject({ status: 202 })
  })
})

describe('a file of triggers', () => {
  test.each<[string, unknown, RegExp]>([
    ['text that is not JSON', '{"hooks": }', /value/],
    ['an unknown section', { hook: {} }, /"hook"/],
    ['a hook that does nothing', { hooks: { a: { secret } } }, /either start or send/],
    [
      'a secret that is not set',
      { hooks: { a: { secret: { env: 'NONE' }, start: { program: 'pipeline:ask' } } } },
      /environment variable NONE has no secret/,
    ],
    ['a secret that is short', { hooks: { a: { secret: { env: 'SHORT' }, start: { program: 'pipeline:ask' } } } }, /at least 16/],
    ['a pointer that is none', { hooks: { a: { secret, start: { program: 'pipeline:ask', input: { x: 'data.id' } } } } }, /JSON pointer/],
    ['a calendar without times', { schedules: { a: { cron: '0 0 31 2 *', program: 'pipeline:ask' } } }, /no times/],
    ['a calendar that cannot be read', { schedules: { a: { cron: '61 * * * *', program: 'pipeline:ask' } } }, /61/],
    ['an unknown time zone', { schedules: { a: { cron: '0 3 * * *', zone: 'Mars/Base', program: 'pipeline:ask' } } }, /no time zone/],
    ['an address with a password', { subscriptions: { a: { url: 'https://a:b@example.org/', secret, events: ['question'] } } }, /password/],
    ['another protocol', { subscriptions: { a: { url: 'file:///etc/passwd', secret, events: ['question'] } } }, /url/],
  ])('%s is refused with its place', (_, triggers, message) => {
    const { config } = triggerFolder(triggers)
    expect(config).toThrow(
      expect.objectContaining({
        code: 'R6050',
        line: expect.any(Number) as unknown,
        message: expect.stringMatching(message) as unknown,
      }) as Error,
    )
  })
})

test('a message of a delivery cannot decide what runs', async () => {
  const heard =
    'digraph heard { start [shape=Mdiamond]; given [type="wait.signal", signal_topic=news, timeout="1h"]; act [type="graph.compose", source_key="wait.given.payload"]; exit [shape=Msquare]; start -> given -> act -> exit }'
  const { folder, config } = triggerFolder({ hooks: { news: { secret, send: { run: '/run', topic: 'news', value: '/text' } } } })
  writeFileSync(join(folder, 'heard.dot'), heard)
  const server = await served({ triggers: config() }, { workdir: folder, trust: 'trusted' })
  await server.send('POST', '/v1/runs', { program: 'pipeline:heard', id: 'otter', wait: true })
  const made = 'digraph made { start [shape=Mdiamond]; exit [shape=Msquare]; start -> exit }'
  expect(await deliver(server, 'news', 'msg_1', { run: 'otter', text: made })).toMatchObject({ status: 202, json: { did: 'sent' } })
  const handle = await server.reflex.resume('otter').catch(() => undefined)
  await handle?.idle()
  // Also a program that keeps no labels knows that the run has read text from outside.
  expect((await server.reflex.store.ledger('labels')).map(({ key }) => key)).toContain('otter signals')
  const run = (await server.send('GET', '/v1/runs/otter')).json.run
  expect({ status: run?.status, error: JSON.stringify(run?.error) }).toMatchObject({
    status: 'failed',
    error: expect.stringMatching(/which is untrusted, from \w+; it would decide what runs/) as string,
  })
})
