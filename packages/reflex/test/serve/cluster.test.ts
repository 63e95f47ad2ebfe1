import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { expect, onTestFinished, test } from 'vitest'
import { clusterPlace } from '../app/cluster/places.ts'
import { served, type Served, word } from './served.ts'

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
  fake.said = { waiting: [{ queue: 'default', tenant: 'acme', waiting: 7, oldest: host.now() - 2000 }], missingCount: 2 }
  const response = await fetch(`${server.url}/metrics`, { headers: { authorization: `Bearer ${server.token}` } })
  const text = await response.text()
  expect(text).toContain('reflex_cluster_waiting{queue="default",tenant="acme"} 7\n')
  expect(text).toContain('reflex_cluster_waiting_seconds{queue="default",tenant="acme"} 2\n')
  expect(text).toContain('reflex_cluster_runs_missing 2\n')
  expect(text).toContain('reflex_cluster_turns{queue="default",state="waiting"} 0\n')
  expect(text).toContain('reflex_cluster_calls{queue="tool:refund",state="waiting"} 0\n')
  expect(text).not.toContain('reflex_cluster_turns{queue="tool:refund"')
})

/** A server of a cluster with a worker, and the program `ask` in its folder. */
async function serverAndWorker(): Promise<ReturnType<typeof clusterPlace> & { readonly server: Served }> {
  const place = clusterPlace()
  const { store, fake, host, worker, workdir } = place
  writeFileSync(join(workdir, 'ask.dot'), ASKS)
  await worker('one')
  const surroundings = { host, worker: { id: 'server', host: 'test', pid: 1 }, cwd: workdir, environment: {}, actor: 'ana', clusters: fake }
  return { ...place, server: await served({}, { store, workdir, cluster: true, surroundings, programs: [workdir], trust: 'trusted' }) }
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
