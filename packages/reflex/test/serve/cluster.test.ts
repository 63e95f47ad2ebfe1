import { expect, test } from 'vitest'
import { clusterPlace } from '../app/cluster/places.ts'
import { served } from './served.ts'

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
  fake.said = {
    waiting: [{ queue: 'default', tenant: 'acme', waiting: 7, oldest: host.now() - 2000 }],
    missing: [{ run: 'newt', lacks: ['tool:charge'], queue: 'default', since: host.now() }],
    missingCount: 2,
  }
  const response = await fetch(`${server.url}/metrics`, { headers: { authorization: `Bearer ${server.token}` } })
  const text = await response.text()
  expect(text).toContain('reflex_cluster_waiting{queue="default",tenant="acme"} 7\n')
  expect(text).toContain('reflex_cluster_waiting_seconds{queue="default",tenant="acme"} 2\n')
  expect(text).toContain('reflex_cluster_runs_missing 2\n')
  expect(text).toContain('reflex_cluster_runs_lacking{word="tool:charge"} 1\n')
  expect(text).toContain('reflex_cluster_turns{queue="default",state="waiting"} 0\n')
})
