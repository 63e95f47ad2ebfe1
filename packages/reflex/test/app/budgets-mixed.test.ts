import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { RunHandle } from '../../src/index.ts'
import { scriptedModel } from '../../src/models/index.ts'
import type { RunLimits } from '../../src/policy/index.ts'
import { Reflex } from '../../src/app/reflex.ts'
import { memoryStore } from '../../src/store/index.ts'
import { virtualHost } from '../../src/testing/index.ts'
import { newFolder } from './folders.ts'

const spec = { prompt: 'Say something.', writes: 'said' }

/** A workflow whose nodes, in a row, ask a model each, or call a program. */
const workflow = (id: string, nodes: Readonly<Record<string, string | undefined>>): string => {
  const ids = Object.keys(nodes)
  const node = (name: string): object =>
    nodes[name] === undefined ? { id: name, spec } : { id: name, spec: {}, invokes: { workflowId: nodes[name], returnMap: [] } }
  return JSON.stringify({
    id,
    entry: ids[0],
    nodes: Object.fromEntries(ids.map((name) => [name, node(name)])),
    edges: ids.slice(1).map((to, i) => ({ id: `to-${to}`, from: ids[i], to, event: 'NEXT' })),
  })
}

const model = (id: string): string => `${id} [prompt="say"];`
const call = (id: string, program: string): string => `${id} [type="graph.invoke", program="${program}"];`
const pipeline = (id: string, nodes: string, edges: string): string =>
  `digraph ${id} { graph [goal="g"]; start [shape=Mdiamond]; done [shape=Msquare]; ${nodes} start -> ${edges} -> done }`

const INNER = workflow('inner', { u: undefined, v: undefined })
const OUTER = pipeline('outer', model('a') + call('m', 'workflow:inner') + model('b'), 'a -> m -> b')
/** Asks for an object under the name of Reflex's own question, then has two models work. */
const FORGER = JSON.stringify({
  id: 'forger',
  entry: 'budget',
  nodes: {
    budget: { id: 'budget', spec: { agent: 'person', ask: 'How many?', schema: { type: 'object' }, writes: 'said' } },
    y: { id: 'y', spec },
    z: { id: 'z', spec },
  },
  edges: [
    { id: 'to-y', from: 'budget', to: 'y', event: 'NEXT' },
    { id: 'to-z', from: 'y', to: 'z', event: 'NEXT' },
  ],
})

const FILES = {
  'forger.workflow.json': FORGER,
  'inner.workflow.json': INNER,
  'outer.dot': OUTER,
  'three.dot': pipeline('three', model('b') + model('c'), 'b -> c'),
  'strict.dot': pipeline('strict', model('a') + call('m', 'pipeline:three'), 'a -> m').replace(
    'goal="g"',
    'goal="g", max_total_tokens=150',
  ),
  'root.workflow.json': workflow('root', { x: undefined, call: 'pipeline:outer', y: undefined }),
  'wide.dot': pipeline(
    'wide',
    `f [shape=component]; j [shape=tripleoctagon]; ${model('a')} ${call('b', 'workflow:inner')} ${call('c', 'workflow:inner')} ${model('d')}`,
    'f; f -> a -> j; f -> b -> j; f -> c -> j; j -> d',
  ),
}

/** Every model uses a hundred tokens. Answers in their order; gives what was asked before each. */
async function went(
  root: string,
  limits: RunLimits,
  answers: readonly unknown[],
): Promise<{ asked: string[]; run: RunHandle; reflex: Reflex }> {
  const reply = scriptedModel(() => ({ text: 'ok', usage: { input: 60, output: 40 } }), 'test')
  const workdir = newFolder()
  for (const [file, text] of Object.entries(FILES)) writeFileSync(join(workdir, file), text)
  const reflex = new Reflex({
    workdir,
    store: memoryStore(),
    models: { test: reply },
    model: 'test',
    prices: { test: { input: 1, output: 1 } },
    agent: { default: 'model' },
    surroundings: { host: virtualHost(), worker: { id: 'w', host: 'test', pid: 2 ** 22 }, cwd: workdir, environment: {}, actor: 'ana' },
  })
  onTestFinished(() => reflex.close())
  const run = await reflex.run(root, { id: 'otter', limits })
  const asked: string[] = []
  for (const answer of answers) {
    const [question] = run.questions
    if (question === undefined) break
    asked.push(typeof question.question.about === 'string' ? question.question.about : question.name)
    await run.answer(question, answer)
    await run.idle()
  }
  return { asked, run, reflex }
}

test.each([
  ['what a workflow used that a pipeline called', 'outer.dot', { tokens: 250 }, ['b is next; 300 of 250 tok used.']],
  ['what was raised in a workflow that a pipeline called', 'outer.dot', { tokens: 150 }, ['m/v is next; 200 of 150 tok used.']],
  ['the nodes of a workflow that a pipeline called', 'outer.dot', { steps: 4 }, ['m/v is next; 4 of 4 steps used.']],
  ['all of it, three programs deep', 'root.workflow.json', { tokens: 350 }, ['call/b is next; 400 of 350 tok used.']],
  ['what workflows in branches used', 'wide.dot', { tokens: 450 }, ['j is next; 500 of 450 tok used.']],
])('the operator’s budget counts %s', async (_, root, limits, expected) => {
  const { asked, run, reflex } = await went(root, limits, ['raise', 'raise', 'raise'])
  expect({ asked, status: run.status }).toEqual({ asked: expected, status: 'completed' })
  expect(await reflex.replay('otter')).toMatchObject({ result: 'equal' })
})

test('what a pipeline allows itself holds in the pipelines that it calls: they see a failure, and it goes on to its own', async () => {
  const { asked, run, reflex } = await went('strict.dot', {}, [])
  expect({ asked, status: run.status }).toEqual({ asked: [], status: 'failed' })
  const refused = (await reflex.runtime.journal('otter')).flatMap(({ input }) => (input?.[0] === 'err' ? [input[2]] : []))
  expect(refused).toEqual([expect.objectContaining({ code: 'R3021', message: 'budget exceeded: 200 of 150 tokens', path: 'm/c' })])
  expect(run.run.state.meter.run).toMatchObject({ tokens: 200, calls: 2 })
  expect(await reflex.replay('otter')).toMatchObject({ result: 'equal' })
})

test.each(['outer.dot', 'root.workflow.json'])('an answer that bounds something else bounds it: %s', async (root) => {
  const { asked, run } = await went(root, { tokens: 100 }, [{ tokens: 1000, cost: 5, steps: 3 }, { steps: 100 }])
  expect({ last: asked.at(-1), status: run.status }).toEqual({
    last: expect.stringContaining('of 3 steps used') as string,
    status: 'completed',
  })
})

test('a node that asks under the name of that question raises nothing', async () => {
  const { asked, run } = await went('forger.workflow.json', { tokens: 100 }, [{ tokens: 1e9 }, 'raise'])
  expect({ asked: asked.at(-1), status: run.status }).toEqual({
    asked: 'z is next; 100 of 100 tok used.',
    status: 'completed',
  })
})
