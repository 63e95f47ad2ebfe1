import { describe, expect, test } from 'vitest'
import { QueueInterviewer } from '../../../../src/kinds/pipeline/index.ts'
import { failing, play, toldOf, writes } from './play.ts'

const ok = writes({})
const fails = failing(999)
const handlers = { ok, fails }

describe('a goal gate', () => {
  // proves: pipeline s3.5b
  test('finds its retry target at itself, then at the graph, the plain one before the fallback', async () => {
    const target = async (node: string, graph: string) => {
      const body = `a [type=ok] b [type=ok] c [type=ok] d [type=ok] gate [type=some, goal_gate=true ${node}] n [type=branch]
        start -> gate gate -> n [condition="outcome=fail"] gate -> done [condition="outcome=success"] n -> done a -> gate b -> gate c -> gate d -> gate`
      const went = await play(body, { graph, handlers: { ...handlers, some: failing(1) } })
      return toldOf(went, 'goal_gate_retrying').map((event) => event['target'])
    }
    const graph = 'retry_target=c; fallback_retry_target=d'
    expect(await target(', retry_target=a, fallback_retry_target=b', graph)).toEqual(['a'])
    expect(await target(', fallback_retry_target=b', graph)).toEqual(['b'])
    expect(await target('', graph)).toEqual(['c'])
    expect(await target('', 'retry_target=nowhere; fallback_retry_target=d')).toEqual(['d'])
  })

  // proves: pipeline 3.7a
  test('that was not visited does not block', async () => {
    const went = await play('a [type=ok] gate [type=fails, goal_gate=true] start -> a a -> done [weight=1] a -> gate gate -> done', {
      handlers,
    })
    expect(went.status).toBe('success')
  })

  // proves: pipeline 3.7b
  test('that is the first unsatisfied one in order of completion decides', async () => {
    const body = `x [type=ok] y [type=ok] z [type=some, goal_gate=true, retry_target=x] a [type=fails, goal_gate=true, retry_target=y]
      start -> z z -> a [condition="outcome=fail"] z -> done [condition="outcome=success"] a -> done [condition="outcome=fail"] x -> z y -> done`
    const went = await play(body, { handlers: { ...handlers, some: failing(1) } })
    expect(toldOf(went, 'goal_gate_retrying')[0]?.['target']).toBe('x')
  })

  // proves: pipeline 3.7d
  test('sends the run back fifty times at most', async () => {
    const body = `gate [type=other, goal_gate=true, retry_target=gate] n [type=branch] start -> gate gate -> n [condition="outcome=fail"] n -> done`
    let times = 0
    const other = () => ({ status: 'fail', failure_reason: `reason ${'x'.repeat(++times)}` })
    const went = await play(body, { handlers: { other } })
    expect([went.status, toldOf(went, 'goal_gate_retrying').length]).toEqual(['fail', 50])
  })

  // proves: pipeline 3.7e
  test('on the exit has no effect', async () => {
    const went = await play('end [shape=Msquare, goal_gate=true] a [type=ok] start -> a -> end a -> done [condition="outcome=fail"]', {
      handlers,
    })
    expect(went.status).toBe('success')
  })

  // proves: pipeline 2.6.16
  test('holds at a dead end, which is the end of a run without it', async () => {
    const dead = 'a [type=ok] start -> a a -> done [condition="context.never=1"]'
    expect((await play(dead, { handlers })).status).toBe('success')
    const gated = `gate [type=fails, goal_gate=true] start -> gate gate -> a [label=fail] ${dead.replace('start -> a', '')}`
    expect(await play(gated, { handlers })).toMatchObject({
      status: 'fail',
      failure_reason: expect.stringContaining('goal_gate') as unknown,
    })
  })
})

describe('a failure', () => {
  // proves: pipeline 3.4c
  test('that goes to a retry target is told', async () => {
    const went = await play('x [type=ok] a [type=once, retry_target=x] start -> x -> a -> done', {
      handlers: { ...handlers, once: failing(1) },
    })
    expect(toldOf(went, 'failure_routed')).toMatchObject([{ from: 'a', to: 'x' }])
  })

  // proves: pipeline 3.11c
  test('jumps from one node to one target a hundred times at most', async () => {
    let times = 0
    const other = () => ({ status: 'fail', failure_reason: `reason ${'x'.repeat(++times)}` })
    const went = await play('x [type=ok] a [type=other, retry_target=x] start -> x -> a -> done', { handlers: { ok, other } })
    expect([went.status, toldOf(went, 'failure_routed').length]).toEqual(['fail', 100])
  })

  // proves: pipeline 3.4i
  test('in front of branch nodes that lead nowhere ends the run with its own reason', async () => {
    const body = `a [type=fails] one [shape=diamond] two [shape=diamond] start -> a a -> one [condition="outcome=fail"] a -> done [weight=-1]
      one -> two [condition="outcome=fail"] one -> done [condition="outcome=success"] two -> done [condition="outcome=success"]`
    const broken = (): { readonly status: string; readonly failure_reason: string } => ({
      status: 'fail',
      failure_reason: 'the disk is full',
    })
    expect((await play(body, { handlers: { fails: broken } })).failure_reason).toBe('the disk is full')
    const inside = body.replace(
      'a -> one [condition="outcome=fail"]',
      'fork [shape=component] b [type=ok] a -> fork [condition="outcome=fail"] fork -> b fork -> one b -> join one -> join join [type=ok] join -> done',
    )
    const went = await play(inside, { handlers: { ok, fails: broken } })
    expect(went.context['parallel.results']).toMatchObject([
      { id: 'b', status: 'success' },
      { id: 'one', failure_reason: 'the disk is full' },
    ])
  })

  // proves: pipeline 3.8c
  test('that is the same in three restarts stops the run', async () => {
    const body = 'a [type=fails] start -> a a -> a [loop_restart=true, condition="outcome=fail"] a -> done'
    const went = await play(body, { handlers: { ok, fails: () => ({ status: 'fail', failure_reason: 'the same' }) }, max_steps: 20 })
    expect([went.failure_reason, toldOf(went, 'loop_restart').length]).toEqual([expect.stringContaining('failure_loop_detected'), 3])
  })
})

describe('a label', () => {
  // proves: pipeline 3.2b
  test('of the context never routes: the outcome has its own', async () => {
    const prefers = () => ({ status: 'success', preferred_label: 'Left' })
    const body = `a [type=prefers] b [type=ok] left [type=ok] right [type=ok] start -> a -> b b -> left [label=Left] b -> right [weight=1]
      left -> done right -> done`
    const went = await play(body, { handlers: { ...handlers, prefers } })
    expect([went.context['preferred_label'], went.completed_nodes]).toEqual(['Left', ['start', 'a', 'b', 'right', 'done']])
  })

  // proves: pipeline 2.6.37
  test('that a person chose stands in the outcome with its target, and the edge decides', async () => {
    const body = `ask [shape=hexagon] x [type=ok] start -> ask ask -> x [label="Same"] ask -> done [label="Other"] x -> done`
    const went = await play(body, { handlers, interviewer: new QueueInterviewer({ answers: ['Same'] }) })
    expect(went.node_outcomes['ask']).toMatchObject({ preferred_label: 'Same', suggested_next_ids: ['x'] })
  })
})

describe('a node with several incoming edges', () => {
  // proves: pipeline s3.9c
  test('waits for nothing where nothing is pending', async () => {
    const went = await play('a [type=ok] b [type=ok] m [type=ok] start -> a a -> m b -> m m -> done a -> b [condition="context.never=1"]', {
      handlers,
    })
    expect(went.completed_nodes).toEqual(['start', 'a', 'm', 'done'])
    expect(toldOf(went, 'fan_in_deferred')).toEqual([])
  })
})

describe('a bound', () => {
  // proves: pipeline 2.1c
  test('of the graph lowers that of the host and does not raise it', async () => {
    const steps = async (graph: string, max_steps: number) =>
      (await play('a [type=ok] start -> a a -> a [condition="context.never!=1"] a -> done', { handlers, graph, max_steps })).steps
    expect([await steps('max_steps=4', 9), await steps('max_steps=9', 4)]).toEqual([4, 4])
  })

  // proves: pipeline 2.6.29, pipeline 3.11b
  test('of a run is 10,000 steps, and 1,000 visits of a node unless that bound is lifted', async () => {
    const loop = 'a [type=branch] start -> a a -> a [condition="context.never!=1"] a -> done'
    expect(await play(loop)).toMatchObject({
      status: 'fail',
      failure_reason: expect.stringContaining('node_visit_limit') as unknown,
      steps: 1_001,
    })
    expect(await play(loop, { graph: 'max_node_visits=0' })).toMatchObject({ failure_reason: 'max_steps_exceeded', steps: 10_000 })
  })
})

// proves: pipeline 3.8a
test('a restart keeps the changed graph, the budget that is used, and the values', async () => {
  const op = JSON.stringify([{ op: 'modify_attrs', id: 'step', attrs: { expression: 'changed' } }]).replaceAll('"', '\\"')
  const body = `change [type=adapt, mutations="${op}"] ask [prompt=p] step [type=transform, transform=constant, expression="as written", output_key=step]
    start -> change -> ask -> step step -> ask [loop_restart=true, condition="context.budget_status!=over"] step -> done`
  const went = await play(body, {
    trust: 'autonomous',
    graph: 'max_total_tokens=25',
    llm_backend: () => ({ text: 'said', usage: { input: 5, output: 5 } }),
  })
  expect(toldOf(went, 'loop_restart').length).toBeGreaterThan(0)
  expect(went.context['step']).toBe('changed')
  expect(went.failure_reason ?? went.context['budget_status']).toMatch(/budget exceeded|over/)
})

// proves: pipeline 3.8e
test('a restart keeps the deadline', async () => {
  const body =
    'w [type="wait.timer", duration="10s"] start -> w w -> w [loop_restart=true, condition="outcome=success && context.never!=1"] w -> done'
  const went = await play(body, { graph: 'max_wall_time="35s"', max_steps: 30 })
  expect([went.failure_reason, toldOf(went, 'loop_restart').length]).toEqual([expect.stringContaining('budget exceeded'), 4])
})

// proves: pipeline 7.3h
test.each([
  ['later', (abort: () => void) => void setTimeout(abort, 1)],
  ['while the question is asked', (abort: () => void) => abort()],
])('a cancel of the run ends the wait for an answer: %s', async (_, when) => {
  const stop = new AbortController()
  const ask = () => {
    when(() => stop.abort())
    return new Promise<never>(() => undefined)
  }
  const went = await play('q [shape=hexagon] start -> q q -> done [label=Go]', { interviewer: { ask }, signal: stop.signal })
  expect(went.status).toBe('cancelled')
})

// proves: pipeline 7.1b
test('an interviewer may be asked several questions at once', async () => {
  const many: number[] = []
  const interviewer = {
    ask: () => ({ value: 'Go' }),
    ask_multiple: (questions: readonly unknown[]) => {
      many.push(questions.length)
      return Promise.resolve(questions.map(() => ({ value: 'Go' })))
    },
  }
  const body = `fork [shape=component] join [shape=tripleoctagon] a [shape=hexagon] b [shape=hexagon] start -> fork fork -> a fork -> b
    a -> join [label=Go] b -> join [label=Go] join -> done`
  expect([(await play(body, { interviewer })).status, many]).toEqual(['success', [2]])
})

// proves: pipeline 3.11i
test('a model that one node asks for the twentieth time is a warning, and again at the fortieth', async () => {
  const loop = (node: string): string => `a [${node}, simulate=true] n [type=transform, transform=increment, source_key=n, output_key=n]
    start -> a -> n n -> a [condition="context.n<45"] n -> done`
  const told = toldOf(await play(loop('prompt=x')), 'stage_warning')
  expect(told.map(({ node_id, warning }) => [node_id, warning])).toEqual([
    ['a', 'asks a model for the 20th time: max_node_visits="20" would end the run here'],
    ['a', 'asks a model for the 40th time: max_node_visits="40" would end the run here'],
  ])
  expect(toldOf(await play(loop('type=branch')), 'stage_warning')).toEqual([])
})
