import { describe, expect, test } from 'vitest'
import { failing, play, type Played, toldOf, writes } from './play.ts'

const delays = (went: Played): unknown[] => toldOf(went, 'stage_retrying').map(({ delay_ms }) => delay_ms)
const never = { never: failing(99) }
const attempts = async (node: string, graph = ''): Promise<number> =>
  1 + delays(await play(`a [type=never ${node}] start -> a -> done`, { handlers: never, graph })).length

describe('the count of attempts', () => {
  // proves: pipeline 2.6.1
  test('is one where nothing is stated', async () => expect(await attempts('')).toBe(1))

  // proves: pipeline 3.5a
  test('is that of the node, of the graph, of the preset of the node, of the preset of the graph', async () => {
    const graph = 'default_max_retries=1, retry_policy=linear'.replace(',', ';')
    expect(await attempts(', max_retries=3, retry_policy=standard', graph)).toBe(4)
    expect(await attempts(', retry_policy=standard', graph)).toBe(2)
    expect(await attempts(', retry_policy=standard', 'retry_policy=linear')).toBe(5)
    expect(await attempts('', 'retry_policy=linear')).toBe(3)
    expect(await attempts('', 'default_max_retry=2')).toBe(3)
  })

  // proves: pipeline 3.5d
  test('is one for a preset that is unknown, with a warning', async () => {
    expect(await attempts(', retry_policy=eager')).toBe(1)
    const { diagnostics } = await play('a [type=never, retry_policy=eager] start -> a -> done', { handlers: never })
    expect(diagnostics).toContainEqual(expect.objectContaining({ rule: 'typed_schema', severity: 'warning', path: 'a.retry_policy' }))
  })

  // proves: pipeline 3.5i
  test('begins again when a loop comes back to the node', async () => {
    let visits = 0
    const twice = (): object => (++visits % 2 === 1 ? { status: 'retry' } : { status: 'success', context_updates: { visits } })
    const went = await play(
      `a [type=twice, max_retries=1, jitter=false] start -> a
       a -> a [condition="context.visits<4"] a -> done [condition="context.visits>=4"]`,
      { handlers: { twice } },
    )
    expect([went.status, ...delays(went)]).toEqual(['success', 200, 200])
  })
})

describe('the delay before an attempt', () => {
  // proves: pipeline s3.4c, pipeline 2.6.12
  test.each([
    ['standard', [200, 400, 800, 1_600, 3_200, 6_400, 10_000, 10_000]],
    ['aggressive', [500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]],
    ['linear', [500, 500, 500, 500, 500, 500, 500, 500]],
    ['patient', [2_000, 6_000, 18_000, 54_000, 60_000, 60_000, 60_000, 60_000]],
  ])('keeps to the cap of %s', async (preset, expected) => {
    const went = await play(`a [type=never, max_retries=8, retry_policy=${preset}, jitter=false] start -> a -> done`, { handlers: never })
    expect(delays(went)).toEqual(expected)
  })

  // proves: pipeline s3.4d, pipeline 2.6.12, pipeline 12.35
  test('is stated by the node, and at most a minute where no cap is stated', async () => {
    const own = 'initial_delay="100ms", factor=3, max_delay="500ms", jitter=false'
    const went = await play(`a [type=never, max_retries=4, ${own}] start -> a -> done`, { handlers: never })
    expect(delays(went)).toEqual([100, 300, 500, 500])
    const far = await play('a [type=never, max_retries=3, initial_delay="20s", factor=2, jitter=false] start -> a -> done', {
      handlers: never,
    })
    expect(delays(far)).toEqual([20_000, 40_000, 60_000])
    const even = await play('a [type=never, max_retries=2, initial_delay="1s", factor=1, jitter=false] start -> a -> done', {
      handlers: never,
    })
    expect(delays(even)).toEqual([1_000, 1_000])
  })
})

describe('an attempt', () => {
  // proves: pipeline 3.5e
  test('that ends in retry without another one fails with "max retries exceeded"', async () => {
    const went = await play('a [type=never, max_retries=1] start -> a -> done', { handlers: { never: failing(9, 'retry') } })
    expect(went.failure_reason).toMatch(/^max retries exceeded.*broken by ab$/)
  })

  // proves: pipeline 3.5f
  test('that is marked as not retryable is the last one', async () => {
    const handlers = { no: () => ({ status: 'fail', failure_reason: 'no', retryable: false }) }
    expect(delays(await play('a [type=no, max_retries=3] start -> a -> done', { handlers }))).toEqual([])
  })

  // proves: pipeline 3.5j
  test('that failed leaves no update behind, and the last one leaves all', async () => {
    let tries = 0
    const handlers = {
      twice: () => (++tries < 2 ? { status: 'fail', context_updates: { first: 1 } } : { status: 'fail', context_updates: { last: 1 } }),
    }
    const { context } = await play('a [type=twice, max_retries=1] start -> a a -> done [label=fail]', { handlers })
    expect([context['first'], context['last']]).toEqual([undefined, 1])
  })

  // proves: pipeline 3.5h
  test('is counted where conditions read it, until the node succeeds', async () => {
    const counted = async (times: number) => {
      const body = 'a [type=some, max_retries=2, jitter=false] b [type=branch] start -> a a -> b [label=fail] a -> b b -> done'
      return (await play(body, { handlers: { some: failing(times) } })).context['internal.retry_count.a']
    }
    expect([await counted(9), await counted(1)]).toEqual([2, undefined])
  })
})

describe('auto_status', () => {
  // proves: pipeline s3.8a, pipeline 2.6.11
  test.each(['fail', 'retry'])('makes a success of %s, with the fixed note and the updates', async (status) => {
    const handlers = { half: () => ({ status, failure_reason: 'half', context_updates: { kept: 1 } }) }
    const went = await play('a [type=half, auto_status=true] start -> a -> done', { handlers })
    expect(went.node_outcomes['a']).toMatchObject({ status: 'success', notes: 'auto-status: handler completed without writing status' })
    expect(went.context['kept']).toBe(1)
  })

  // proves: pipeline 2.6.11
  test('makes a success of a handler that answers nothing', async () => {
    const went = await play('a [type=silent, auto_status=true] start -> a -> done', { handlers: { silent: () => undefined } })
    expect(went.status).toBe('success')
  })
})

describe('a skipped outcome', () => {
  // proves: pipeline 3.2a
  test('completes its node, has no outcome, and leaves that of the context', async () => {
    const handlers = { skips: () => ({ status: 'skipped' }), ok: writes({ a: 1 }) }
    const went = await play(
      `a [type=ok] s [type=skips] b [type=ok] start -> a -> s s -> b [condition="outcome=skipped && context.outcome=success"] b -> done`,
      { handlers },
    )
    expect(went.completed_nodes).toEqual(['start', 'a', 's', 'b', 'done'])
    expect(Object.keys(went.node_outcomes)).not.toContain('s')
  })
})
