import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { expect, onTestFinished, test } from 'vitest'
import { clusterPlace } from '../app/cluster/places.ts'
import { signedHeaders } from '../../src/serve/triggers/signature.ts'
import { served, type Served, word } from './served.ts'
import { SECRET, triggerFolder } from './trigger-folder.ts'

const ASKS =
  'digraph ask { start [shape=Mdiamond]; gate [shape=hexagon, label="Release?"]; exit [shape=Msquare]; start -> gate; gate -> exit [label="yes"] }'

test('a server of a cluster leaves what it starts to a worker, and its metrics have the cluster', async () => {
  const { store, fake, host, until, worker, workdir } = clusterPlace()
  await worker('one')
  const surroundings = { host, worker: { id: 'server', host: 'test', pid: 1 }, cwd: workdir, environment: {}, actor: 'ana', clusters: fake }
  const server = await served({}, { store, cluster: true, surroundings })
  const program = { text: ASKS, name: 'ask.dot' }
  const started = await until(server.send('POST', '/v1/runs', { program, id: 'otter' }))
  expect(started).toMatchObject({ status: 201, json: { run: 'otter' } })
  expect(server.reflex.runtime.openRuns.size).toBe(0)
  await fake.settle()
  expect((await server.send('GET', '/v1/questions')).json.questions).toMatchObject([{ id: 'otter/q1' }])
  expect((await until(server.send('POST', '/v1/runs/otter/questions/q1/answer', { value: 'yes' }))).status).toBeLessThan(300)
  await fake.settle()
  expect((await store.read('otter', 0))?.row.status).toBe('completed')
  await (await server.reflex.cluster()).setQueue('tool:refund', { slots: 1 })
  fake.said = {
    waiting: [{ queue: 'default', tenant: 'acme', waiting: 7, oldest: host.now() - 2000 }],
    missing: [{ run: 'newt', lacks: ['tool:charge'], needs: ['tool:charge'], queue: 'default', since: host.now() }],
    missingCount: 2,
    crashingCount: 3,
    retryingCount: 4,
  }
  const response = await fetch(`${server.url}/metrics`, { headers: { authorization: `Bearer ${server.token}` } })
  const text = await response.text()
  expect(text).toContain('reflex_cluster_waiting{queue="default",tenant="acme"} 7\n')
  expect(text).toContain('reflex_cluster_waiting_seconds{queue="default",tenant="acme"} 2\n')
  expect(text).toContain('reflex_cluster_runs_missing 2\n')
  expect(text).toContain('reflex_cluster_runs_crashing 3\n')
  expect(text).toContain('reflex_cluster_runs_retrying 4\n')
  expect(text).toContain('reflex_cluster_runs_lacking{word="tool:charge"} 1\n')
  expect(text).toContain('reflex_cluster_turns{queue="default",state="waiting"} 0\n')
  expect(text).toContain('reflex_cluster_calls{queue="tool:refund",state="waiting"} 0\n')
  expect(text).not.toContain('reflex_cluster_turns{queue="tool:refund"')
})

/** A server of a cluster with a worker, and the program `ask` in its folder. */
async function serverAndWorker(
  triggers: unknown = {},
): Promise<ReturnType<typeof clusterPlace> & { readonly server: Served; readonly troubles: readonly string[] }> {
  const place = clusterPlace()
  const { store, fake, host, worker, workdir } = place
  writeFileSync(join(workdir, 'ask.dot'), ASKS)
  await worker('one')
  const surroundings = { host, worker: { id: 'server', host: 'test', pid: 1 }, cwd: workdir, environment: {}, actor: 'ana', clusters: fake }
  const { config } = triggerFolder(triggers)
  const troubles: string[] = []
  const server = await served(
    { triggers: config(), onTrouble: ({ code }) => void troubles.push(code) },
    { store, workdir, cluster: true, surroundings, programs: [workdir], trust: 'trusted' },
  )
  return { ...place, server, troubles }
}

test('a run that a client of MCP starts and answers is carried on by a worker', async () => {
  const { server, until, fake } = await serverAndWorker()
  const client = new Client({ name: 'desk', version: '1' }, { versionNegotiation: { mode: 'auto' } })
  const requestInit = { headers: { authorization: `Bearer ${server.token}` } }
  await until(client.connect(new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), { requestInit })))
  onTestFinished(() => client.close())
  const progress: number[] = []
  const first = await until(client.callTool({ name: 'pipeline_ask' }, { onprogress: (made) => void progress.push(made.progress) }))
  expect(first).toMatchObject({ structuredContent: { status: 'suspended' } })
  expect(progress.length).toBeGreaterThan(0)
  const { run } = first.structuredContent as { readonly run: string }
  expect(await until(client.callTool({ name: 'answer', arguments: { run, value: 'yes' } }))).toMatchObject({
    structuredContent: { status: 'completed' },
  })
  expect(server.reflex.runtime.openRuns.size).toBe(0)
  expect(new Set(fake.turns.map(([, by]) => by))).toEqual(new Set(['one']))
})

test('a fork that a request resumes is carried on by a worker, and a run that has ended is refused', async () => {
  const { server, until, fake } = await serverAndWorker()
  await until(server.send('POST', '/v1/runs', { program: 'pipeline:ask', id: 'otter' }))
  await fake.settle()
  const { json } = await until(server.send('POST', '/v1/runs/otter/fork', { at: 2, id: 'newt' }))
  expect(word(json.run)).toBe('newt')
  expect(await until(server.send('POST', '/v1/runs/newt/resume', {}))).toMatchObject({ status: 202, json: { run: 'newt' } })
  await fake.settle()
  expect(fake.turns.map(([run, by]) => `${run} ${by}`)).toContain('newt one')
  expect(server.reflex.runtime.openRuns.size).toBe(0)
  await until(server.send('POST', '/v1/runs/newt/cancel', {}))
  await fake.settle()
  expect(await until(server.send('POST', '/v1/runs/newt/resume', {}))).toMatchObject({ status: 409, json: { error: { code: 'R2001' } } })
})

test('a start has its place, and a repeated one opens nothing', async () => {
  const { server, until, fake } = await serverAndWorker()
  const body = { program: 'pipeline:ask', tenant: 'acme', priority: 3, needs: ['gpu'] }
  const key = { 'idempotency-key': 'order-7' }
  const replies = await until(Promise.all([1, 2, 3].map(() => server.send('POST', '/v1/runs', body, key))))
  const [run = ''] = replies.map(({ json }) => word(json.run?.id ?? json.run))
  expect(new Set(replies.map(({ json }) => word(json.run?.id ?? json.run)))).toEqual(new Set([run]))
  expect(fake.places.get(run)).toEqual({ tenant: 'acme', priority: 3, needs: ['has:gpu'] })
  expect(server.reflex.runtime.openRuns.size).toBe(0)
  expect(await server.send('POST', '/v1/runs', { ...body, priority: -1 })).toMatchObject({
    status: 400,
    json: { error: { code: 'R6006' } },
  })
})

test('a queue that does not exist is refused at every request that names it, and nothing starts', async () => {
  const orders = { secret: { env: 'SECRET' }, start: { program: 'pipeline:ask', queue: 'slow', tenant: 'acme' } }
  const { server, until, fake, store, host } = await serverAndWorker({ hooks: { orders } })
  const missing = { status: 404, json: { error: { code: 'R5106', message: expect.stringContaining('there is no queue') as string } } }
  await (await server.reflex.cluster()).setQueue('nightly', {})
  const start = { program: 'pipeline:ask', queue: 'nihgtly' }
  expect(await until(server.send('POST', '/v1/runs', start))).toMatchObject({
    status: 404,
    json: { error: { code: 'R5106', message: 'there is no queue "nihgtly"; did you mean "nightly"?' } },
  })
  expect(await server.send('POST', '/v1/runs', { ...start, queue: 'a queue' })).toMatchObject({
    status: 400,
    json: { error: { code: 'R6006' } },
  })
  expect(await until(server.send('POST', '/v1/schedules', { ...start, name: 'often', cron: '* * * * *' }))).toMatchObject(missing)
  expect((await server.send('GET', '/v1/schedules')).json.schedules).toEqual([])
  const deliver = () => {
    const body = '{"id":"A-1"}'
    return until(server.send('POST', '/v1/hooks/orders', body, { authorization: '', ...signedHeaders(SECRET, 'msg_1', host.now(), body) }))
  }
  expect(await deliver()).toMatchObject(missing)
  expect(await store.runs({})).toEqual([])
  // A sender repeats a delivery that was refused.
  await (await server.reflex.cluster()).setQueue('slow', {})
  const { status, json } = await deliver()
  expect(status).toBe(202)
  expect(fake.places.get(word(json.run))).toEqual({ queue: 'slow', tenant: 'acme' })
})

test('a schedule whose queue is removed later shows why its times start nothing', async () => {
  const { server, until, fake, host, store, troubles } = await serverAndWorker()
  await (await server.reflex.cluster()).setQueue('nightly', {})
  const often = { name: 'often', program: 'pipeline:ask', cron: '* * * * * *', queue: 'nightly' }
  expect((await until(server.send('POST', '/v1/schedules', often))).status).toBe(201)
  fake.made.delete('nightly')
  const last = async () => (await server.send('GET', '/v1/schedules')).json.schedules?.[0]?.last
  await expect
    .poll(async () => (await host.advance(1000), await last()), { timeout: 60_000 })
    .toMatchObject({ did: 'failed', error: { code: 'R5106' } })
  expect(troubles).toContain('R5106')
  expect(await store.runs({})).toEqual([])
})

test('a server without a cluster refuses a place in one', async () => {
  const server = await served()
  const program = { text: ASKS, name: 'ask.dot' }
  expect(await server.send('POST', '/v1/runs', { program, queue: 'slow' })).toMatchObject({
    status: 400,
    json: { error: { code: 'R5142' } },
  })
})
