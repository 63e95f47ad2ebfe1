import { expect, onTestFinished, test } from 'vitest'
import type { Store } from '../../src/kernel/index.ts'
import { type Model, scriptedModel } from '../../src/models/index.ts'
import { isInternalQuestion } from '../../src/people/index.ts'
import { Reflex } from '../../src/app/reflex.ts'
import type { RunHandle } from '../../src/index.ts'
import type { RunLimits } from '../../src/policy/index.ts'
import { memoryStore } from '../../src/store/index.ts'
import { virtualHost } from '../../src/testing/index.ts'
import type { Workflow } from '../../src/kinds/workflow/types/index.ts'
import { newFolder } from './folders.ts'

/** Nodes in a row, each of which asks a model for one text. */
function chain(...ids: readonly string[]): Workflow {
  const spec = { prompt: 'Say something.', writes: 'said' }
  return {
    id: 'chain',
    entry: ids[0] ?? 'a',
    nodes: Object.fromEntries(ids.map((id) => [id, { id, spec }])),
    edges: ids.slice(1).map((to, i) => ({ id: `to-${to}`, from: ids[i] ?? '', to, event: 'NEXT' })),
  }
}

interface World {
  readonly reflex: Reflex
  /** The nodes whose models were asked. */
  readonly asked: string[]
}

/** A model that uses a hundred tokens and a cent each time. */
function worldOf(store: Store = memoryStore(), asked: string[] = []): World {
  const model: Model = scriptedModel(({ label = '' }) => {
    asked.push(label)
    return { text: 'ok', usage: { input: 60, output: 40 } }
  }, 'test')
  const host = virtualHost()
  const workdir = newFolder()
  const reflex = new Reflex({
    workdir,
    store,
    models: { test: model },
    model: 'test',
    prices: { test: { input: 100, output: 100 } },
    agent: { default: 'model' },
    surroundings: { host, worker: { id: `w${asked.length}`, host: 'test', pid: 2 ** 22 }, cwd: workdir, environment: {}, actor: 'ana' },
  })
  onTestFinished(() => reflex.close())
  return { reflex, asked }
}

const open = ({ questions }: RunHandle): string[] => questions.map(({ name }) => name)
const started = async (limits: RunLimits, world: World = worldOf()): Promise<World & { readonly run: RunHandle }> => {
  const run = await world.reflex.run(chain('a', 'b', 'c', 'd'), { id: 'otter', limits })
  return { ...world, run }
}

test.each([{ tokens: 200 }, { cost: 0.02 }, { steps: 2 }])(
  '%j holds the next effect of a workflow, with a question of Reflex’s own',
  async (limits) => {
    const { run, asked } = await started(limits)
    expect({ status: run.status, open: open(run), asked }).toEqual({
      status: 'suspended',
      open: ['budget'],
      asked: ['chain/a', 'chain/b'],
    })
    expect(run.questions.every(isInternalQuestion)).toBe(true)
    expect(run.questions[0]?.question.about).toMatch(/^c is next; /)
  },
)

test('raised by as much again, it goes on for as long again', async () => {
  const { reflex, run, asked } = await started({ tokens: 100 })
  await run.answer(run.questions[0] as never, 'raise')
  await run.idle()
  expect({ asked: asked.length, open: open(run) }).toEqual({ asked: 2, open: ['budget'] })
  await run.answer(run.questions[0] as never, { tokens: 1000 })
  await run.idle()
  expect({ asked: asked.length, status: run.status }).toEqual({ asked: 4, status: 'completed' })
  expect(await reflex.replay('otter')).toMatchObject({ result: 'equal' })
})

test('is read off the journal by whoever goes on: what was used, and what was raised', async () => {
  const store = memoryStore()
  const first = await started({ tokens: 200 }, worldOf(store))
  await first.run.answer(first.run.questions[0] as never, { tokens: 300 })
  await first.run.idle()
  expect(first.asked.length).toBe(3)
  await first.run.leave()
  const second = worldOf(store, ['before'])
  const run = await second.reflex.resume('otter')
  await run.idle()
  expect({ asked: second.asked, open: open(run) }).toEqual({ asked: ['before'], open: ['budget'] })
  await run.answer(run.questions[0] as never, { tokens: 400 })
  await run.idle()
  expect({ asked: second.asked, status: run.status }).toEqual({ asked: ['before', 'chain/d'], status: 'completed' })
})

test('stopped, the effect fails and nothing is spent; whoever tries again is asked again', async () => {
  const { run, asked } = await started({ tokens: 100 })
  await run.answer(run.questions[0] as never, 'stop', 'ben')
  await run.idle()
  expect(asked.length).toBe(1)
  expect(run.questions.map(({ fault }) => fault)).toMatchObject([
    { code: 'R3020', message: expect.stringContaining('ben stopped') as string },
  ])
  await run.answer(run.questions[0] as never, null)
  await run.idle()
  expect({ asked: asked.length, open: open(run) }).toEqual({ asked: 1, open: ['budget'] })
})

test('a run can be forked where it is held, and the fork is held as well', async () => {
  const { reflex, run, asked } = await started({ tokens: 200 })
  const { id } = await reflex.fork(run.id)
  const fork = await reflex.resume(id)
  await fork.idle()
  expect({ asked: asked.length, open: open(fork) }).toEqual({ asked: 2, open: ['budget'] })
  await fork.answer(fork.questions[0] as never, { tokens: 1000 })
  await fork.idle()
  expect([fork.status, run.status]).toEqual(['completed', 'suspended'])
})

test('what costs nothing goes on when only money is spent', async () => {
  const world = worldOf()
  const workflow = chain('a', 'b', 'c')
  const nodes = { ...workflow.nodes, b: { id: 'b', spec: {} }, c: { id: 'c', spec: {} } }
  const run = await world.reflex.run({ ...workflow, nodes }, { limits: { tokens: 100 } })
  expect(run.status).toBe('completed')
})

test('cancelled, it asks nobody any more', async () => {
  const { reflex, run } = await started({ tokens: 100 })
  await reflex.cancel('otter')
  await run.idle()
  expect({ status: run.status, open: open(run) }).toEqual({ status: 'cancelled', open: [] })
})

test('a fork can say by itself that the budget is raised', async () => {
  const { reflex, run, asked } = await started({ tokens: 200 })
  const { id, decided } = await reflex.fork(run.id, { decide: 'raise' })
  expect(decided?.chose).toBe('raise')
  const fork = await reflex.resume(id)
  await fork.idle()
  expect({ asked: asked.length, status: fork.status }).toEqual({ asked: 4, status: 'completed' })
  expect(await reflex.replay(id)).toMatchObject({ result: 'equal' })
})
