import { expect, test } from 'vitest'
import type { JsonObject } from '../../../../src/kernel/index.ts'
import { type LlmAnswer, type LlmBackend, run } from '../../../../src/kinds/pipeline/index.ts'
import { runDot } from '../engine/harness.ts'
import { around, evalWorld, type Said } from './eval-world.ts'

const climb = async (by: Readonly<Record<string, Said>>, attributes = '', values: JsonObject = { last_response: 'why?' }) => {
  const world = evalWorld({ say: ({ model }) => by[model ?? ''] ?? { fails: 'bad' } })
  const went = await runDot(around(`type="retry.escalate" models="small,middle,large" ${attributes}`), { values, ports: world.ports })
  return { went, world, own: (key: string) => went.context[`escalate.n.${key}`] }
}

// proves: pipeline 4.3.5a
test('the first model that answers is taken, and how it came to it is told', async () => {
  const { went, world, own } = await climb({ middle: 'because' })
  expect(went.status).toBe('success')
  expect(went.context['last_response']).toBe('because')
  expect([own('model_used'), own('attempts')]).toEqual(['middle', 2])
  expect(own('history')).toEqual([
    { model: 'small', status: 'fail', reason: 'the model is bad' },
    { model: 'middle', status: 'success', reason: '' },
  ])
  expect(world.heard.map(({ prompt, request }) => [prompt, request.timeout])).toEqual([
    ['why?', 30_000],
    ['why?', 30_000],
  ])
})

// proves: pipeline 4.3.5a
test('a ladder that ends fails, with its history; what the last said decides whether it may be tried again', async () => {
  const { went, own } = await climb({})
  expect(went.reason).toContain('none of 3 models answered')
  expect(own('history')).toHaveLength(3)
  expect(own('model_used')).toBeNull()
  expect((await climb({}, 'max_retries=1')).world.heard).toHaveLength(3)
  expect((await climb({ large: { fails: 'busy' } }, 'max_retries=1')).world.heard).toHaveLength(6)
})

test('what is no reason to escalate ends the climb', async () => {
  const slow = await climb({ small: { fails: 'slow' }, middle: 'late' }, 'escalate_on=fail')
  expect(slow.own('history')).toEqual([{ model: 'small', status: 'timeout', reason: 'the model is slow' }])
  expect((await climb({ small: { fails: 'slow' }, middle: 'late' }, 'escalate_on=timeout timeout_ms="5s"')).own('model_used')).toBe(
    'middle',
  )
  expect((await climb({ small: { fails: 'bad' }, middle: 'late' }, 'escalate_on=timeout')).went.status).toBe('failed')
})

test('a low score skips the first model once', async () => {
  const all = { small: 's', middle: 'm', large: 'l' }
  const low = { last_response: 'why?', quality: '0.4' }
  const poor = await climb(all, 'escalate_on="fail,low_score" score_key=quality', low)
  expect([poor.own('model_used'), poor.own('attempts')]).toEqual(['middle', 1])
  expect(poor.own('history')).toContainEqual({ model: 'small', status: 'skipped', reason: 'low_score' })
  expect((await climb(all, 'escalate_on="fail,low_score" score_key=quality score_threshold=0.3', low)).own('model_used')).toBe('small')
  expect((await climb(all, 'score_key=quality', low)).own('model_used')).toBe('small')
  expect((await climb(all, 'escalate_on=low_score score_key=missing')).own('model_used')).toBe('small')
})

test('the prompt stands in where no value does, the host’s own model where no ladder is written', async () => {
  const { world } = await climb({ small: 'yes' }, 'prompt="about $topic"', { topic: 'tea' })
  expect(world.heard[0]?.prompt).toBe('about tea')
  const usual = evalWorld()
  const went = await runDot(around('type="retry.escalate" prompt=hello'), { ports: usual.ports })
  expect(went.context['escalate.n.model_used']).toBe('test:usual')
  expect(usual.heard[0]?.model).toBeUndefined()
})

test('nothing to ask, and reasons that are none, fail', async () => {
  expect((await climb({}, '', {})).went.reason).toContain('source_key and prompt are both empty')
  await expect(climb({}, 'escalate_on=fial')).rejects.toThrow('not one of "fail", "timeout", "low_score"')
})

test('a backend of the host that says that it failed has not answered; what it gives with a success counts', async () => {
  const said: Readonly<Record<string, LlmAnswer>> = {
    small: { status: 'fail', failure_reason: 'cannot do that' },
    middle: { status: 'success', notes: 'done', context_updates: { found: 3 } },
  }
  const llm_backend: LlmBackend = (_, __, ___, { model = '' }) => said[model] ?? 'late'
  const dot = around('type="retry.escalate" models="small,middle,large" prompt=x')
  const { status, context, node_outcomes } = await run(dot, { logs_root: false, validate: false, llm_backend })
  expect([status, context['found'], context['last_response'], node_outcomes['n']?.notes]).toEqual(['success', 3, 'done', 'done'])
  expect(context['escalate.n.history']).toEqual([
    { model: 'small', status: 'fail', reason: 'cannot do that' },
    { model: 'middle', status: 'success', reason: '' },
  ])
})
