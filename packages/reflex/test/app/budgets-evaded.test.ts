import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { RunHandle } from '../../src/index.ts'
import type { Model, ModelTry, Prices, Usage } from '../../src/models/index.ts'
import type { ReflexOptions } from '../../src/app/options.ts'
import type { RunLimits } from '../../src/policy/index.ts'
import { Reflex } from '../../src/app/reflex.ts'
import { memoryStore } from '../../src/store/index.ts'
import { virtualHost } from '../../src/testing/index.ts'
import { defineTool } from '../../src/tools/index.ts'
import { newFolder } from './folders.ts'

const look = defineTool({ name: 'look', description: 'Looks.', leaves: false, repeat: 'free', run: () => 'nothing' })

/** A tool loop of twenty turns, and workflows of one decision and of two. */
const PROGRAMS = {
  'loop.dot': `digraph p { graph [goal="g"]; start [shape=Mdiamond]; done [shape=Msquare];
     n [prompt="look", use_tools=true, tools=look, max_turns=30]; start -> n -> done }`,
  'one.workflow.json': JSON.stringify({
    id: 'one',
    entry: 'a',
    nodes: { a: { id: 'a', spec: { prompt: 'Say.', writes: 'said' } } },
    edges: [],
  }),
  'two.workflow.json': JSON.stringify({
    id: 'two',
    entry: 'a',
    nodes: { a: { id: 'a', spec: { prompt: 'Say.', writes: 'said' } }, b: { id: 'b', spec: { prompt: 'Say.', writes: 'said' } } },
    edges: [{ id: 'b', from: 'a', to: 'b', event: 'B' }],
  }),
}

/** A model that says such a thing of what it used. */
function saying(name: string, usage?: Usage): Model & { asked: number } {
  return {
    name,
    asked: 0,
    generate({ output }) {
      this.asked++
      const said = output === undefined ? 'x'.repeat(400) : '{"said":"x"}'
      const turn: ModelTry = { text: said, finish: 'stop', ...(usage === undefined ? {} : { usage }) }
      if (output !== undefined || this.asked > 20) return Promise.resolve(turn)
      return Promise.resolve({ ...turn, finish: 'tools', calls: [{ id: `c${this.asked}`, name: 'look', args: {} }] })
    },
  }
}

async function started(file: keyof typeof PROGRAMS, limits: RunLimits, options: Partial<ReflexOptions>): Promise<RunHandle> {
  const workdir = newFolder()
  writeFileSync(join(workdir, file), PROGRAMS[file])
  const reflex = new Reflex({
    workdir,
    store: memoryStore(),
    tools: [look],
    agent: { default: 'model' },
    surroundings: { host: virtualHost(), worker: { id: 'w', host: 'test', pid: 2 ** 22 }, cwd: workdir, environment: {}, actor: 'ana' },
    ...options,
  })
  onTestFinished(() => reflex.close())
  return reflex.run(file, { limits })
}

const asks = (run: RunHandle): readonly string[] => run.questions.map(({ name }) => name)

test.each([
  ['nothing', undefined],
  ['less than nothing', { input: -5, output: -5 }],
  ['more than there is', { input: 1e308, output: 1e308 }],
  ['no number', { input: Number.NaN, output: Number.NaN }],
])('a model that says %s of its tokens is held by a budget of tokens all the same', async (_, usage) => {
  const model = saying('silent', usage)
  const run = await started('loop.dot', { tokens: 400 }, { model })
  expect({ asks: asks(run), asked: model.asked }).toEqual({ asks: ['budget'], asked: 2 })
})

test('a tool that claims more tokens than there are holds the run, and does not end it', async () => {
  const claims = defineTool({
    name: 'look',
    description: 'Looks.',
    leaves: false,
    repeat: 'free',
    run: () => ({ usage: { input: 1e308, output: 1e308 } }),
  })
  const run = await started('loop.dot', { tokens: 400 }, { model: saying('any', { input: 1, output: 1 }), tools: [claims] })
  expect(asks(run)).toEqual(['budget'])
  await run.answer(run.questions[0] as never, 'raise')
  await run.idle()
  expect(asks(run)).toEqual(['budget'])
})

test('a failure that was recorded with less than nothing gives nothing back to a budget', async () => {
  const recorded = join(newFolder(), 'r.jsonl')
  const used = { model: 'm', input: -1e9, output: -1e9, usd: -5, tries: 1 }
  const lines = [
    { label: 'two/a', fault: { code: 'R4010', message: 'no', verdict: 'fail', data: { used } } },
    { label: 'two/a', reply: { object: { said: 'x' }, usage: { input: 300, output: 200 } } },
    { label: 'two/b', reply: { object: { said: 'x' } } },
  ]
  writeFileSync(recorded, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  const run = await started('two.workflow.json', { tokens: 400 }, { agent: { default: 'model', recorded } })
  expect(asks(run)).toEqual(['engine:error'])
  await run.answer(run.questions[0] as never, null)
  await run.idle()
  expect(asks(run)).toEqual(['budget'])
})

const UNSOUND: readonly (readonly [string, Prices])[] = [-1e6, Number.NaN, 1e308, Number.POSITIVE_INFINITY].map((usd) => [
  String(usd),
  { dear: { input: usd, output: usd } },
])

test.each(UNSOUND)('a price of %s is none: under a budget of money its model is asked for first', async (_, prices) => {
  const model = saying('dear', { input: 100, output: 50 })
  const run = await started('loop.dot', { cost: 0.01 }, { model, prices })
  expect({ asks: asks(run), asked: model.asked }).toEqual({ asks: ['budget'], asked: 0 })
})

test.each(['loop.dot', 'one.workflow.json'] as const)('a fallback without a price is asked for before %s can go to it', async (file) => {
  const down: Model = { name: 'down', generate: () => Promise.reject(new Error('down')) }
  const [second, third] = [saying('second', { input: 1e6, output: 1e6 }), saying('third')]
  const options = {
    models: { down, second, third },
    model: 'down',
    fallback: ['second', 'third'],
    prices: { down: { input: 1, output: 1 } },
  }
  const run = await started(file, { cost: 0.01 }, options)
  expect(run.questions.map(({ name, question }) => [name, question.text.split(' ', 1)[0]])).toEqual([['budget', 'second']])
  await run.answer(run.questions[0] as never, 'allow')
  await run.idle()
  expect(run.questions.map(({ name, question }) => [name, question.text.split(' ', 1)[0]])).toEqual([['budget', 'third']])
  expect(second.asked + third.asked).toBe(0)
  await run.answer(run.questions[0] as never, 'allow')
  await run.idle()
  expect(second.asked).toBeGreaterThan(0)
})

test.each([
  [{ tokens: Number.NaN }, 'limits.tokens is NaN'],
  [{ tokens: -5 }, 'limits.tokens is -5'],
  [{ tokens: '100' }, 'limits.tokens is "100"'],
  [{ cost: 0 }, 'limits.cost is 0'],
  [{ time: null }, 'limits.time is null'],
  [{ token: 5 }, 'did you mean "tokens"?'],
])('limits that would hold nothing are refused: %j', async (limits, words) => {
  const model = saying('any')
  await expect(started('loop.dot', limits as RunLimits, { model })).rejects.toMatchObject({
    code: 'R2031',
    message: expect.stringContaining(words) as string,
  })
  expect(model.asked).toBe(0)
})
