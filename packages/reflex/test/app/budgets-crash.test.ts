import { expect, onTestFinished, test } from 'vitest'
import type { Store } from '../../src/kernel/index.ts'
import { scriptedModel } from '../../src/models/index.ts'
import { Reflex } from '../../src/app/reflex.ts'
import type { RunHandle } from '../../src/index.ts'
import { memoryStore } from '../../src/store/index.ts'
import { virtualHost } from '../../src/testing/index.ts'
import type { Workflow } from '../../src/kinds/workflow/types/index.ts'
import { newFolder } from './folders.ts'

// A lost try counts as little as it can, so that a crash changes no answer's meaning.
const spec = { prompt: 'Say something.', writes: 'said', maxTokens: 1 }
const chain: Workflow = {
  id: 'chain',
  entry: 'a',
  nodes: Object.fromEntries(['a', 'b', 'c'].map((id) => [id, { id, spec }])),
  edges: [
    { id: 'b', from: 'a', to: 'b', event: 'NEXT' },
    { id: 'c', from: 'b', to: 'c', event: 'NEXT' },
  ],
}

let lives = 0

/** A process over a store, whose model uses a hundred tokens each time. */
function live(store: Store, asked: string[]): Reflex {
  const model = scriptedModel(({ label = '' }) => {
    asked.push(label)
    return { text: 'ok', usage: { input: 60, output: 40 } }
  }, 'test')
  const [workdir, host] = [newFolder(), virtualHost()]
  const worker = { id: `life ${++lives}`, host: 'test', pid: 2 ** 22 + lives }
  const reflex = new Reflex({
    workdir,
    store,
    models: { test: model },
    model: 'test',
    agent: { default: 'model' },
    surroundings: { host, worker, cwd: workdir, environment: {}, actor: 'ana' },
  })
  onTestFinished(() => reflex.close())
  return reflex
}

const answers = ['raise', { tokens: 290 }, { tokens: 1000 }]

/** Carries a run to its end, with the answers from the one that comes next. Gives whether it was completed. */
async function carry(run: RunHandle, said: { n: number }): Promise<boolean> {
  for (;;) {
    await run.idle()
    const [question] = run.questions
    if (run.status !== 'suspended' || question === undefined) return run.status === 'completed'
    await run.answer(question, answers[Math.min(said.n++, answers.length - 1)])
  }
}

test('is asked as often, and uses as much, wherever its process dies', async () => {
  const reference = memoryStore()
  const asked: string[] = []
  const whole = await live(reference, asked).run(chain, { id: 'otter', limits: { tokens: 100 } })
  await carry(whole, { n: 0 })
  const records = await live(reference, []).runtime.journal('otter')
  expect(asked.length).toBe(3)
  for (let at = 2; at < records.length; at++) {
    const store = memoryStore()
    const calls: string[] = []
    const first = live(store, calls)
    await new Promise<void>((resolve) => {
      void first
        .start(chain, {
          id: 'otter',
          limits: { tokens: 100 },
          prepare: ({ run }) => void run.subscribe((_, n) => n >= at && (run.close(), resolve())),
        })
        .then((run) => carry(run, { n: 0 }))
        .catch(() => undefined)
    })
    await first.close()
    const before = await live(store, []).runtime.journal('otter')
    const questions = before.filter(({ input }) => input?.[0] === 'answer').length
    const second = live(store, calls)
    const run = await second.resume('otter')
    expect({ at, ended: await carry(run, { n: questions }) }).toEqual({ at, ended: true })
    const after = await second.runtime.journal('otter')
    expect({ at, holds: after.filter(({ input }) => input?.[0] === 'pause').length }).toEqual({
      at,
      holds: records.filter(({ input }) => input?.[0] === 'pause').length,
    })
    expect(await second.replay('otter')).toMatchObject({ result: 'equal' })
    const used = after.filter(({ input }) => input?.[0] === 'ok').length
    expect({ at, used }).toEqual({ at, used: 3 })
  }
})

test('every record of it can be forked, and the fork is held where its source was', async () => {
  const store = memoryStore()
  const reflex = live(store, [])
  const whole = await reflex.run(chain, { id: 'otter', limits: { tokens: 100 } })
  await carry(whole, { n: 0 })
  const records = await reflex.runtime.journal('otter')
  for (let at = 1; at < records.length; at++) {
    const forked = await reflex.fork(`otter@${at}`).catch((thrown: unknown) => thrown as { code: string })
    if ('code' in forked) {
      expect({ at, code: forked.code }).toEqual({ at, code: 'R2060' })
      continue
    }
    const run = await reflex.resume(forked.id)
    const said = { n: records.slice(0, at).filter(({ input }) => input?.[0] === 'answer').length }
    expect({ at, ended: await carry(run, said) }).toEqual({ at, ended: true })
    const mine = await reflex.runtime.journal(forked.id)
    const count = (list: typeof records, what: string): number => list.filter(({ input }) => input?.[0] === what).length
    expect({ at, holds: count(mine, 'hold'), answers: count(mine, 'answer') }).toEqual({
      at,
      holds: count(records, 'hold'),
      answers: count(records, 'answer'),
    })
    expect(await reflex.replay(forked.id)).toMatchObject({ result: 'equal' })
  }
})
