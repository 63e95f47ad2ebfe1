import { expect, test } from 'vitest'
import { encodeRecord } from '../../../../src/kernel/index.ts'
import type { PipelineHandler } from '../../../../src/kinds/pipeline/engine/custom.ts'
import { runDot, told, type World } from './harness.ts'

const ok: PipelineHandler = { execute: () => undefined, idempotency: 'idempotent' }
const fails: PipelineHandler = { execute: () => ({ status: 'fail', failure_reason: 'it broke' }), idempotency: 'idempotent' }
/** Fails so many times, by what the context has counted. */
const failing = (times: number): PipelineHandler => {
  let left = times
  return {
    execute: () => (left-- > 0 ? { status: 'fail', failure_reason: `still ${left + 1} to go` } : undefined),
    idempotency: 'idempotent',
  }
}
const handlers = { ok, fails }

const frame = (body: string, graph = '') => `digraph g { ${graph}
  start [shape=Mdiamond]
  done [shape=Msquare]
  ${body}
}`
const run = (body: string, world: World = {}, graph = '') =>
  runDot(frame(body, graph), { ...world, handlers: { ...handlers, ...world.handlers } })

// proves: pipeline 12.83
test('a line of three runs from start to exit (parity 83)', async () => {
  const went = await run('a [type=ok] start -> a -> done')
  expect(went.status).toBe('success')
  expect(went.trail).toEqual(['start', 'a', 'done'])
})

// proves: pipeline 12.92, pipeline s7.2a
test('updates of one node are seen by the next (92)', async () => {
  const writes: PipelineHandler = { execute: () => ({ status: 'success', context_updates: { word: 'hello', 'deep.key': { a: [1, 2] } } }) }
  const reads: PipelineHandler = {
    execute: (_, context) => ({
      status: 'success',
      context_updates: { seen: `${context.get_string('word')} ${context.get_string('deep.key.a.1')}` },
    }),
  }
  const went = await run('a [type=writes] b [type=reads] start -> a -> b -> done', { handlers: { writes, reads } })
  expect(went.context['seen']).toBe('hello 2')
})

// proves: pipeline 12.89, pipeline 12.90, pipeline 12.91
test('a true condition beats weight, weight decides among plain edges, the smallest target last (89, 90, 91)', async () => {
  const by = async (edges: string) => (await run(`a [type=ok] x [type=ok] y [type=ok] start -> a ${edges} x -> done y -> done`)).trail[2]
  expect(await by('a -> x [weight=9] a -> y [condition="outcome=success"]')).toBe('y')
  expect(await by('a -> x [weight=1] a -> y [weight=2]')).toBe('y')
  expect(await by('a -> y a -> x')).toBe('x')
})

// proves: pipeline 2.6.3, pipeline 3.3e
test('an edge with a false condition is never followed: the run ends if no edge is open, and reports it', async () => {
  const went = await run('a [type=ok] start -> a a -> done [condition="context.x=1"]')
  expect(went.status).toBe('success')
  expect(told(went, 'dead_end')).toEqual([{ node_id: 'a' }])
  expect(went.trail).toEqual(['start', 'a'])
})

// proves: pipeline s3.6a, pipeline s3.6b, pipeline s3.6c, pipeline 3.4b, pipeline 2.6.6
test('a failure takes a true condition, then an edge labelled fail, then retry targets, else the run fails (F1 to F7)', async () => {
  const after = async (edges: string, node = '') =>
    (await run(`a [type=fails ${node}] x [type=ok] y [type=ok] start -> a ${edges} x -> done y -> done`)).trail.slice(2)
  expect(await after('a -> x [condition="outcome=fail"] a -> y [label=fail]')).toEqual(['x', 'done'])
  expect(await after('a -> x a -> y [label="[F] failed"]')).toEqual(['y', 'done'])
  const jumps = await run('a [type=once, retry_target=x] x [type=ok] start -> x x -> a a -> done', { handlers: { once: failing(1) } })
  expect(jumps.trail).toEqual(['start', 'x', 'a', 'x', 'a', 'done'])
  const lost = await run('a [type=fails] x [type=ok] start -> a -> x -> done')
  expect(lost.status).toBe('failed')
  expect(lost.reason).toContain('it broke')
  expect(lost.trail).toEqual(['start', 'a'])
})

// proves: pipeline 3.4d
test('a diamond behind a failure sees it (F5), and is transparent for what comes after', async () => {
  const went = await run(`a [type=fails] check [shape=diamond] fix [type=ok]
    start -> a -> check check -> done [condition="outcome=success"] check -> fix [condition="outcome=fail"] fix -> done`)
  expect(went.trail).toEqual(['start', 'a', 'check', 'fix', 'done'])
  expect(went.status).toBe('success')
})

// proves: pipeline 12.85, pipeline s3.4a
test('retries are counted after the first attempt, wait as their preset says, and end with the first success (85)', async () => {
  const twice = await run('a [type=twice, max_retries=2, jitter=false] start -> a -> done', { handlers: { twice: failing(2) } })
  expect(twice.status).toBe('success')
  expect(told(twice, 'stage_retrying')).toEqual([
    { node_id: 'a', attempt: 2, delay_ms: 200 },
    { node_id: 'a', attempt: 3, delay_ms: 400 },
  ])
  expect(twice.took).toBe(600)
  const never = await run('a [type=fails, max_retries=1, jitter=false] start -> a -> done')
  expect(never.status).toBe('failed')
})

// proves: pipeline 12.117
test('the five presets have their attempts and delays (117)', async () => {
  const delays = async (preset: string) => {
    const went = await run(`a [type=fails, retry_policy=${preset}, jitter=false] start -> a -> done`)
    return told(went, 'stage_retrying').map(({ delay_ms }) => delay_ms)
  }
  expect(await delays('standard')).toEqual([200, 400, 800, 1600])
  expect(await delays('aggressive')).toEqual([500, 1000, 2000, 4000])
  expect(await delays('linear')).toEqual([500, 500])
  expect(await delays('patient')).toEqual([2000, 6000])
  expect(await delays('none')).toEqual([])
})

// proves: pipeline 12.36, pipeline 3.5c
test('jitter stays between half and one and a half, and is the same in the same run', async () => {
  const went = await run('a [type=fails, retry_policy=standard] start -> a -> done')
  const delays = told(went, 'stage_retrying').map(({ delay_ms }) => Number(delay_ms))
  for (const [i, raw] of [200, 400, 800, 1600].entries()) {
    expect(delays[i]).toBeGreaterThanOrEqual(raw / 2)
    expect(delays[i]).toBeLessThanOrEqual(raw * 1.5)
  }
})

// proves: pipeline 12.108, pipeline 12.109, pipeline s3.4b, pipeline 3.6b
test('allow_partial turns exhausted retries into a partial success, auto_status into a success (108, 109)', async () => {
  const partial = await run('a [type=fails, allow_partial=true] start -> a -> done')
  expect(partial.status).toBe('partial_success')
  const auto = await run('a [type=fails, auto_status=true, allow_partial=true] start -> a -> done')
  expect(auto.status).toBe('success')
})

// proves: pipeline 12.86, pipeline 12.87, pipeline s3.5a, pipeline s3.5c, pipeline 3.7c
test('a goal gate sends the run back from the exit until it is satisfied, and stays known meanwhile (86, 87)', async () => {
  const went = await run('plan [type=ok] a [type=twice, goal_gate=true, retry_target=plan] start -> plan -> a a -> done [label=fail]', {
    handlers: { twice: failing(2) },
  })
  expect(went.status).toBe('success')
  expect(told(went, 'goal_gate_retrying')).toHaveLength(2)
  expect(went.trail.filter((id) => id === 'a')).toHaveLength(3)
  const past = await run('a [type=fails, goal_gate=true] b [type=ok] start -> a a -> b [label=fail] b -> done', {}, 'retry_target=b')
  expect(past.status).toBe('failed')
  expect(past.reason).toContain('goal_gate_unsatisfied')
  const none = await run('a [type=fails, goal_gate=true] start -> a a -> done [label=fail]')
  expect(none.reason).toContain('goal_gate_unsatisfied_no_retry_target')
})

// proves: pipeline s3.7b
test('a restart drops the outcomes and keeps the context (107)', async () => {
  const went = await run(
    `n [type=transform, transform=increment, source_key=n, output_key=n]
    start -> n n -> n [loop_restart=true, condition="context.n<3"] n -> done [condition="context.n>=3"]`,
    { values: { n: 0 } },
  )
  expect(went.status).toBe('success')
  expect(went.context['n']).toBe(3)
  expect(told(went, 'loop_restart').map(({ round }) => round)).toEqual([1, 2])
})

// proves: pipeline 3.11d
test('a failure that repeats after jumps ends the run, with its reason', async () => {
  const went = await run('x [type=ok] a [type=fails, retry_target=x] start -> x -> a -> done')
  expect(went.status).toBe('failed')
  expect(went.reason).toContain('failure_loop_detected')
  expect(went.trail.filter((id) => id === 'a').length).toBeLessThan(10)
})

// proves: pipeline 3.11a
test('a cycle without a limit ends at the limits of the run', async () => {
  const cycle = 'a [type=ok] b [type=ok] start -> a -> b -> a b -> done [condition="context.never=1"]'
  expect((await run(cycle, { limits: { maxSteps: 50 } })).reason).toContain('max_steps_exceeded')
  expect((await run(cycle, {}, 'max_node_visits=7')).reason).toContain('node_visit_limit')
})

// proves: pipeline 3.11e
test('a handler that hangs is stopped after its timeout, and retried', async () => {
  let aborted = 0
  const hangs: PipelineHandler = {
    execute: (_, __, ___, { signal }) => new Promise(() => signal.addEventListener('abort', () => aborted++)),
    idempotency: 'idempotent',
  }
  const went = await run('a [type=hangs, timeout="3s", max_retries=1, jitter=false] start -> a -> done', { handlers: { hangs } })
  expect(went.reason).toContain('timeout')
  expect(went.took).toBe(3000 + 200 + 3000)
  expect(aborted).toBe(2)
})

// proves: pipeline 2.6.9, pipeline 3.2d, pipeline 3.5g
test('a handler that throws fails its node; only failures of the network are retried', async () => {
  const throws = (message: string): PipelineHandler => ({
    execute() {
      throw new Error(message)
    },
    idempotency: 'idempotent',
  })
  const attempts = async (message: string) =>
    told(await run('a [type=bad, max_retries=2] start -> a -> done', { handlers: { bad: throws(message) } }), 'stage_retrying').length
  expect(await attempts('connection reset by peer')).toBe(2)
  expect(await attempts('cannot read x of undefined')).toBe(0)
  expect((await run('a [type=bad] start -> a -> done', { handlers: { bad: throws('boom') } })).reason).toContain('boom')
})

test('an invalid result of a handler is a failure that names the wrong field and the allowed values', async () => {
  const answers = [
    [42, 'an object with a status, not 42'],
    ['yes', 'not "yes"'],
    [[], 'not []'],
    [{ notes: 'x' }, 'the field status is missing; it is one of success,'],
    [{ status: 'great' }, 'status is "great"; it is one of success,'],
    [{ status: 'success', suggested_next_ids: 'b' }, 'suggested_next_ids is "b"; it is a list of node ids'],
  ] as const
  for (const [answer, says] of answers) {
    const nonsense: PipelineHandler = { execute: () => answer as never, idempotency: 'idempotent' }
    const went = await run('a [type=nonsense] start -> a -> done', { handlers: { nonsense } })
    expect(went.reason).toContain('returned no valid outcome')
    expect(went.reason).toContain(says)
  }
})

// proves: pipeline 2.6.42
test('keys of the engine cannot be written, and the attempt is reported', async () => {
  const rude: PipelineHandler = {
    execute: () => ({
      status: 'success',
      context_updates: { outcome: 'fail', 'graph.goal': 'x', 'internal.a': 1, __x: 1, '#charter': {}, mine: 1 },
    }),
  }
  const went = await run('a [type=rude] start -> a -> done', { handlers: { rude } })
  expect(went.status).toBe('success')
  expect(went.context).toEqual({ mine: 1 })
  expect(told(went, 'update_refused')).toHaveLength(5)
})

// proves: pipeline s4.3b
test('the three phases are called in order, and precede execute', async () => {
  const phases: PipelineHandler = {
    execute: () => ({ status: 'fail' }),
    prepare: ({ id }) => [id],
    run: (prepared) => [...(prepared as string[]), 'run'],
    apply_result: (result) => ({ status: 'success', context_updates: { phases: (result as string[]).join(' ') } }),
    idempotency: () => 'read_only',
  }
  expect((await run('a [type=phases] start -> a -> done', { handlers: { phases } })).context['phases']).toBe('a run')
})

// proves: pipeline 3.12a
test('a cancellation ends the run at once, and drops pending effects', async () => {
  let aborted = false
  const hangs: PipelineHandler = {
    execute: (_, __, ___, { signal }) => new Promise(() => signal.addEventListener('abort', () => (aborted = true))),
    idempotency: 'idempotent',
  }
  const went = await run('a [type=hangs] start -> a -> done', { handlers: { hangs } })
  expect(went.status).toBe('running')
  await went.run.cancel('enough')
  expect(went.run.state.ended?.status).toBe('cancelled')
  expect(aborted).toBe(true)
})

test('a record of a long run is as small as a record of a short run', async () => {
  const names = Array.from({ length: 250 }, (_, i) => `n${i + 100}`)
  const went = await run(`node [type=ok] start -> ${names.join(' -> ')} -> done`, { limits: { steps: 1_000 } })
  expect(went.status).toBe('success')
  const sizes = went.run.records.map((record) => JSON.stringify(encodeRecord(record)).length)
  const most = (from: number, to: number) => Math.max(...sizes.slice(from, to))
  // The numbers of records, steps and milliseconds have more digits.
  expect(most(200, -1)).toBeLessThan(most(20, 100) + 20)
})
