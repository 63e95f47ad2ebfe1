import { expect, onTestFinished, test } from 'vitest'
import { faults, scriptedModel } from '../../src/models/index.ts'
import { Reflex } from '../../src/app/reflex.ts'
import { memoryStore } from '../../src/store/index.ts'
import { virtualHost } from '../../src/testing/index.ts'
import { defineTool } from '../../src/tools/index.ts'
import type { Workflow } from '../../src/kinds/workflow/types/index.ts'
import { newFolder } from './folders.ts'

let lives = 0

function live(asked: string[] = [], over = memoryStore()): Reflex {
  const workdir = newFolder()
  const model = scriptedModel(({ label = '' }) => {
    asked.push(label)
    return asked.length === 1 ? faults.make('R4007', 'the key is wrong') : { object: { edge: 'FULL', because: 'x' } }
  }, 'test')
  const pay = defineTool({
    name: 'pay',
    description: 'Pays.',
    leaves: true,
    repeat: 'ask',
    run: () => new Promise<never>(() => asked.push('pay')),
  })
  const reflex = new Reflex({
    workdir,
    store: over,
    models: { test: model },
    model: 'test',
    tools: [pay],
    agent: { default: 'model' },
    surroundings: {
      host: virtualHost(),
      worker: { id: `life ${++lives}`, host: 'test', pid: 2 ** 22 + lives },
      cwd: workdir,
      environment: {},
      actor: 'ana',
    },
  })
  onTestFinished(() => reflex.close())
  return reflex
}

const choice: Workflow = {
  id: 'refund',
  entry: 'a',
  nodes: { a: { id: 'a', spec: { prompt: 'Choose.' } }, b: { id: 'b', spec: {} }, c: { id: 'c', spec: {} } },
  edges: [
    { id: 'b', from: 'a', to: 'b', event: 'FULL' },
    { id: 'c', from: 'a', to: 'c', event: 'NONE' },
  ],
}

test('a failure takes only the answer to try again', async () => {
  const asked: string[] = []
  const reflex = live(asked)
  const run = await reflex.run(choice, { id: 'otter' })
  const [question] = run.questions
  if (question === undefined) throw new Error('nothing is asked')
  expect(question.fault).toMatchObject({ code: 'R4007' })
  await expect(run.answer(question, 'FULL')).rejects.toMatchObject({
    code: 'R4200',
    message: expect.stringContaining('"FULL" is none of retry') as string,
  })
  await expect(reflex.answer('otter', 'FULL')).rejects.toMatchObject({ code: 'R4200' })
  await run.answer(question, 'retry')
  await run.idle()
  expect({ status: run.status, asked: asked.length }).toEqual({ status: 'completed', asked: 2 })
})

test('the question of an unknown outcome names the effect and its key over the API', async () => {
  const asked: string[] = []
  const workflow: Workflow = { id: 'w', entry: 'give', nodes: { give: { id: 'give', spec: { tool: 'pay' } } }, edges: [] }
  const over = memoryStore()
  const first = live(asked, over)
  const begun = first.start(workflow, { id: 'otter' })
  await expect.poll(() => asked).toEqual(['pay'])
  first.runtime.openRuns.get('otter')?.close()
  await first.close()
  void begun.catch(() => undefined)
  const run = await live([], over).resume('otter')
  await run.idle()
  const [question] = run.questions
  expect(question?.question.text).toMatch(/^Did give happen\? .* for its key, otter:\d+\.$/)
  expect(question?.question.options?.map(({ value, label }) => [value, label])).toEqual([
    ['happened', 'It happened'],
    ['repeat', 'It did not'],
    ['failed', 'It failed'],
  ])
})
