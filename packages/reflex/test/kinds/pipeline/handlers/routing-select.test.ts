import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../../src/kernel/index.ts'
import { type RoutingFacts, selectRoute } from '../../../../src/kinds/pipeline/operations/flow/routing-select.ts'
import { run } from '../../../../src/kinds/pipeline/index.ts'
import { runDot } from '../engine/harness.ts'
import { around } from './eval-world.ts'

const candidates = [
  { backend: 'big', model: 'b1' },
  { backend: 'mid', model: 'm1' },
  { backend: 'own', model: 'o1' },
]

describe('the filters', () => {
  const chosen = (facts: Readonly<Record<string, 'yes' | 'no'>>, more: Partial<RoutingFacts> = {}) =>
    selectRoute(candidates, { exclude: [], tier: 'mid', budget: 'normal', factOf: (fact, backend) => facts[`${fact}_${backend}`], ...more })
      ?.backend
  const all = { avail_big: 'yes', avail_mid: 'yes', avail_own: 'yes' } as const
  const free = { ...all, free_own: 'yes' } as const

  // proves: pipeline 4.3.2a
  test.each<[string, ReturnType<typeof chosen>, string | undefined]>([
    ['nothing is available unless it is said', chosen({}), undefined],
    ['the first that is', chosen(all), 'big'],
    ['one that is excluded', chosen(all, { exclude: ['big'] }), 'mid'],
    ['one without trust', chosen({ ...all, trust_big: 'no' }), 'mid'],
    ['one without quota', chosen({ ...all, quota_big: 'no', quota_mid: 'no' }), 'own'],
    ['over the budget, only what is free', chosen(free, { budget: 'over' }), 'own'],
    ['over the budget, with nothing free', chosen(all, { budget: 'over' }), undefined],
    ['low, what is free first', chosen(free, { budget: 'low' }), 'own'],
    ['low, with nothing free', chosen(all, { budget: 'low' }), 'big'],
    ['critical work ignores the budget', chosen(free, { budget: 'over', tier: 'critical' }), 'big'],
  ])('%s', (_, backend, expected) => {
    expect(backend).toBe(expected)
  })
})

const select = (values: JsonObject, node = 'n', exclude = '') =>
  runDot(
    `digraph g { start [shape=Mdiamond] done [shape=Msquare]
      ${node} [type="routing.select", candidates="[[\\"big\\", \\"b1\\"], [\\"mid\\", \\"m1\\"]]", exclude="${exclude}"]
      start -> ${node} -> done }`,
    { values },
  )

// proves: pipeline 4.3.2a
test('what is chosen is written, by booleans and by text', async () => {
  const went = await select({ avail_big: true, quota_big: 'false', avail_mid: 'true' })
  expect(went.context).toMatchObject({ selected_backend: 'mid', selected_model: 'm1', routing_reason: 'tier_match' })
  const last = await select({ avail_big: true }, 'select_fallback')
  expect(last.context).toMatchObject({ selected_backend: 'big', routing_reason: 'fallback' })
})

// proves: pipeline 4.3.2b
test('the context excludes backends, and says how much of the budget is left', async () => {
  const both = { avail_big: true, avail_mid: true }
  for (const exclude of ['other, big', ['big']])
    expect((await select({ ...both, exclude })).context).toMatchObject({ selected_backend: 'mid' })
  expect((await select({ ...both, exclude: 'mid' }, 'n', 'big')).reason).toContain('none of big, mid can be used')
  const free = { ...both, free_mid: true }
  expect((await select({ ...free, budget_status: 'normal' })).context).toMatchObject({ selected_backend: 'big' })
  expect((await select({ ...free, budget_status: 'low' })).context).toMatchObject({ selected_backend: 'mid' })
  expect((await select({ ...free, budget_status: 'over' })).context).toMatchObject({ selected_backend: 'mid' })
  expect((await select({ ...both, budget_status: 'over' })).reason).toContain('can be used')
  expect((await select({ ...both, budget_status: 'over', tier: 'critical' })).context).toMatchObject({ selected_backend: 'big' })
})

test('a caller passes the status of the budget on, and what the engine would shadow is refused by name', async () => {
  const child = `digraph child { start -> gate -> end; gate [type=gate, predicate="budget_ok"] }`
  const calls = (key: string) =>
    runDot(`digraph g { start -> call -> end; call [type="graph.invoke", program="pipeline:child", pass_context="${key}"] }`, {
      programs: { child },
      values: { budget_status: 'over' },
    })
  expect((await calls('budget_status')).status).toBe('failed')
  expect((await calls('outcome')).reason).toContain('the engine keeps "outcome" for itself')
  const went = await calls('tier')
  expect([went.status, went.reason]).toEqual(['success', ''])
})

test.each<[JsonObject, string]>([
  [{ outcome: 'fail' }, 'outcome'],
  [{ current_node: 'a' }, 'current_node'],
  [{ preferred_label: 'a' }, 'preferred_label'],
  [{ last_stage: 'a' }, 'last_stage'],
  [{ budget_status: 'ample' }, 'budget_status'],
])('the input %j is refused before the run', async (initial_values, name) => {
  const dot = 'digraph g { start -> a -> end; a [type=transform, transform=constant, expression=x] }'
  await expect(run(dot, { initial_values, logs_root: false })).rejects.toMatchObject({
    code: 'R2206',
    message: expect.stringContaining(`the engine keeps "${name}" for itself`) as unknown,
  })
})

test('nothing that can be used, and candidates that are none, fail', async () => {
  expect((await select({ avail_big: true }, 'n', 'big')).reason).toContain('none of big, mid can be used')
  await expect(runDot(around('type="routing.select", candidates="x"'))).rejects.toThrow('candidates of')
  for (const bad of ['{}', '[1]', '[[\\"a\\"]]'])
    expect((await runDot(around(`type="routing.select", candidates="${bad}"`))).reason).toContain('JSON list of pairs')
})
