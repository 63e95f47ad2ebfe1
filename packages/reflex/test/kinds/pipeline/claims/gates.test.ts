import { describe, expect, test } from 'vitest'
import type { Json } from '../../../../src/kernel/journal/json.ts'
import { play, toldOf } from './play.ts'

describe('a gate', () => {
  const passed = async (attributes: string, stage = {}) => {
    const went = await play(
      `g [type=gate ${attributes}] bad [type=branch] start -> g g -> done [condition="outcome=success"] g -> bad [condition="outcome=fail"] bad -> done`,
      stage,
    )
    return { passed: !went.completed_nodes.includes('bad'), context: went.context, events: went.events }
  }

  // proves: pipeline 4.12d
  test.each<[Json, boolean]>([
    ['x', true],
    [1, true],
    [true, true],
    ['false', false],
    [false, false],
    ['', false],
    [0, false],
    ['0', false],
    [null, false],
  ])('passes on %j: %s', async (value, expected) => {
    for (const attributes of [', predicate=expression, expression=k', ', condition_key=k']) {
      const went = await passed(attributes, { initial_values: { k: value } })
      expect([went.passed, went.context['gate.g.passed']]).toEqual([expected, expected])
    }
  })

  // proves: pipeline 4.12e
  test('of the budget passes until it is over', async () => {
    const spent = async (graph: string) => {
      const went = await play('a [prompt=p] g [type=gate, predicate=budget_ok] start -> a -> g -> done', {
        graph,
        llm_backend: () => ({ text: 'x', usage: { input: 50, output: 40 } }),
      })
      return went.context['gate.g.passed']
    }
    expect([await spent(''), await spent('max_total_tokens=100'), await spent('max_total_tokens=1000')]).toEqual([true, true, true])
  })

  // proves: pipeline 4.12f
  test('without a predicate passes', async () => expect((await passed('')).passed).toBe(true))

  // proves: pipeline s6.6b
  test('of trust compares tiers', async () => {
    const tier = async (trust: 'probationary' | 'trusted' | 'veteran') => (await passed(', min_tier=trusted', { trust })).passed
    const typed = async (trust: 'probationary' | 'trusted' | 'veteran') =>
      (await play('g [type="gate.trust", min_tier=trusted] start -> g -> done', { trust })).status
    expect([await tier('trusted'), await typed('probationary'), await typed('trusted'), await typed('veteran')]).toEqual([
      true,
      'fail',
      'success',
      'success',
    ])
  })

  // proves: pipeline s6.6c
  test.each(['resource_uri', 'capability'])('of a capability in %s passes only where it is granted', async (attribute) => {
    const gate = `g [type="gate.capability", ${attribute}="arbor://deploy/prod"] start -> g -> done`
    const under = async (allow: string[], deny: string[] = []) => {
      const { status, failure_reason } = await play(gate, { policy: [{ file: 'p', roots: ['deploy'], allow, deny }] })
      return failure_reason ?? status
    }
    expect(await under(['arbor://deploy/*'])).toBe('success')
    expect(await under([])).toContain('arbor://deploy/prod is not granted')
    expect(await under(['arbor://deploy/*'], ['arbor://deploy/prod'])).toContain('arbor://deploy/prod')
  })

  // proves: pipeline s6.6a, pipeline s8.3a
  test('of approval needs a yes', async () => {
    const gate = 'g [type="gate.approval", question="Ship?"] start -> g -> done'
    const answered = async (value: string) => (await play(gate, { interviewer: { ask: () => ({ value }) } })).status
    expect([await answered('yes'), await answered('no')]).toEqual(['success', 'fail'])
  })
})

describe('output.validate', () => {
  const validate = async (attributes: string, value: Json) => {
    const went = await play(`v [type="output.validate", source_key=k, ${attributes}] start -> v v -> done`, {
      initial_values: { k: value },
    })
    return [went.status, went.context['validate.v.passed'], went.context['k']]
  }

  // proves: pipeline 4.12a, pipeline 4.12g
  test.each<[attributes: string, good: Json, bad: Json]>([
    ['format=json', '{"a":1}', 'no'],
    ['format=dot', 'digraph g { a -> b }', 'digraph g {'],
    ['min_length=3', 'abc', 'ab'],
    ['max_length=3', 'abc', 'abcd'],
    ['must_contain="a,b"', 'A and B', 'a'],
    ['must_not_contain="todo"', 'done', 'a TODO'],
    ['pattern="^[a-z]+$"', 'abc', 'a1'],
    ['json_schema="{\\"type\\":\\"object\\",\\"required\\":[\\"a\\"]}"', '{"a":1}', '{"b":1}'],
    ['json_schema="{\\"type\\":\\"object\\"}"', { a: 1 }, [1]],
    ['json_schema="{\\"properties\\":{\\"a\\":{\\"type\\":\\"integer\\"}}}"', '{"a":1}', '{"a":"1"}'],
    ['json_schema="{\\"enum\\":[{\\"a\\":1}]}"', '{"a":1}', '{"a":2}'],
    ['json_schema="{\\"type\\":[\\"object\\",\\"null\\"]}"', '{"a":1}', '[1]'],
  ])('with %s takes %j and refuses %j', async (attributes, good, bad) => {
    expect((await validate(attributes, good)).slice(0, 2)).toEqual(['success', true])
    expect((await validate(attributes, bad)).slice(0, 2)).toEqual(['fail', false])
  })

  // proves: pipeline 4.12b
  test('fails, warns, or cuts', async () => {
    expect((await validate('max_length=3, action=warn', 'abcd')).slice(0, 2)).toEqual(['success', false])
    expect(await validate('max_length=3, action=truncate', 'abcd')).toEqual(['success', false, 'abc'])
  })
})

describe('pipeline.validate', () => {
  // proves: pipeline 4.12c
  test('parses and lints a text, and says what is wrong with it', async () => {
    const gate = (text: string) => play('v [type="pipeline.validate", source_key=k] start -> v -> done', { initial_values: { k: text } })
    const good = await gate('```dot\ndigraph i { start [shape=Mdiamond] done [shape=Msquare] start -> done }\n```')
    expect([good.status, good.context['pipeline.valid.v'], good.context['pipeline.node_count.v']]).toEqual(['success', true, 2])
    const bad = await gate('digraph i { a -> b }')
    expect([bad.status, bad.context['pipeline.valid.v'], bad.context['validation.errors']]).toEqual([
      'fail',
      false,
      expect.stringContaining('start_node'),
    ])
  })
})

// proves: pipeline 4.12h
test('a gate without a predicate lets everything through, with a warning', async () => {
  const went = await play('g [type=gate] start -> g -> done')
  expect([went.status, toldOf(went, 'stage_warning')]).toMatchObject([
    'success',
    [{ node_id: 'g', warning: expect.stringContaining('predicate') as unknown }],
  ])
})
