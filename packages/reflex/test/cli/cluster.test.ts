import { expect, test } from 'vitest'
import { DOCUMENTS } from '../../src/cli/output/schema.ts'
import { memoryStore, openStore } from '../../src/store/index.ts'
import { virtualHost } from '../../src/testing/index.ts'
import { FakeCluster } from '../app/cluster/fake-cluster.ts'
import { normal, reflex, start, workFolder, type WorldOptions } from './worlds.ts'

const RUN = ['run', 'refund.workflow.json', '--id', 'otter-2m9q', '--answers', 'none', '--cluster']

/** A folder with a store and a cluster over it. */
async function scene(): Promise<WorldOptions & { readonly clusters: FakeCluster; readonly host: ReturnType<typeof virtualHost> }> {
  const host = virtualHost()
  const folder = workFolder()
  await reflex(['run', 'refund.workflow.json', '--id', 'newt-1aaa', '--answers', 'none'], { folder, host })
  const store = openStore(`${folder}/.reflex/reflex.db`)
  return { folder, host, clusters: new FakeCluster(store, host) }
}

test('queues are listed, limited, paused and resumed', async () => {
  const clusters = new FakeCluster(memoryStore(), virtualHost())
  const options = { folder: workFolder(), clusters }
  const limits = ['--slots', '10', '--tenant-slots', '2', '--share', '0.5', '--rate', '100/1m', '--tenant-rate', '5/10s']
  const set = await reflex(['queue', 'set', 'slow', ...limits], options)
  expect(set).toMatchObject({ code: 0, err: expect.stringContaining('created  slow') as string })
  expect(clusters.made.get('slow')).toMatchObject({
    slots: 10,
    tenantSlots: 2,
    share: 0.5,
    rate: { most: 100, per: 60_000 },
    tenantRate: { most: 5, per: 10_000 },
  })
  await reflex(['queue', 'pause', 'slow'], options)
  expect((await reflex(['queue'], options)).out).toBe(
    'default\tnone\tnone\t0.8\tnone\tnone\t0\t0\t0\nslow paused\t10\t2\t0.5\t100/1m\t5/10s\t0\t0\t0\n',
  )
  await reflex(['queue', 'resume', 'slow'], options)
  expect((await reflex(['queue', 'set', 'slow', '--slots', 'none'], options)).err).toContain('set  slow')
  expect(clusters.made.get('slow')).toMatchObject({ paused: false, slots: null, tenantSlots: 2 })
  expect((await reflex(['queue', 'remove', 'slow'], options)).err).toContain('removed  slow')
  expect(JSON.parse((await reflex(['queue', '--json'], options)).out)).toMatchObject({ queues: [{ name: 'default' }] })
})

test.each([
  [['queue', 'puase', 'slow'], 'R2031', 'reflex queue pause'],
  [['queue', 'set'], 'R2031', 'reflex queue set NAME'],
  [['queue', 'list', 'slow'], 'R2031', 'reflex queue list'],
  [['queue', 'set', 'slow', '--slots', '0'], 'R5110', '--slots 10'],
  [['queue', 'set', 'slow', '--share', '2'], 'R5110', '--share 0.8'],
  [['queue', 'set', 'slow', '--rate', '100'], 'R5110', '--rate 100/1m'],
  [['queue', 'set', 'slow', '--tenant-rate', '5/soon'], 'R5110', '--tenant-rate 10/1m'],
  [['queue', 'set', 'a queue'], 'R5110', '1 to 64 letters'],
  [['queue', 'set', 'tool:'], 'R5110', 'tool:NAME'],
  [['queue', 'set', 'tol:shell'], 'R5110', 'model:PROVIDER or tool:NAME'],
  [['queue', 'remove', 'defualt'], 'R5106', 'write default'],
  [['run', 'refund.workflow.json', '--cluster', '--queue', 'model:openai'], 'R5110', 'limits the calls of runs'],
  [['queue', 'pause', 'defualt'], 'R5106', 'write default'],
  [['queue', 'resume', 'tool:refund'], 'R5106', 'reflex queue set tool:refund'],
  [['worker', '--cluster', '--queue', 'Default2'], 'R5106', 'write default'],
  [['run', 'refund.workflow.json', '--cluster', '--queue', 'defualt'], 'R5106', 'write default'],
  [['schedule', 'add', 'a', 'workflow:refund', '--cron', '* * * * *', '--queue', 'defualt'], 'R5106', 'write default'],
  [['watch', 'patrol.lua', '--cluster'], 'R2031', 'signal RUN debug step'],
  [['worker', '--queue', 'slow'], 'R5142', 'add --cluster'],
  [['worker', '--has', 'gpu'], 'R5142', 'add --cluster'],
  [['worker', '--cluster', '--once'], 'R2031', 'leave --once out'],
  [['run', 'refund.workflow.json', '--queue', 'slow'], 'R5142', '--cluster'],
  [['run', 'refund.workflow.json', '--cluster', '--priority', 'high'], 'R5110', 'the priority "high" is not'],
])('%j is refused with %s', async (argv, code, fix) => {
  const clusters = new FakeCluster(memoryStore(), virtualHost())
  const { code: exit, err } = await reflex(argv, { folder: workFolder(), clusters })
  expect(exit).not.toBe(0)
  expect(err).toContain(code)
  expect(normal(err)).toContain(fix)
})

test('without an engine, a cluster needs a store in Postgres', async () => {
  const { code, err } = await reflex(['worker', '--cluster'], { folder: workFolder() })
  expect(err).not.toContain('works')
  expect(code).not.toBe(0)
  expect(err).toContain('R5141')
})

test('a run of the cluster is shown while a worker of it carries it on', async () => {
  const options = await scene()
  const worker = start(['worker', '--cluster', '--most', '8', '--has', 'gpu'], options)
  await worker.shows('works')
  await expect.poll(() => options.clusters.workers.length).toBe(1)
  expect(options.clusters.workers[0]).toMatchObject({ slots: 8, can: expect.arrayContaining(['has:gpu', 'kind:workflow@3']) as string[] })
  const run = start([...RUN, '--priority', '5'], options)
  const progress = { isOver: false }
  const ended = run.ended.finally(() => (progress.isOver = true))
  for (let i = 0; i < 200 && !progress.isOver; i++) {
    await options.clusters.settle()
    await options.host.advance(100)
  }
  const { code, screen } = await ended
  expect(code).toBe(75)
  expect(screen).toContain('otter-2m9q')
  expect(screen).toContain('Refund')
  expect(options.clusters.places.get('otter-2m9q')).toEqual({ priority: 5 })
  expect(options.clusters.turns.map(([of]) => of)).toContain('otter-2m9q')
  worker.interrupt('SIGTERM')
  expect((await worker.ended).code).toBe(143)
})

test('doctor lists workers by version, what waits, what nobody can take, and what is stuck', async () => {
  const options = await scene()
  const now = options.host.now()
  const worker = { can: [], queues: null, fingerprint: 'f1', slots: 64, began: now, seen: now, isAlive: true, drains: false, turns: 3 }
  options.clusters.said = {
    workers: [
      { ...worker, id: 'a', version: 'v1' },
      { ...worker, id: 'b', version: 'v1', drains: true },
      { ...worker, id: 'd', version: 'v1', fingerprint: 'f2' },
      { ...worker, id: 'e', version: 'v1', fingerprint: null },
      { ...worker, id: 'c', version: 'v2', isAlive: false },
    ],
    waiting: [{ queue: 'slow', tenant: 'acme', waiting: 12, oldest: now - 3000 }],
    missing: [
      {
        run: 'lark-9q2m',
        lacks: ['function:workflow/open@2', 'model:openai or model:own/openai:gpt-5 or model:fallback'],
        needs: [],
        queue: 'default',
        since: now,
      },
      { run: 'newt-4d1s', lacks: [], needs: ['has:gpu', 'kind:workflow@3'], queue: 'slow', since: now },
      { run: 'toad-1x7c', lacks: ['has:gpu', 'tool:charge'], needs: ['has:eu', 'has:gpu', 'tool:charge'], queue: 'slow', since: now },
    ],
    missingCount: 4,
    stuck: [{ run: 'crane-6v4h', crashes: 10, since: now, fault: { code: 'R5108', message: 'ten workers died', verdict: 'fail' } }],
    stuckCount: 1,
    crashing: [{ run: 'wren-2k8x', crashes: 3, worker: 'b' }],
    crashingCount: 1,
  }
  await reflex(['queue', 'set', 'slow'], options)
  await reflex(['queue', 'pause', 'slow'], options)
  const { out } = await reflex(['doctor', '--json'], { ...options, command: 'npx reflex' })
  const { checks } = DOCUMENTS.doctor.parse(JSON.parse(out))
  const found = checks.flatMap(({ name, found, text, fix }) =>
    ['cluster', 'queue', 'waits', 'crashes', 'stuck'].includes(name) ? [[name, found, text, fix]] : [],
  )
  expect(found).toEqual([
    ['cluster', 'ok', '4 workers of version v1 · 12 of 256 slots in use · 1 draining', undefined],
    [
      'cluster',
      'warning',
      'R5111 the secret differs from that of most workers: d',
      'copy ~/.reflex/secret from one machine to all the others, and restart their workers',
    ],
    ['queue', 'warning', 'slow is paused; 0 turns waiting', 'npx reflex queue resume slow'],
    ['queue', 'ok', 'slow: 12 turns of acme waiting, the oldest for 3.0 s', undefined],
    [
      'waits',
      'warning',
      'lark-9q2m: no worker has the function open@2 of the kind workflow, models of openai or the model openai:gpt-5 of an application or a fallback model',
      'start an application that gives it, new Reflex({ workflow: { … } }), and calls reflex.work(); start a worker with the package and the key of openai: npx reflex explain R4004',
    ],
    [
      'waits',
      'warning',
      'newt-4d1s: no worker that has what it needs serves the queue slow',
      'npx reflex worker --cluster --queue slow --has gpu',
    ],
    [
      'waits',
      'warning',
      'toad-1x7c: no worker has the tool charge and was started with --has gpu',
      'start an application that gives it, new Reflex({ tools: [ … ], cluster: true }), and calls reflex.work(); or start such runs with a module that exports it: npx reflex run PROGRAM --cluster --tools FILE; npx reflex worker --cluster --queue slow --has eu --has gpu',
    ],
    ['waits', 'warning', 'and 1 more run', undefined],
    [
      'crashes',
      'warning',
      'wren-2k8x: 3 workers in a row died in its turn; the latest is b; after ten it is set aside',
      'read the log of the worker; npx reflex trace wren-2k8x',
    ],
    ['stuck', 'warning', 'crane-6v4h: R5108 ten workers died', 'npx reflex queue retry crane-6v4h'],
  ])
  expect((await reflex(['queue', 'retry', 'newt'], options)).err).toContain('not stuck')
})
