import { expect, test } from 'vitest'
import { HandlerRegistry, type PipelineHandler, run } from '../../../../src/kinds/pipeline/index.ts'
import { dataIn, folder } from '../folders.ts'
import { runDot, told } from './harness.ts'

/** Fails the first `times` times that it is called. */
const failing = (times: number): PipelineHandler => {
  let calls = 0
  return {
    idempotency: 'idempotent',
    execute: () => (++calls <= times ? { status: 'fail', failure_reason: `call ${calls} failed` } : { status: 'success' }),
  }
}
const ok = failing(0)

/** A block of two branches, one with a goal gate `check`; its failure leads to the join, so that the walk is not over. */
const block = (more = '', gate = '') => `digraph g {
  start [shape=Mdiamond] done [shape=Msquare]
  fork [shape=component ${more}] join [shape=tripleoctagon]
  check [type=check, goal_gate=true ${gate}] other [type=ok]
  start -> fork
  fork -> check fork -> other
  check -> join check -> join [label=fail] other -> join
  join -> done
}`

// proves: pipeline 3.9.2g
test('a goal gate that failed in a branch prevents the success of the run', async () => {
  const went = await runDot(block(), { handlers: { check: failing(1), ok } })
  expect(went.status).toBe('failed')
  expect(went.reason).toContain('goal_gate_unsatisfied_no_retry_target: check')
})

test('a goal gate of a branch sends the run back, until a later round satisfies it', async () => {
  const went = await runDot(block('', ', retry_target=fork'), { handlers: { check: failing(2), ok } })
  expect(told(went, 'goal_gate_retrying')).toMatchObject([
    { gate: 'check', target: 'fork' },
    { gate: 'check', target: 'fork' },
  ])
  expect(went.status).toBe('success')
  expect(went.trail.filter((id) => id === 'check')).toHaveLength(3)
})

test('a goal gate of a nested block counts, and one that no branch reached does not', async () => {
  const nested = `digraph g {
    start [shape=Mdiamond] done [shape=Msquare]
    outer [shape=component] inner [shape=component] near [shape=tripleoctagon] far [shape=tripleoctagon]
    check [type=check, goal_gate=true] unseen [type=check, goal_gate=true] a [type=ok] b [type=ok]
    start -> outer
    outer -> inner outer -> a -> far
    inner -> check -> near check -> near [label=fail] inner -> b -> near
    near -> far
    a -> unseen [condition="context.never=1"] unseen -> far
    far -> done
  }`
  const failed = await runDot(nested, { handlers: { check: failing(9), ok } })
  expect(failed.reason).toContain('goal_gate_unsatisfied_no_retry_target: check')
  const went = await runDot(nested, { handlers: { check: ok, ok } })
  expect(went.status).toBe('success')
})

test('a gate that only one of two branches satisfies is not satisfied', async () => {
  const shared = `digraph g {
    start [shape=Mdiamond] done [shape=Msquare] fork [shape=component, join_target=join] join [shape=tripleoctagon]
    a [type=ok] b [type=ok] check [type=check, goal_gate=true]
    start -> fork  fork -> a -> check  fork -> b -> check
    check -> join check -> join [label=fail] join -> done
  }`
  const went = await runDot(shared, { handlers: { check: failing(1), ok } })
  expect(went.reason).toContain('goal_gate_unsatisfied_no_retry_target: check')
})

test('a run that is resumed from a checkpoint still knows the goal gates of its branches', async () => {
  const logs_root = folder()
  const stop = new AbortController()
  const dot = block().replace('join -> done', 'join -> last -> done last [type=last]')
  const parts = (last: PipelineHandler) => {
    const handlers = new HandlerRegistry()
    for (const [type, handler] of Object.entries({ check: failing(1), ok, last })) handlers.register(type, handler)
    return handlers
  }
  const dies: PipelineHandler = {
    idempotency: 'idempotent',
    execute: () => {
      stop.abort()
      return new Promise(() => undefined)
    },
  }
  await run(dot, { logs_root, handlers: parts(dies), signal: stop.signal })
  const stored = dataIn(logs_root, 'checkpoint.json')
  expect(stored['node_outcomes']).toMatchObject({ check: { status: 'fail' }, fork: { status: 'success' } })
  expect(stored['completed_nodes']).toEqual(['start', 'fork', 'join'])
  const resumed = await run(dot, { logs_root, handlers: parts(ok), resume: true })
  expect(resumed).toMatchObject({ status: 'fail' })
  expect(resumed.failure_reason).toContain('goal_gate_unsatisfied_no_retry_target: check')
})
