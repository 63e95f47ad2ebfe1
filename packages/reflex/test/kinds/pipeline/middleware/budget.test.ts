import { describe, expect, test } from 'vitest'
import type { Port } from '../../../../src/kernel/index.ts'
import { runDot, told, type Went, type World } from '../engine/harness.ts'

/** A model that uses a hundred tokens and a cent each time. */
const model: Port = {
  leaves: false,
  repeat: 'free',
  perform: () => ({ text: 'ok', model: 'test:model', finish: 'stop', usage: { input: 60, output: 40 }, cost: 0.01, tries: 1 }),
}
const run = (body: string, world: World = {}, graph = ''): Promise<Went> =>
  runDot(`digraph g { ${graph} start [shape=Mdiamond] done [shape=Msquare] ${body} }`, { ...world, ports: { model } })
const chain = 'a [prompt=p] b [prompt=p] c [prompt=p] start -> a -> b -> c -> done'
const questions = ({ run: { state } }: Went): string[] => [...state.waits.values()].map(({ name }) => name)

describe('what a program allows itself', () => {
  const rows: [graph: string, reason: string | undefined][] = [
    ['max_total_tokens=200', 'budget exceeded: 200 of 200 tokens'],
    ['max_total_tokens=300', undefined],
    ['max_cost=0.02', 'budget exceeded: 0.02 of 0.02 US dollars'],
    ['max_steps=3', 'max_steps_exceeded'],
  ]
  // proves: pipeline 5.5a
  test.each(rows)('%s', async (graph, reason) => {
    const went = await run(chain, {}, graph)
    if (reason === undefined) expect(went.status).toBe('success')
    else expect(went.reason).toContain(reason)
  })

  test('fails the node, so that a failure edge leads on', async () => {
    const went = await run(`${chain} b -> out [condition="outcome=fail"] out [type=branch] out -> done`, {}, 'max_total_tokens=100')
    expect(went.trail).toEqual(['start', 'a', 'b', 'out', 'done'])
  })

  test('is looked at before each attempt', async () => {
    const went = await run(
      'a [prompt=p] c [simulate=retry, max_retries=5, initial_delay="10s", jitter=false] start -> a -> c -> done',
      {},
      'max_wall_time="15s"',
    )
    expect(went.reason).toContain('budget exceeded')
    expect(told(went, 'stage_retrying').length).toBe(2)
  })

  // proves: pipeline 5.5a
  test('counts the branches and the programs that it called, also those that failed', async () => {
    const child =
      'digraph child { start [shape=Mdiamond] done [shape=Msquare] x [prompt=p] y [type=transform, transform=increment, source_key=current_node] start -> x -> y -> done }'
    const body = `fork [shape=component] join [shape=tripleoctagon] l [prompt=p] r [prompt=p] call [type="graph.invoke", program="pipeline:child", ignore_child_failure=true]
      last [prompt=p] start -> fork fork -> l -> join fork -> r -> join join -> call -> last -> done`
    const went = await run(body, { programs: { child } }, 'max_total_tokens=300')
    expect(went.reason).toContain('budget exceeded: 300 of 300 tokens')
    expect(went.trail.at(-1)).toBe('last')
  })

  // proves: pipeline 5.5b
  test('is what conditions read as budget_status', async () => {
    const body = `${chain} start -> a [label=x] a -> low [condition="budget_status=low", weight=9] low [type=branch] low -> done`
    expect((await run(body, {}, 'max_total_tokens=120')).trail).toEqual(['start', 'a', 'low', 'done'])
    expect((await run(body, {}, 'max_total_tokens=1000')).trail).toEqual(['start', 'a', 'b', 'c', 'done'])
  })

  test('cannot be moved by a handler', async () => {
    const lies = {
      execute: () => ({ status: 'success' as const, context_updates: { budget_status: 'normal', '#spent': { tokens: 0 } } }),
      idempotency: 'idempotent' as const,
    }
    const went = await run(
      'a [prompt=p] lie [type=lies] b [prompt=p] start -> a -> lie -> b -> done',
      { handlers: { lies } },
      'max_total_tokens=100',
    )
    expect(told(went, 'update_refused').map(({ key }) => key)).toEqual([])
    expect(went.reason).toContain('budget exceeded')
  })
})

const raises = ({ run: { records } }: Went) => records.flatMap(({ more }) => more?.raise ?? [])

describe('what the operator allows', () => {
  test.each([{ tokens: 200 }, { cost: 0.02 }, { steps: 3 }])('%j suspends the run with a question of Reflex’s own', async (limits) => {
    const went = await run(chain, { limits })
    expect(went.status).toBe('suspended')
    expect(questions(went)).toEqual(['budget'])
    expect(went.trail).toEqual(['start', 'a', 'b'])
  })

  test('goes on once it is raised, by as much again', async () => {
    const went = await run(chain, { limits: { tokens: 100 }, answers: { budget: 'raise' } })
    expect(went.status).toBe('success')
    expect(raises(went)).toEqual([{ tokens: 200 }, { tokens: 300 }])
  })

  test('ends the run where somebody says stop, and asks nobody again', async () => {
    const went = await run(`${chain} b -> out [condition="outcome=fail"] out [prompt=p] out -> done`, {
      limits: { tokens: 100 },
      answers: { budget: 'stop' },
    })
    expect(went.reason).toContain('budget exceeded: stopped')
    expect(went.run.records.filter(({ input }) => input?.[0] === 'pause').length).toBe(1)
  })

  test('an answer that is neither leaves the question', async () => {
    const went = await run('a [prompt=p] b [prompt=p] start -> a -> b -> done', { limits: { tokens: 100 } })
    const [wait] = [...went.run.state.waits.keys()]
    await went.run.answer(wait ?? '', { dollars: 5 })
    await went.host.drain()
    expect(questions(went)).toEqual(['budget'])
  })

  test('goes on with the amounts that an answer names', async () => {
    const went = await run(chain, { limits: { tokens: 100 } })
    const [wait] = [...went.run.state.waits.keys()]
    await went.run.answer(wait ?? '', { tokens: 250 })
    await went.host.drain()
    expect(went.run.state.ended?.status).toBe('done')
    expect(raises(went)).toEqual([{ tokens: 250 }])
  })

  test('is asked for before a further attempt', async () => {
    const went = await run('c [simulate=retry, max_retries=5, initial_delay="10s", jitter=false] start -> c -> done', {
      limits: { time: 15_000 },
    })
    expect([went.status, ...questions(went)]).toEqual(['suspended', 'budget'])
  })

  const fork = `fork [shape=component, max_parallel=3] join [shape=tripleoctagon] a [prompt=p] b [prompt=p] c [prompt=p] d [prompt=p]
    start -> fork fork -> a -> d -> join fork -> b -> join fork -> c -> join join -> done`

  test('is one for all branches while they run', async () => {
    const went = await run(fork, { limits: { tokens: 100 } })
    expect([went.status, questions(went).every((name) => name === 'budget')]).toEqual(['suspended', true])
    expect(went.trail).not.toContain('d')
  })

  test('raised in a branch is raised for all', async () => {
    expect((await run(fork, { limits: { tokens: 300 }, answers: { budget: 'raise' } })).status).toBe('success')
  })

  test('is one for a called pipeline, and stays used when that has failed', async () => {
    const child = 'digraph child { start [shape=Mdiamond] done [shape=Msquare] x [prompt=p] y [prompt=p] start -> x -> y -> done }'
    const body = 'a [prompt=p] call [type="graph.invoke", program="pipeline:child"] b [prompt=p] start -> a -> call -> b -> done'
    const went = await run(body, { programs: { child }, limits: { tokens: 200 } })
    expect([went.status, ...questions(went)]).toEqual(['suspended', 'budget'])
    expect(went.trail.at(-1)).toBe('x')
    const raised = await run(body, { programs: { child }, limits: { tokens: 200 }, answers: { budget: 'raise' } })
    expect(raised.status).toBe('success')
    expect(raises(raised).length).toBe(1)
  })
})
