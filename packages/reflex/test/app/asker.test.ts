import { expect, onTestFinished, test } from 'vitest'
import type { RunHandle } from '../../src/index.ts'
import { autoAnswers } from '../../src/people/index.ts'
import { type InterviewAnswer, run as runPipeline } from '../../src/kinds/pipeline/index.ts'
import { Reflex } from '../../src/app/reflex.ts'
import { memoryStore } from '../../src/store/index.ts'
import { virtualHost } from '../../src/testing/index.ts'
import { newFolder } from './folders.ts'

/** A wait states who asks. Reflex never recognises its own questions by the names of their waits: a node may have any of these names. */

/** A workflow that asks a person at a node of this name. */
async function asking(name: string): Promise<RunHandle> {
  const workdir = newFolder()
  const reflex = new Reflex({
    workdir,
    store: memoryStore(),
    surroundings: { host: virtualHost(), worker: { id: 'w', host: 'test', pid: 2 ** 22 }, cwd: workdir, environment: {}, actor: 'ana' },
  })
  onTestFinished(() => reflex.close())
  const spec = { agent: 'person', ask: 'How much?', options: ['FULL', 'NONE'], writes: 'said' }
  return reflex.run({
    id: 'asks',
    entry: name,
    nodes: { [name]: { id: name, spec }, full: { id: 'full', spec: {} }, none: { id: 'none', spec: {} } },
    edges: [
      { id: 'full', from: name, to: 'full', event: 'FULL' },
      { id: 'none', from: name, to: 'none', event: 'NONE' },
    ],
  })
}

/** The answer that the node keeps, after a person or `--answers auto` has given one. */
async function kept(name: string, who: 'person' | 'auto'): Promise<unknown> {
  const run = await asking(name)
  const [question] = run.questions
  if (question === undefined) throw new Error('nothing is asked')
  const answer = who === 'person' ? 'FULL' : autoAnswers.answer(question)
  if (answer === undefined) return undefined
  await run.answer(question, answer, 'ben')
  await run.idle()
  return run.get('said')
}

async function askedBy(name: string): Promise<readonly string[]> {
  const asked: string[] = []
  const dot = `digraph p { graph [goal="g"]; start [shape=Mdiamond]; done [shape=Msquare];
    ${name} [shape=hexagon, label="May it?"]; start -> ${name}; ${name} -> done [label="Yes"]; ${name} -> done [label="No"] }`
  const ask = ({ text }: { readonly text: string }): InterviewAnswer => {
    asked.push(text)
    return { value: 'Yes' }
  }
  await runPipeline(dot, { logs_root: false, interviewer: { ask } })
  return asked
}

test('a person answers the workflow node way', async () => {
  expect(await kept('way', 'person')).toBe('FULL')
})

test.each(['doubt', 'engine:budget', 'engine:error'])('a person answers the workflow node %s', async (name) => {
  expect(await kept(name, 'person')).toBe('FULL')
})

test.each(['way', 'doubt', 'engine:budget', 'engine:price', 'engine:permission'])(
  '--answers auto answers the workflow node %s',
  async (name) => {
    expect(await kept(name, 'auto')).toBe('FULL')
  },
)

test('--answers auto answers the workflow node engine:error', async () => {
  expect(await kept('engine:error', 'auto')).toBe('FULL')
})

test('the question of the workflow node doubt is its own', async () => {
  const { questions } = await asking('doubt')
  expect(questions.map(({ question }) => question.text)).toEqual(['How much?'])
})

// A node of a pipeline cannot be called `engine:budget`: its ids are bare identifiers.
test.each(['way', 'doubt'])('run() asks the person of the pipeline node %s', async (name) => {
  expect(await askedBy(name)).toEqual(['May it?'])
})
