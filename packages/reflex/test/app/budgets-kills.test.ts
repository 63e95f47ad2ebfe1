import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { RunHandle } from '../../src/index.ts'
import { scriptedModel } from '../../src/models/index.ts'
import { Reflex } from '../../src/app/reflex.ts'
import { memoryStore } from '../../src/store/index.ts'
import { virtualHost } from '../../src/testing/index.ts'
import { newFolder } from './folders.ts'

const KILLS = 11
const LIMIT = 350

const WORKFLOW = JSON.stringify({
  id: 'chain',
  entry: 'a',
  nodes: Object.fromEntries(['a', 'b', 'c'].map((id) => [id, { id, spec: { prompt: 'Say something.', writes: 'said', maxTokens: 80 } }])),
  edges: [
    { id: 'b', from: 'a', to: 'b', event: 'NEXT' },
    { id: 'c', from: 'b', to: 'c', event: 'NEXT' },
  ],
})
const model = (id: string): string => `${id} [prompt="say", max_tokens=80];`
const pipeline = (nodes: string, edges: string): string =>
  `digraph p { graph [goal="g"]; start [shape=Mdiamond]; done [shape=Msquare]; ${nodes} start -> ${edges} -> done }`
const FILES = {
  'chain.workflow.json': WORKFLOW,
  'chain.dot': pipeline(model('a') + model('b') + model('c'), 'a -> b -> c'),
}

/** The tokens that a run uses whose process is killed at each of its first calls of a model. Answers nothing. */
async function killed(file: string): Promise<{ used: number; run: RunHandle; reflex: Reflex; live: () => void }> {
  const store = memoryStore()
  let [used, kills] = [0, 0]
  for (;;) {
    const workdir = newFolder()
    for (const [name, text] of Object.entries(FILES)) writeFileSync(join(workdir, name), text)
    let die: () => void = () => undefined
    const death = new Promise<'dead'>((resolve) => (die = () => resolve('dead')))
    const test = scriptedModel(() => {
      used += 100
      if (kills >= KILLS) return { text: 'ok', usage: { input: 60, output: 40 } }
      kills++
      die()
      return new Promise<never>(() => undefined)
    }, 'test')
    const reflex: Reflex = new Reflex({
      workdir,
      store,
      models: { test },
      model: 'test',
      agent: { default: 'model' },
      surroundings: {
        host: virtualHost(),
        worker: { id: `life ${kills}`, host: 'test', pid: 2 ** 22 + kills },
        cwd: workdir,
        environment: {},
        actor: 'ana',
      },
    })
    onTestFinished(() => reflex.close())
    const begun = kills === 0 ? reflex.start(file, { id: 'otter', limits: { tokens: LIMIT } }) : reflex.resume('otter')
    const rests = begun.then(async (run) => (await run.idle(), run))
    const run = await Promise.race([death, rests])
    if (run !== 'dead') return { used, run, reflex, live: () => void (kills = KILLS) }
    reflex.runtime.openRuns.get('otter')?.close()
    await reflex.close()
  }
}

test.each(['chain.workflow.json', 'chain.dot'])('kills at calls of a model do not exceed the budget: %s', async (file) => {
  const { used, run, reflex, live } = await killed(file)
  expect({ open: run.questions.map(({ name }) => name), isOver: used > LIMIT + 100 }).toEqual({ open: ['budget'], isOver: false })
  const journal = await reflex.runtime.journal('otter')
  const lost = journal.flatMap(({ input }) => (input?.[0] === 'again' ? [input[2]] : []))
  expect(lost.length).toBe(used / 100)
  expect(lost).toEqual(lost.map(() => ({ model: 'test', input: expect.any(Number) as number, output: 80 })))
  expect(await reflex.replay('otter')).toMatchObject({ result: 'equal' })
  const [question] = run.questions
  if (question === undefined) throw new Error('no question')
  live()
  await run.answer(question, { tokens: 100_000 })
  await run.idle()
  expect(run.status).toBe('completed')
  expect(await reflex.replay('otter')).toMatchObject({ result: 'equal' })
})
