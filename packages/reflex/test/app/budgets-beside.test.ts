import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { RunHandle } from '../../src/index.ts'
import { scriptedModel } from '../../src/models/index.ts'
import type { RunLimits } from '../../src/policy/index.ts'
import { Reflex } from '../../src/app/reflex.ts'
import { memoryStore, type Store } from '../../src/store/index.ts'
import { virtualHost } from '../../src/testing/index.ts'
import { newFolder } from './folders.ts'

const EACH = 100
const BRANCHES = 4
const names = Array.from({ length: BRANCHES }, (_, i) => `n${i}`)
const stages = (node: (id: string) => string): string => `digraph p { graph [goal="g"]; start [shape=Mdiamond]; done [shape=Msquare];
  fork [shape=component]; join [shape=tripleoctagon]; start -> fork; ${names.map((id) => `${node(id)}; fork -> ${id} -> join;`).join(' ')} join -> done }`

const FILES: Readonly<Record<string, string>> = {
  'stages.dot': stages((id) => `${id} [prompt="say"]`),
  'timed.dot': stages((id) => `${id} [prompt="say", timeout="60s"]`),
  'programs.dot': stages((id) => `${id} [type=subgraph, program="workflow:child"]`),
  'batch.dot': `digraph p { graph [goal="g"]; start [shape=Mdiamond]; done [shape=Msquare];
    n [type="prompt.ab_test", variant_a="short", variant_b="long", count=2]; start -> n -> done }`,
  'child.workflow.json': JSON.stringify({
    id: 'child',
    entry: 'a',
    nodes: { a: { id: 'a', spec: { prompt: 'Say.', writes: 'said' } } },
    edges: [],
  }),
}

interface Went {
  readonly run: RunHandle
  readonly reflex: Reflex
  /** What the provider counted, and the most calls that were under way at once. */
  readonly real: { used: number; atOnce: number; under: number }
}

interface Setting {
  readonly store?: Store
  readonly life?: number
  readonly host?: ReturnType<typeof virtualHost>
  /** Called at each call of the model; what it returns is waited for. */
  readonly called?: () => Promise<never> | undefined
}

function worldOf(real: Went['real'], { store = memoryStore(), life = 0, called = () => undefined, host = virtualHost() }: Setting): Reflex {
  const workdir = newFolder()
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(workdir, name), text)
  const model = scriptedModel(async () => {
    await called()
    real.under++
    real.atOnce = Math.max(real.atOnce, real.under)
    await new Promise((resolve) => setImmediate(resolve))
    real.under--
    real.used += EACH
    return { text: 'ok', usage: { input: EACH - 10, output: 10 } }
  }, 'test')
  const reflex = new Reflex({
    workdir,
    store,
    models: { test: model },
    model: 'test',
    agent: { default: 'model' },
    surroundings: {
      host,
      worker: { id: `life ${life}`, host: 'test', pid: 2 ** 22 + life },
      cwd: workdir,
      environment: {},
      actor: 'ana',
    },
  })
  onTestFinished(() => reflex.close())
  return reflex
}

async function went(file: string, limits: RunLimits): Promise<Went> {
  const real = { used: 0, atOnce: 0, under: 0 }
  const reflex = worldOf(real, {})
  const run = await reflex.run(file, { id: 'otter', limits })
  return { run, reflex, real }
}

test.each(['stages.dot', 'programs.dot'])('calls beside each other use no more than the budget without a question: %s', async (file) => {
  const { run, reflex, real } = await went(file, { tokens: EACH })
  const seen: unknown[] = []
  for (let i = 1; i < 4 * BRANCHES && run.questions[0] !== undefined; i++) {
    seen.push({ open: run.questions[0].name, used: real.used })
    await run.answer(run.questions[0], { tokens: EACH * (seen.length + 1) })
    await run.idle()
  }
  expect(seen.slice(0, 2)).toEqual([
    { open: 'budget', used: EACH },
    { open: 'budget', used: 2 * EACH },
  ])
  expect({ status: run.status, used: real.used, atOnce: real.atOnce }).toEqual({ status: 'completed', used: BRANCHES * EACH, atOnce: 1 })
  expect(await reflex.replay('otter')).toMatchObject({ result: 'equal' })
})

test('the time in which a person thinks about the budget counts for no call that waits for the answer, and not for the run', async () => {
  const [real, host] = [{ used: 0, atOnce: 0, under: 0 }, virtualHost()]
  const reflex = worldOf(real, { host })
  const run = await reflex.run('timed.dot', { id: 'otter', limits: { tokens: EACH, time: 60_000 } })
  await host.advance(3_600_000)
  await run.idle()
  expect({ open: run.questions.map(({ name }) => name), used: real.used }).toEqual({ open: ['budget'], used: EACH })
  await run.answer(run.questions[0] as never, { tokens: 100_000 })
  await run.idle()
  expect({ status: run.status, used: real.used }).toEqual({ status: 'completed', used: BRANCHES * EACH })
  expect(await reflex.replay('otter')).toMatchObject({ result: 'equal' })
})

test('calls that the budget covers together are under way together', async () => {
  const { run, real } = await went('stages.dot', { tokens: 100_000 })
  expect({ status: run.status, atOnce: real.atOnce }).toEqual({ status: 'completed', atOnce: BRANCHES })
})

test('a stage that asks several models at once keeps the answers that it has while a person is asked', async () => {
  const { run, reflex, real } = await went('batch.dot', { tokens: 2 * EACH })
  expect({ open: run.questions.map(({ name }) => name), used: real.used }).toEqual({ open: ['budget'], used: 2 * EACH })
  await run.answer(run.questions[0] as never, { tokens: 100_000 })
  await run.idle()
  // Four variants and a judge: each was asked once.
  expect({ status: run.status, used: real.used }).toEqual({ status: 'completed', used: 5 * EACH })
  expect(await reflex.replay('otter')).toMatchObject({ result: 'equal' })
})

test('a call that waited for others when its process died used nothing', async () => {
  const [store, real] = [memoryStore(), { used: 0, atOnce: 0, under: 0 }]
  let die: () => void = () => undefined
  const death = new Promise<void>((resolve) => (die = resolve))
  const first = worldOf(real, { store, called: () => (die(), new Promise<never>(() => undefined)) })
  const begun = first.start('stages.dot', { id: 'otter', limits: { tokens: 1_000 } })
  await Promise.all([begun, death])
  await first.close()
  const second = worldOf(real, { store, life: 1 })
  const run = await second.resume('otter')
  await run.idle()
  const inputs = (await second.runtime.journal('otter')).map(({ input }) => input)
  // The one that was under way counts as the most that it could use; that is more than the budget.
  expect(inputs.filter((input) => input?.[0] === 'again' && input[2] !== undefined).length).toBe(1)
  expect(inputs.filter((input) => input?.[0] === 'later').length).toBeGreaterThan(0)
  expect({ open: [...new Set(run.questions.map(({ name }) => name))], used: real.used }).toEqual({ open: ['budget'], used: 0 })
  await second.cancel('otter')
  expect(await second.replay('otter')).toMatchObject({ result: 'equal' })
})
