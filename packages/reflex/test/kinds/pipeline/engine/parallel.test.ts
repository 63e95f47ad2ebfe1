import { expect, test } from 'vitest'
import { isList, type Json } from '../../../../src/kernel/index.ts'
import type { PipelineHandler } from '../../../../src/kinds/pipeline/engine/custom.ts'
import { runDot, told, type World } from './harness.ts'

const at = (ms: number, more: object = {}): PipelineHandler => ({
  execute: (_, __, ___, { signal }) =>
    new Promise((resolve) => {
      // The clock of the test stands still: a branch that waits is one that never answers.
      signal.addEventListener('abort', () => resolve({ status: 'fail' }))
      if (ms === 0) resolve({ status: 'success', ...more })
    }),
  idempotency: 'idempotent',
})
const says = (updates: object): PipelineHandler => ({
  execute: () => ({ status: 'success', context_updates: { ...updates } }),
  idempotency: 'idempotent',
})
const handlers: Record<string, PipelineHandler> = {
  ok: at(0),
  never: at(1),
  fails: { execute: () => ({ status: 'fail', failure_reason: 'it broke' }), idempotency: 'idempotent' },
}

const block = (fork: string, body: string) => `digraph g {
  start [shape=Mdiamond]
  fork [shape=component ${fork === '' ? '' : `, ${fork}`}]
  join [shape=tripleoctagon]
  done [shape=Msquare]
  start -> fork
  ${body}
  join -> done
}`
const run = (fork: string, body: string, world: World = {}) =>
  runDot(block(fork, body), { ...world, handlers: { ...handlers, ...world.handlers } })
const ids = (results: Json | undefined) =>
  isList(results) ? (results as { id: string; status: string }[]).map(({ id, status }) => `${id} ${status}`) : []

// proves: pipeline 12.44, pipeline 12.96, pipeline 3.9.2b
test('all branches run, the join waits for them, and results keep the order of the edges (96, 43, 44)', async () => {
  const went = await run('', 'a [type=ok] b [type=ok] c [type=ok] fork -> b -> join fork -> a -> join fork -> c -> join')
  expect(went.status).toBe('success')
  expect(ids(went.context['parallel.results'])).toEqual(['b success', 'a success', 'c success'])
  expect(went.trail.slice(-2)).toEqual(['join', 'done'])
})

// proves: pipeline 2.6.21, pipeline 3.9.3a
test('the writes of a branch stay in it; its result and a requested merge return them', async () => {
  const branch = 'a [type=one] b [type=two] fork -> a -> join fork -> b -> join'
  const world = {
    handlers: { one: says({ word: 'one', last_response: 'from a' }), two: says({ word: 'two' }) },
    values: { word: 'before' },
  }
  const apart = await run('', branch, world)
  expect(apart.context['word']).toBe('before')
  expect(apart.context['parallel.results']).toMatchObject([
    { context_updates: { last_response: 'from a' } },
    { context_updates: { word: 'two' } },
  ])
  const merged = await run('merge_context=true', branch, world)
  expect(merged.context['word']).toBe('two')
})

// proves: pipeline 3.9.2d, pipeline 3.9.2l
test('each join policy works as the reference says', async () => {
  const branches = 'a [type=ok] b [type=fails] c [type=fails] fork -> a -> join fork -> b -> join fork -> c -> join'
  const outcome = async (policy: string) => {
    const went = await run(policy, branches)
    return told(went, 'stage_completed').find(({ node_id }) => node_id === 'fork')?.['status'] ?? went.reason
  }
  expect(await outcome('join_policy=wait_all')).toBe('partial_success')
  expect(await outcome('join_policy=first_success')).toBe('success')
  expect(await outcome('join_policy=k_of_n, join_k=2')).toContain('1 of 3 branches succeeded')
  expect(await outcome('join_policy=quorum, quorum_fraction=0.3')).toBe('success')
  expect(await outcome('join_policy=quorum')).toContain('a share of 0.5')
  await expect(outcome('join_policy=most')).rejects.toThrow('not one of "wait_all"')
})

// proves: pipeline 3.9.2k, pipeline 3.9.2d
test('the first success stops the other branches; a first failure stops them with error_policy=fail_fast', async () => {
  const first = await run('join_policy=first_success', 'a [type=ok] b [type=never] fork -> a -> join fork -> b -> join')
  expect(ids(first.context['parallel.results'])).toEqual(['a success', 'b skipped'])
  const fast = await run('error_policy=fail_fast', 'a [type=fails] b [type=never] fork -> a -> join fork -> b -> join')
  expect(ids(fast.context['parallel.results'])).toEqual(['a fail', 'b skipped'])
})

// proves: pipeline 3.9.2b
test('the number of branches that run at once is limited', async () => {
  let running = 0
  let most = 0
  const counted: PipelineHandler = {
    async execute() {
      most = Math.max(most, ++running)
      await Promise.resolve()
      running--
    },
    idempotency: 'idempotent',
  }
  const names = Array.from({ length: 9 }, (_, i) => `n${i}`)
  await run('max_parallel=3', names.map((id) => `${id} [type=counted] fork -> ${id} -> join`).join('\n'), { handlers: { counted } })
  expect(most).toBe(3)
})

test('a branch whose timeout expires fails, and so does a block', async () => {
  const branch = await run('branch_timeout="2s"', 'a [type=ok] b [type=never] fork -> a -> join fork -> b -> join')
  expect(ids(branch.context['parallel.results'])).toEqual(['a success', 'b fail'])
  expect(branch.took).toBe(2000)
  const whole = await run('timeout="5s"', 'a [type=ok] b [type=never] fork -> a -> join fork -> b -> join')
  expect(whole.reason).toContain('timeout')
  expect(whole.took).toBe(5000)
})

// proves: pipeline 3.9.2f, pipeline 3.9.2h
test('a failure inside a branch is routed inside it, and blocks nest', async () => {
  const went = await run(
    '',
    `a [type=fails] rescue [type=ok] inner [shape=component] x [type=ok] y [type=ok] meet [shape=tripleoctagon]
    fork -> a a -> rescue [label=fail] rescue -> join
    fork -> inner inner -> x -> meet inner -> y -> meet meet -> join`,
  )
  expect(went.status).toBe('success')
  expect(ids(went.context['parallel.results'])).toEqual(['a success', 'inner success'])
  expect(went.trail.filter((id) => id === 'meet')).toHaveLength(1)
})

// proves: pipeline 3.9.6b, pipeline 3.9.6c
test('the fan-in fails if all branches failed; otherwise the best status wins, then score, then id', async () => {
  const lost = await run('', 'a [type=fails] b [type=fails] fork -> a -> join fork -> b -> join')
  expect(lost.reason).toContain('every branch failed')
  const best = await run('', 'a [type=low] b [type=high] fork -> a -> join fork -> b -> join', {
    handlers: { low: says({ score: 1 }), high: says({ score: 2 }) },
  })
  expect(best.context['parallel.fan_in.best_id']).toBe('b')
})

test('a gate inside a branch suspends while its siblings continue', async () => {
  const body = `a [type=ok] ask [shape=hexagon, label="Go?"] yes [type=ok] fork -> a -> join fork -> ask ask -> yes [label=Yes] ask -> join [label=No] yes -> join`
  const open = await run('', body)
  expect(open.run.status).toBe('suspended')
  expect(open.trail).toContain('a')
  const answered = await run('', body, { answers: { ask: 'Yes' } })
  expect(answered.status).toBe('success')
  expect(answered.trail).toContain('yes')
})

// proves: pipeline 12.106, pipeline s3.9a, pipeline s3.9b
test('a fan-out walks every edge in turn, and its join waits for all (106)', async () => {
  const went = await runDot(
    `digraph g { start [shape=Mdiamond] split [type=ok, fan_out=true] a [type=ok] b [type=ok] c [type=ok] meet [type=ok] done [shape=Msquare]
    start -> split split -> a -> meet split -> b -> c -> meet meet -> done }`,
    { handlers },
  )
  expect(went.trail).toEqual(['start', 'split', 'a', 'b', 'c', 'meet', 'done'])
  expect(told(went, 'fan_out_detected')).toEqual([{ node_id: 'split', branch_count: 2, targets: ['a', 'b'] }])
  expect(told(went, 'fan_in_deferred')).toEqual([{ node_id: 'meet', waiting_for: ['c'] }])
})

// proves: pipeline 2.6.17
test('without fan_out a node follows one edge', async () => {
  const went = await runDot(
    'digraph g { start [shape=Mdiamond] split [type=ok] a [type=ok] b [type=ok] done [shape=Msquare] start -> split split -> a split -> b a -> done b -> done }',
    { handlers },
  )
  expect(went.trail).toEqual(['start', 'split', 'a', 'done'])
})

// proves: pipeline s6.10a
test('a map handles each item separately and keeps their order', async () => {
  const shout: PipelineHandler = {
    execute: (_, context) => ({
      status: 'success',
      context_updates: { last_response: context.get_string('map.current_item').toUpperCase() },
    }),
    idempotency: 'idempotent',
  }
  const went = await runDot(
    'digraph g { start [shape=Mdiamond] each [type=map, items_key=names, item_type=transform, handler_attrs="{\\"transform\\":\\"template\\",\\"source_key\\":\\"map.current_item\\",\\"expression\\":\\"<{value}>\\",\\"output_key\\":\\"last_response\\"}"] done [shape=Msquare] start -> each -> done }',
    { handlers: { shout }, values: { names: ['a', 'b', 'c'] } },
  )
  expect(went.context['map.results']).toEqual(['<a>', '<b>', '<c>'])
  expect(went.context['map.each.count']).toBe(3)
})

// proves: pipeline 3.9.3a
test('a merge includes the writes of failed branches, and nothing after a failed join', async () => {
  const branches = 'a [type=one] b [type=two] c [type=fails] fork -> a -> join fork -> b -> c -> join'
  const world: World = { handlers: { one: says({ word: 'one', a: 1 }), two: says({ word: 'two' }) } }
  const merged = await run('merge_context=true', branches, world)
  expect([merged.status, merged.context['word'], merged.context['a']]).toEqual(['partial_success', 'two', 1])
  const short = await run('merge_context=true, join_policy=k_of_n, join_k=2', branches, world)
  expect([short.context['parallel.success_count'], short.context['word'], short.context['a']]).toEqual([1, undefined, undefined])
})
