import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openStore, type TurnFacts } from '../../src/store/index.ts'
import { virtualHost } from '../../src/testing/index.ts'
import { FakeCluster } from '../app/cluster/fake-cluster.ts'
import { type Ended, reflex, type Running, start, workFolder, type WorldOptions } from './worlds.ts'

const WAITS: TurnFacts = { queue: 'refunds', needs: [], isPaused: false, state: 'waits', workers: 1 }
const ALIVE = {
  id: 'w',
  version: 'v',
  can: [],
  queues: null,
  fingerprint: null,
  slots: 1,
  began: 0,
  seen: 0,
  isAlive: true,
  drains: false,
  turns: 0,
}

interface Scene extends WorldOptions {
  readonly clusters: FakeCluster
  readonly host: ReturnType<typeof virtualHost>
}

/** A folder whose store has a cluster without a worker, and in it the run `otter`, which asks a person, and the run `crane`, which waits for a message. */
async function scene(): Promise<Scene> {
  const host = virtualHost()
  const folder = workFolder()
  writeFileSync(
    join(folder, 'p.dot'),
    `digraph p { graph [goal="g"]; start [shape=Mdiamond]; done [shape=Msquare];
      w [type="wait.signal", signal_topic="deploy.done"]; start -> w -> done }`,
  )
  await reflex(['run', 'refund.workflow.json', '--id', 'otter', '--answers', 'none'], { folder, host })
  await reflex(['run', 'p.dot', '--id', 'crane'], { folder, host })
  return { folder, host, clusters: new FakeCluster(openStore(`${folder}/.reflex/reflex.db`), host) }
}

/** Lets time pass until a command has ended, or the terminal shows a text. */
async function until({ host }: Scene, running: Running, text?: string): Promise<void> {
  const progress = { isOver: false }
  void running.ended.finally(() => (progress.isOver = true))
  const isShown = (): boolean => text !== undefined && running.screen().includes(text)
  for (let i = 0; i < 100 && !progress.isOver && !isShown(); i++) await host.advance(200)
  if (text !== undefined) expect(running.screen()).toContain(text)
}

async function interrupted(options: Scene, running: Running): Promise<Ended> {
  await options.host.advance(1000)
  running.interrupt('SIGINT')
  await until(options, running)
  return running.ended
}

test.each([{ columns: 100 }, {}])(
  'a command that only follows a run leaves it to the cluster, and says what follows it again: %j',
  async (look) => {
    const options = { ...(await scene()), ...look }
    const run = start(['run', 'refund.workflow.json', '--id', 'cc', '--cluster', '--answers', 'none'], options)
    await run.shows('cc')
    const { code, err } = await interrupted(options, run)
    expect(code).toBe(130)
    expect(err).toContain('the cluster continues the run')
    expect(err).toContain('reflex show cc --follow')
    expect(err).not.toContain('interrupted')
    expect(err).not.toContain('resume')
    const followed = start(['show', 'cc', '--follow', '--answers', 'none'], options)
    await followed.shows('1 record')
    const worker = start(['worker', '--cluster'], options)
    await worker.shows('works')
    await expect.poll(() => options.clusters.workers.length).toBe(1)
    for (let i = 0; i < 50 && !followed.screen().includes('suspended'); i++) {
      await options.clusters.settle()
      await options.host.advance(100)
    }
    const seen = await followed.ended
    expect(seen.code).toBe(75)
    expect(seen.err).toContain('Refund')
    await interrupted(options, worker)
  },
)

test('a run is followed to its end also when it has ended, and a record is not followed', async () => {
  const options = await scene()
  await reflex(['answer', 'otter', 'YES'], { folder: options.folder, host: options.host })
  const { code, err, out } = await reflex(['show', 'otter', '--follow'], options)
  expect({ code, err }).toMatchObject({ code: 0, err: expect.stringContaining('completed') as string })
  expect(out).toContain('rf_20931')
  expect((await reflex(['show', 'otter@1', '--follow'], options)).err).toContain('R2031')
})

test.each([
  [{ isPaused: true }, 'the queue refunds is paused', 'reflex queue resume refunds'],
  [{ workers: 0, lacks: [] }, 'no worker is alive', 'reflex worker --cluster'],
  [
    { lacks: ['has:gpu', 'tool:ship'], needs: ['has:gpu', 'kind:workflow@3', 'tool:ship'] },
    'no worker has the tool ship and was started with --has gpu',
    'reflex worker --cluster --queue refunds --has gpu',
  ],
  [{ lacks: [] }, 'serves the queue refunds', 'reflex worker --cluster --queue refunds'],
  [{}, 'the queue refunds has no room', 'reflex queue list'],
  [
    { state: 'stuck', fault: { code: 'R5108', message: 'ten workers died', verdict: 'wait' } },
    'it is set aside: R5108 ten workers died',
    'reflex queue retry cc',
  ],
] satisfies [Partial<TurnFacts>, string, string][])(
  'a run that no worker takes says why, once for each reason: %j',
  async (turn, text, fix) => {
    const options = await scene()
    options.clusters.waiting.set('cc', { ...WAITS, ...turn })
    const run = start(['run', 'refund.workflow.json', '--id', 'cc', '--cluster'], options)
    await until(options, run, text)
    await options.host.advance(20_000)
    const shown = await reflex(['show', 'cc'], { ...options, columns: 100 })
    expect(shown.out).toContain('waits for a worker in the queue refunds')
    expect(shown.out.replaceAll(/\s+/g, ' ')).toContain(text)
    expect(shown.out).toContain(fix)
    expect((await reflex(['show', 'cc'], options)).out).toContain(`worker\trefunds\t`)
    expect(JSON.parse((await reflex(['show', 'cc', '--json'], options)).out)).toMatchObject({
      run: { status: 'running' },
      worker: { queue: 'refunds', text: expect.stringContaining(text) as string },
    })
    options.clusters.waiting.set('cc', { ...WAITS, queue: 'other', isPaused: true })
    await until(options, run, 'the queue other is paused')
    const { err } = await interrupted(options, run)
    expect(err).toContain(fix)
    expect(err.split(text)).toHaveLength(2)
  },
)

test.each([
  { words: ['answer', 'otter', 'YES'] },
  { words: ['answer', 'otter', 'YES', '--no-run'] },
  { words: ['signal', 'crane', 'deploy.done'] },
  { words: ['signal', 'crane', 'deploy.done', '--no-run'] },
])('an answer and a message go to the cluster while a worker of it lives: $words', async ({ words }) => {
  const options = await scene()
  options.clusters.said = { workers: [ALIVE] }
  const { code, err } = await reflex(words, options)
  expect({ code, err }).toEqual({ code: 0, err })
  expect(err).toContain('in its inbox')
  expect(err).toContain('the cluster continues the run')
  expect(err).toContain(`reflex show ${words[1]} --follow`)
  expect(err).not.toContain('resume')
  const { runs } = JSON.parse((await reflex(['runs', '--json'], options)).out) as { runs: { id: string; status: string }[] }
  expect(runs.map(({ status }) => status)).toEqual(['suspended', 'suspended'])
})

test('without a living worker, an answer and a message continue their run here', async () => {
  const options = await scene()
  options.clusters.said = {
    workers: [
      { ...ALIVE, isAlive: false },
      { ...ALIVE, drains: true },
    ],
  }
  expect((await reflex(['answer', 'otter', 'YES'], options)).err).toContain('completed')
  expect((await reflex(['signal', 'crane', 'deploy.done'], options)).err).toContain('completed')
})

/** A program with one call of a tool, whose result comes never or at once. */
function ships({ folder }: Scene, never: boolean): void {
  writeFileSync(
    join(folder, 'shop.mjs'),
    `import { defineTool } from '${join(import.meta.dirname, '../../src/tools/index.ts')}'
    const input = { '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value }) } }
    const run = () => ${never ? 'new Promise(() => undefined)' : "'sent'"}
    export const ship = defineTool({ name: 'shop.ship', description: '', input, repeat: 'keyed', leaves: true, run })`,
  )
  const nodes = { ship: { id: 'ship', spec: { tool: 'shop.ship', writes: 'sent' } } }
  writeFileSync(join(folder, 'ships.workflow.json'), JSON.stringify({ id: 'ships', entry: 'ship', nodes, edges: [] }))
}

const SHIPS = ['run', 'ships.workflow.json', '--id', 'cc', '--cluster', '--tools', 'shop.mjs']

test.each([{ columns: 100 }, {}])('a limited call is shown to begin once, and once it has room: %j', async (look) => {
  const options = await scene()
  const room = Promise.withResolvers<void>()
  options.clusters.room = room.promise
  ships(options, true)
  const worker = start(['worker', '--cluster'], options)
  await worker.shows('works')
  await expect.poll(() => options.clusters.workers.length).toBe(1)
  const run = start(SHIPS, { ...options, ...look })
  await run.shows('cc')
  const pass = async (isOver: () => boolean | Promise<boolean>): Promise<void> => {
    for (let i = 0; i < 60 && !(await isOver()); i++) {
      void options.clusters.settle()
      await options.host.drain(20)
      await options.host.advance(200)
    }
    await options.host.advance(1000)
  }
  const isPiped = look.columns === undefined
  await pass(() => options.clusters.calls.length > 0)
  if (isPiped) expect(run.screen()).not.toContain('begins')
  else expect(run.screen()).toContain('waits for room in the queue tool:shop.ship')
  room.resolve()
  await pass(async () => (await reflex(['trace', 'cc', '--verbose'], options)).out.includes('has room'))
  if (isPiped) expect(run.screen().match(/begins +ship: shop.ship/g)).toHaveLength(1)
  else expect(run.screen()).not.toMatch(/room in the queue/)
  await interrupted(options, run)
  worker.interrupt('SIGTERM')
  await until(options, worker)
})

test.each([true, false])(
  'a run that no process has taken is cancelled, and none of its effects can have happened; with its tool: %s',
  async (isThere) => {
    const options = await scene()
    ships(options, false)
    const run = start(SHIPS, options)
    await run.shows('cc')
    await interrupted(options, run)
    if (!isThere) rmSync(join(options.folder, 'shop.mjs'))
    const { code, err } = await reflex(['cancel', 'cc'], options)
    expect({ code, err }).toEqual({ code: 0, err })
    expect(err).toContain('cancelled  cc')
    expect(err).not.toContain('may have happened')
    expect(JSON.parse((await reflex(['show', 'cc', '--json'], options)).out)).toMatchObject({ run: { status: 'cancelled' } })
  },
)
