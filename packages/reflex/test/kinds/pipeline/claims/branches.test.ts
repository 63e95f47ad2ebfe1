import { describe, expect, test } from 'vitest'
import type { Json } from '../../../../src/kernel/journal/json.ts'
import { failing, play, playDot, type Stage, toldOf, writes } from './play.ts'

const ok = writes({})
const handlers = { ok, fails: failing(999) }
const block = (fork: string, body: string, join = ''): string =>
  `fork [shape=component ${fork}] join [shape=tripleoctagon ${join}] start -> fork join -> done ${body}`
const results = (value: Json | undefined): { readonly id: string; readonly status: string }[] => value as never

describe('branches', () => {
  // proves: pipeline 3.9.2a
  test('are the edges whose condition is not false', async () => {
    const body =
      'a [type=ok] b [type=ok] c [type=ok] fork -> a [condition="context.x=1"] fork -> b [condition="context.x=2"] fork -> c a -> join b -> join c -> join'
    const { context } = await play(block('', body), { handlers, initial_values: { x: 1 } })
    expect(results(context['parallel.results']).map(({ id }) => id)).toEqual(['a', 'c'])
  })

  // proves: pipeline 3.9.2c
  test('are all told, stopped at the first failure, or counted without those that failed', async () => {
    const body = 'a [type=fails] b [type=ok] c [type=ok] fork -> a -> join fork -> b -> join fork -> c -> join'
    const ended = async (policy: string) =>
      results((await play(block(`, max_parallel=1 ${policy}`, body), { handlers })).context['parallel.results']).map(
        ({ id, status }) => `${id} ${status}`,
      )
    expect(await ended('')).toEqual(['a fail', 'b success', 'c success'])
    expect(await ended(', error_policy=fail_fast')).toEqual(['a fail', 'b skipped', 'c skipped'])
    expect(await ended(', error_policy=ignore')).toEqual(['b success', 'c success'])
  })

  // proves: pipeline 3.9.2i
  test('have a result with everything that joins read', async () => {
    const says = () => ({ status: 'success', notes: 'well', context_updates: { score: 3, last_response: 'text' } })
    const broken = () => ({ status: 'fail', failure_reason: 'no' })
    const body = 'a [type=says] b [type=ok] c [type=broken] fork -> a -> b -> join fork -> c -> join'
    const { context } = await play(block('', body), { handlers: { ok, says, broken } })
    expect(context['parallel.results']).toMatchObject([
      {
        id: 'a',
        status: 'success',
        score: 3,
        last_node: 'b',
        context_updates: { last_response: 'text' },
        duration_ms: expect.any(Number) as unknown,
      },
      { id: 'c', status: 'fail', score: 0, failure_reason: 'no', last_node: 'c' },
    ])
  })

  // proves: pipeline 3.9.2j
  test('end after a hundred steps', async () => {
    const body = 'a [type=ok] b [type=ok] fork -> a a -> a [condition="context.never!=1"] a -> join fork -> b -> join'
    const went = await play(block('', body), { handlers })
    expect(results(went.context['parallel.results']).map(({ status }) => status)).toEqual(['fail', 'success'])
    expect(toldOf(went, 'stage_started').filter(({ node_id }) => node_id === 'a')).toHaveLength(100)
  })
})

describe('a parallel node with one edge', () => {
  // proves: pipeline 3.9.4a
  test('that leads to the fan-in writes one result', async () => {
    const { context, status } = await play(block('', 'fork -> join'))
    expect([status, context['parallel.results']]).toMatchObject(['success', [{ id: 'join', status: 'success' }]])
  })

  // proves: pipeline 3.9.4b
  test('behind which no fan-in stands passes through, and leaves earlier results', async () => {
    const went = await play('p [type=parallel] a [type=ok] start -> p -> a -> done', {
      handlers,
      initial_values: { 'parallel.results': [1] },
    })
    expect([went.completed_nodes, went.context['parallel.results']]).toEqual([['start', 'p', 'a', 'done'], [1]])
  })
})

describe('a parallel node with items', () => {
  const over = async (attributes: string, options: Stage = {}) => {
    const went = await play(
      `p [type=parallel, item_handler=shout ${attributes}] start -> p p -> done [condition="outcome!=never"]`,
      options,
    )
    return { ...went, outcome: went.node_outcomes['p']?.status }
  }
  const shout = (_: unknown, context: { get_string(key: string): string }) => {
    const item = context.get_string('map.current_item')
    return item.startsWith('bad')
      ? { status: 'fail', failure_reason: 'bad' }
      : { status: 'success', context_updates: { last_response: item.toUpperCase() } }
  }

  // proves: pipeline s6.3a, pipeline s6.3b, pipeline 3.9.5a, pipeline 2.6.20
  test('handles each of them, and succeeds, succeeds in part, or fails as they do', async () => {
    const stage = { handlers: { shout } }
    const all = await over(', items_key=list', { ...stage, initial_values: { list: ['a', 'b'] } })
    expect([all.outcome, all.context['parallel.results'], all.context['parallel.success_count']]).toEqual(['success', ['A', 'B'], 2])
    expect((await over(', items="a,bad"', stage)).outcome).toBe('partial_success')
    expect((await over(', items="bad,bad2"', stage)).outcome).toBe('fail')
    expect((await over(', items_key=missing', stage)).outcome).toBe('fail')
  })

  // proves: pipeline s6.3a
  test('handles four at once unless it says otherwise', async () => {
    const most = async (attributes: string) => {
      let running = 0
      let highest = 0
      const counted = async () => {
        highest = Math.max(highest, ++running)
        await Promise.resolve()
        running--
        return { status: 'success' }
      }
      await over(`, items="a,b,c,d,e,f,g" ${attributes}`, { handlers: { shout: counted } })
      return highest
    }
    expect([await most(''), await most(', max_concurrency=2')]).toEqual([4, 2])
  })
})

describe('a fan-in', () => {
  const branches = 'a [type=low] b [type=high] fork -> a -> join fork -> b -> join'
  const scored = { low: writes({ score: 1 }), high: writes({ score: 2 }), fails: failing(999) }

  // proves: pipeline 3.9.6a
  test('without results fails, unless a fan-out leads to it', async () => {
    expect((await play('join [shape=tripleoctagon] start -> join -> done')).failure_reason).toContain('no parallel results')
    const fan = 's [type=ok, fan_out=true] a [type=ok] b [type=ok] join [type=fan_in] start -> s s -> a -> join s -> b -> join join -> done'
    expect((await play(fan, { handlers })).status).toBe('success')
  })

  // proves: pipeline 3.9.6d
  test('with a prompt takes what the model names, and its own choice where the model names nobody', async () => {
    const best = async (answer: string) =>
      (await play(block('', branches, ', prompt="which?"'), { handlers: scored, llm_backend: () => answer })).context[
        'parallel.fan_in.best_id'
      ]
    expect([await best('a'), await best('neither of them'), await best('')]).toEqual(['a', 'b', 'b'])
    const failed = await play(block('', branches, ', prompt="which?"'), { handlers: scored, llm_backend: () => ({ status: 'fail' }) })
    expect(failed.context['parallel.fan_in.best_id']).toBe('b')
  })

  // proves: pipeline 3.9.6e
  test('wants one, all or most of the branches', async () => {
    const body = 'a [type=low] b [type=fails] c [type=fails] fork -> a -> join fork -> b -> join fork -> c -> join'
    const status = async (policy: string, nodes = body) =>
      (await play(block('', nodes, `, fan_in_policy=${policy}`), { handlers: scored })).status
    expect([await status('any'), await status('all'), await status('majority')]).toEqual(['success', 'fail', 'fail'])
    expect(await status('majority', body.replace('b [type=fails]', 'b [type=high]'))).toBe('success')
  })
})

describe('a fan-out', () => {
  // proves: pipeline 3.9.1a
  test('yields to a true condition, and follows edges without one', async () => {
    const body = `s [type=ok, fan_out=true] a [type=ok] b [type=ok] c [type=ok] start -> s s -> a s -> b s -> c [condition="context.x=1"] a -> done b -> done c -> done`
    const trail = async (x: number) => (await play(body, { handlers, initial_values: { x } })).completed_nodes
    expect(await trail(1)).toEqual(['start', 's', 'c', 'done'])
    expect(await trail(2)).toEqual(['start', 's', 'a', 'b', 'done'])
  })

  // proves: pipeline 3.9.1b
  test('shows a later branch what an earlier one wrote', async () => {
    const body =
      's [type=ok, fan_out=true] a [type=one] b [type=transform, source_key=one, output_key=two] start -> s s -> a -> done s -> b -> done'
    expect((await play(body, { handlers: { ok, one: writes({ one: 1 }) } })).context['two']).toBe(1)
  })

  // proves: pipeline 3.9.1c
  test('releases a node that waits for what no branch reaches any more', async () => {
    const body = `s [type=ok, fan_out=true] a [type=ok] b [type=ok] x [type=ok] m [type=ok] start -> s s -> a -> m s -> b
      b -> x [condition="context.never=1"] b -> m x -> m m -> done`
    const went = await play(body, { handlers })
    expect([went.status, went.completed_nodes.includes('m'), went.completed_nodes.includes('x')]).toEqual(['success', true, false])
  })

  // proves: pipeline s15.1d
  test('tells what it detects, what waits, and where it goes on', async () => {
    const went = await playDot(
      `digraph g { start [shape=Mdiamond] s [type=ok, fan_out=true] a [type=ok] b [type=ok] m [type=ok] done [shape=Msquare]
      start -> s s -> a -> m s -> b -> m m -> done }`,
      { handlers },
    )
    expect(toldOf(went, 'fan_out_detected')).toMatchObject([{ node_id: 's', branch_count: 2, targets: ['a', 'b'] }])
    expect(toldOf(went, 'fan_in_deferred')).toMatchObject([{ node_id: 'm', waiting_for: ['b'] }])
    expect(toldOf(went, 'fan_out_branch_resuming')).toMatchObject([{ node_id: 'b', pending_count: 1 }])
  })
})
