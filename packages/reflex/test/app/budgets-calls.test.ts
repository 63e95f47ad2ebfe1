import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type ModelRequest, type ScriptedReply, scriptedModel } from '../../src/models/index.ts'
import type { RunHandle } from '../../src/index.ts'
import type { RunLimits } from '../../src/policy/index.ts'
import { Reflex } from '../../src/app/reflex.ts'
import { memoryStore } from '../../src/store/index.ts'
import { virtualHost } from '../../src/testing/index.ts'
import { defineTool } from '../../src/tools/index.ts'
import { newFolder } from './folders.ts'

const usage = { input: 100, output: 50 }

interface Went {
  readonly run: RunHandle
  readonly reflex: Reflex
  readonly asked: () => number
}

/** Runs a program whose model says what `reply` says. */
async function went(
  file: string,
  text: string,
  limits: RunLimits,
  reply: (request: ModelRequest, n: number) => ScriptedReply,
): Promise<Went> {
  const workdir = newFolder()
  writeFileSync(join(workdir, file), text)
  let asked = 0
  const look = defineTool({
    name: 'look',
    description: 'Looks.',
    leaves: false,
    repeat: 'free',
    run: () => 'nothing',
  })
  const reflex = new Reflex({
    workdir,
    store: memoryStore(),
    models: { test: scriptedModel((request) => reply(request, ++asked), 'test') },
    model: 'test',
    tools: [look],
    agent: { default: 'model' },
    surroundings: { host: virtualHost(), worker: { id: 'w', host: 'test', pid: 2 ** 22 }, cwd: workdir, environment: {}, actor: 'ana' },
  })
  onTestFinished(() => reflex.close())
  const run = await reflex.run(file, { id: 'otter', limits })
  return { run, reflex, asked: () => asked }
}

const looping = (_: ModelRequest, n: number): ScriptedReply =>
  n > 20 ? { text: 'done', usage } : { calls: [{ id: `c${n}`, name: 'look', args: {} }], usage }
const loop = (more = '', routes = 'n -> done'): string =>
  `digraph p { graph [goal="g" ${more}]; start [shape=Mdiamond]; done [shape=Msquare];
     n [prompt="look", use_tools=true, tools=look, max_turns=30]; start -> n; ${routes} }`

test('a tool loop is held before the call that the budget does not cover', async () => {
  const { run, asked, reflex } = await went('loop.dot', loop(), { tokens: 400 }, looping)
  expect({ open: run.questions.map(({ name }) => name), asked: asked() }).toEqual({ open: ['budget'], asked: 3 })
  expect(run.questions[0]?.question.about).toBe('n is next; 450 of 400 tok used.')
  await run.answer(run.questions[0] as never, 'raise')
  await run.idle()
  expect({ open: run.questions.map(({ name }) => name), asked: asked() }).toEqual({ open: ['budget'], asked: 6 })
  await run.answer(run.questions[0] as never, { tokens: 100_000 })
  await run.idle()
  expect({ status: run.status, asked: asked() }).toEqual({ status: 'completed', asked: 21 })
  expect(await reflex.replay('otter')).toMatchObject({ result: 'equal' })
  const calls = (await reflex.trace('otter')).lines.filter(({ event }) => event.mark === 'step' && event.text?.includes('look'))
  expect(calls.length).toBe(20)
})

test('a tool loop that is held can be stopped', async () => {
  const { run, asked, reflex } = await went('loop.dot', loop(), { tokens: 400 }, looping)
  await run.answer(run.questions[0] as never, 'stop')
  await run.idle()
  expect({ status: run.status, asked: asked() }).toEqual({ status: 'failed', asked: 3 })
  expect(await reflex.replay('otter')).toMatchObject({ result: 'equal' })
})

test('a tool loop fails before the call that the budget of its own pipeline does not cover', async () => {
  const routes = 'n -> done [condition="outcome=success"]; n -> done [condition="outcome=fail"]'
  const { run, asked } = await went('loop.dot', loop(', max_total_tokens=400', routes), {}, looping)
  expect({ status: run.status, asked: asked() }).toEqual({ status: 'completed', asked: 3 })
})

const chain = JSON.stringify({
  id: 'chain',
  entry: 'a',
  nodes: {
    a: { id: 'a', spec: { prompt: 'Choose.', retries: 2 } },
    b: { id: 'b', spec: {} },
    c: { id: 'c', spec: {} },
  },
  edges: [
    { id: 'b', from: 'a', to: 'b', event: 'B' },
    { id: 'c', from: 'a', to: 'c', event: 'C' },
  ],
})

test('a workflow counts the answers of a call that fails', async () => {
  const { run, asked } = await went('chain.workflow.json', chain, { tokens: 700 }, () => ({ text: 'no JSON', usage }))
  const answered: string[] = []
  for (let i = 0; i < 5 && run.questions[0] !== undefined; i++) {
    answered.push(run.questions[0].name)
    if (run.questions[0].name === 'budget') break
    await run.answer(run.questions[0], null)
    await run.idle()
  }
  // Two answers in each call: 300 tokens.
  expect({ answered, asked: asked() }).toEqual({ answered: ['engine:error', 'engine:error', 'engine:error', 'budget'], asked: 6 })
})

test('a workflow counts an answer whose decision is refused', async () => {
  const node = JSON.stringify({
    ...JSON.parse(chain),
    board: { said: { type: 'string', maxLength: 2 } },
    nodes: { a: { id: 'a', spec: { prompt: 'Say.', writes: 'said' } } },
    edges: [],
  })
  const { run } = await went('chain.workflow.json', node, { tokens: 150 }, () => ({ text: 'too long', usage }))
  expect(run.questions.map(({ name }) => name)).toEqual(['engine:error'])
  await run.answer(run.questions[0] as never, null)
  await run.idle()
  expect(run.questions.map(({ name }) => name)).toEqual(['budget'])
})

test('a pipeline counts the answers of a call that fails', async () => {
  const dot = `digraph p { graph [goal="g"]; start [shape=Mdiamond]; done [shape=Msquare];
    a [prompt="say", output_schema="{\\"type\\":\\"object\\"}", on_failure=continue]; b [prompt="more"]; start -> a -> b; a -> b [condition="outcome=fail"]; b -> done }`
  const { run, reflex } = await went('p.dot', dot, { tokens: 250 }, () => ({ text: 'no JSON', usage }))
  const used = (await reflex.trace('otter')).lines.flatMap(({ event }) =>
    event.facts?.['used'] === undefined ? [] : [event.facts['used']],
  )
  expect({ used, open: run.questions.map(({ name }) => name) }).toEqual({
    used: [expect.objectContaining({ input: 200, output: 100 })],
    open: ['budget'],
  })
})

const twice = JSON.stringify({
  id: 'chain',
  entry: 'a',
  nodes: Object.fromEntries(['a', 'b'].map((id) => [id, { id, spec: { prompt: 'Say.', writes: 'said' } }])),
  edges: [{ id: 'b', from: 'a', to: 'b', event: 'B' }],
})
const stages = `digraph p { graph [goal="g"]; start [shape=Mdiamond]; done [shape=Msquare]; a [prompt="say"]; b [prompt="more"]; start -> a -> b -> done }`

test.each([
  ['chain.workflow.json', twice],
  ['p.dot', stages],
])('a model without a price is asked about first where money is bounded: %s', async (file, text) => {
  const { run, asked, reflex } = await went(file, text, { cost: 1 }, () => ({ text: 'ok', usage }))
  expect({ open: run.questions.map(({ name, question }) => [name, question.text]), asked: asked() }).toEqual({
    open: [['budget', 'test has no price, so the budget of $1 cannot stop it: ask it all the same?']],
    asked: 0,
  })
  await expect(run.answer(run.questions[0] as never, 'raise')).rejects.toMatchObject({ code: 'R4200' })
  await run.answer(run.questions[0] as never, 'allow')
  await run.idle()
  expect({ status: run.status, asked: asked() }).toEqual({ status: 'completed', asked: 2 })
  expect(await reflex.replay('otter')).toMatchObject({ result: 'equal' })
})

test('a model without a price is not asked once a person says stop', async () => {
  const { run, asked } = await went('chain.workflow.json', twice, { cost: 1 }, () => ({ text: 'ok', usage }))
  await run.answer(run.questions[0] as never, 'stop', 'ben')
  await run.idle()
  expect(run.questions.map(({ fault }) => fault?.message)).toEqual(['test has no price, and ben stopped the run here'])
  expect(asked()).toBe(0)
})

test('a simulated run asks nothing about prices', async () => {
  const { reflex } = await went('chain.workflow.json', twice, {}, () => 'ok')
  const run = await reflex.run('chain.workflow.json', { limits: { cost: 1 }, simulate: true })
  expect(run.status).toBe('completed')
})
