import { describe, expect, test } from 'vitest'
import type { Json } from '../../../../src/kernel/journal/json.ts'
import { HandlerRegistry, run } from '../../../../src/kinds/pipeline/index.ts'
import { play, playDot, writes } from './play.ts'

describe('a transform', () => {
  const made = async (attributes: string, input?: Json, more: Readonly<Record<string, Json>> = {}) => {
    const went = await play(`t [type=transform, source_key=in, output_key=out ${attributes}] start -> t -> done`, {
      initial_values: { ...more, ...(input === undefined ? {} : { in: input }) },
    })
    return went.status === 'fail' ? 'fails' : went.context['out']
  }
  const quoted = (text: string): string => JSON.stringify(text)

  // proves: pipeline 4.4a, pipeline s6.11a
  test.each<[attributes: string, input: Json | undefined, output: Json | string]>([
    ['', { a: 1 }, { a: 1 }],
    ['', undefined, null],
    [', transform=constant, expression="{\\"a\\": 1}\\\\n"', 1, '{"a": 1}\\n'],
    [', transform=json_extract, expression="a.1.b"', { a: [0, { b: 'x' }] }, 'x'],
    [', transform=format, expression=json', { a: 1 }, '{\n  "a": 1\n}'],
    [', transform=format, expression=string', 2, '2'],
    [', transform=not_equal, expression=other', 'x', true],
    [', transform=map, expression=name', [{ name: 'a' }, { name: 'b' }], ['a', 'b']],
    [', transform=map, expression=name', '[{"name":"a"}]', ['a']],
    [', transform=filter, expression=ok', [{ ok: true }, { ok: false }, { ok: 0 }], [{ ok: true }]],
    [', transform=filter, expression=ee', ['bee', 'wasp'], ['bee']],
    [', transform=split', 'a, b,,c', ['a', 'b', 'c']],
    [', transform=split, expression="|"', 'a|b', ['a', 'b']],
    [', transform=join, expression="-"', ['a', 1], 'a-1'],
  ])('%s of %j is %j', async (attributes, input, output) => expect(await made(attributes, input)).toEqual(output))

  // proves: pipeline 4.4b
  test('finds JSON in fences and prose; a missing path is null, and text without JSON fails', async () => {
    const path = ', transform=json_extract, expression="a"'
    expect(await made(path, 'Here:\n```json\n{"a": 1}\n```')).toBe(1)
    expect(await made(path, 'So it is {"a": 2}')).toBe(2)
    expect(await made(path, { b: 1 })).toBe(null)
    expect(await made(path, 'nothing here')).toBe('fails')
  })

  // proves: pipeline 4.4c
  test('fills a template with its value and the context, and leaves other braces', async () => {
    const text = quoted('{value} {ctx.a.b} [{ctx.none}] {other} {"x": 1}')
    expect(await made(`, transform=template, expression=${text}`, { v: 1 }, { a: { b: 'B' } })).toBe('{"v":1} B [] {other} {"x": 1}')
  })

  // proves: pipeline 4.4d
  test('counts from nothing, by a step, and refuses text', async () => {
    const next = (input?: Json, step = '') => made(`, transform=increment ${step}`, input)
    expect([await next(), await next(''), await next('4'), await next(4, ', expression="3"'), await next('x')]).toEqual([
      1,
      1,
      5,
      7,
      'fails',
    ])
  })

  // proves: pipeline 4.4e
  test('renames keys', async () => {
    expect(await made(', transform=remap, expression="a:b,c:d"', { a: 1, c: 2, e: 3 })).toEqual({ b: 1, d: 2 })
  })

  // proves: pipeline 4.4f
  test('of an unknown kind fails', async () => expect(made(', transform=sideways', 1)).rejects.toMatchObject({ code: 'R1142' }))
})

describe('the context', () => {
  // proves: pipeline 6.1a
  test('merges updates by key, and no handler changes what it sees', async () => {
    const rude = (_: unknown, context: { snapshot(): Record<string, unknown>; get(key: string): unknown }) => {
      const seen = context.snapshot()
      seen['a'] = 'changed'
      return { status: 'success', context_updates: { b: 2 } }
    }
    const { context } = await play('x [type=one] y [type=rude] start -> x -> y -> done', {
      handlers: { one: writes({ a: { deep: 1 }, b: 1 }), rude },
    })
    expect([context['a'], context['b']]).toEqual([{ deep: 1 }, 2])
  })

  // proves: pipeline 6.1c, pipeline 2.1a, pipeline s2.6a
  test('holds what the engine sets and the attributes of the graph', async () => {
    const keys = ['current_node', 'outcome', 'last_stage', 'graph.goal', 'graph.topic']
    const template = keys.map((key) => `{ctx.${key}}`).join(' ')
    const body = `a [type=ok] b [type=transform, transform=template, expression="${template}", output_key=seen] start -> a -> b -> done`
    const { context } = await play(body, { handlers: { ok: writes({}) }, graph: 'goal="win"; topic="bees"' })
    expect(context['seen']).toBe('b success a win bees')
  })

  // proves: pipeline 4.2a
  test('takes from a start what is named for it, and nothing else', async () => {
    const { context } = await playDot(
      'digraph g { begin [type=start, label=Begin, "context.a"=1, "init.b"=two, c=3] done [shape=Msquare] begin -> done }',
    )
    expect([context['a'], context['b'], context['c'], context['label']]).toEqual([1, 'two', undefined, undefined])
  })
})

describe('a branch node', () => {
  // proves: pipeline 4.2b
  test('goes by the value of its condition_key, where no condition is true', async () => {
    const body =
      'b [type=branch, condition_key=mode] x [type=branch] y [type=branch] start -> b b -> x [label=fast] b -> y [label=slow] x -> done y -> done'
    const went = await play(body, { initial_values: { mode: 'slow' } })
    expect([went.completed_nodes[2], went.context['branch.b.value']]).toEqual(['y', 'slow'])
  })
})

// proves: pipeline 4.1e
test('a missing attribute fails with handler, node and key, and is not tried again', async () => {
  const went = await play('w [type="file.write", content_key=nothing, output="x", max_retries=3] start -> w -> done')
  expect(went.failure_reason).toMatch(/file\.write.*w.*nothing/)
  expect(went.events.filter(({ type }) => type === 'stage_retrying')).toEqual([])
})

// proves: pipeline 4.1g
test.each(['prepare', 'run'] as const)('an error in %s is a failure with that reason', async (phase) => {
  const handlers = new HandlerRegistry()
  const broken = (): never => {
    throw new Error(`${phase} is broken`)
  }
  handlers.register('bad', { prepare: () => 1, run: () => 2, apply_result: () => ({ status: 'success' }), [phase]: broken })
  const went = await run('digraph g { start [shape=Mdiamond] a [type=bad] done [shape=Msquare] start -> a -> done }', {
    logs_root: false,
    handlers,
  })
  expect([went.status, went.failure_reason]).toEqual(['fail', `${phase} is broken`])
})

// proves: pipeline 4.1c
test('a handler that takes a type again replaces the one before, and may take an alias', async () => {
  const handlers = new HandlerRegistry()
  const notes = async (type: string) =>
    (
      await run(`digraph g { start [shape=Mdiamond] a [type=${type}] done [shape=Msquare] start -> a -> done }`, {
        logs_root: false,
        handlers,
      })
    ).node_outcomes['a']?.notes
  for (const word of ['first', 'second'])
    for (const type of ['mine', 'tool'])
      handlers.register(type, { execute: () => ({ status: 'success', notes: word }), idempotency: 'idempotent' })
  expect([await notes('mine'), await notes('tool')]).toEqual(['second', 'second'])
})
