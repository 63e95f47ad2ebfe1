import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Json, Port } from '../../../../src/kernel/index.ts'
import { runDot, told, type Went, type World } from '../engine/harness.ts'

const model: Port = {
  leaves: false,
  repeat: 'free',
  perform: () => ({ text: 'what a model says', model: 'test:model', finish: 'stop', usage: { input: 1, output: 1 }, tries: 1 }),
}
const run = (body: string, world: World = {}): Promise<Went> =>
  runDot(`digraph g { start [shape=Mdiamond] done [shape=Msquare] ${body} }`, { ...world, ports: { model } })

/** Level, sensitivity, confidence, bits and source of a value when the run is over; nothing for what is trusted. */
const label = ({ run: { state } }: Went, key: string): Json => state.root.reader().get(`#t/${key}`) ?? null
const level = (went: Went, key: string): number => Number([label(went, key)].flat()[0] ?? 0)

const copy = (from: string, to: string): string => `type=transform, source_key="${from}", output_key="${to}"`
const untrusted: World = { trust: 'untrusted', values: { given: 'some words' } }

describe('labels go with the values', () => {
  const block = (
    merge: string,
  ) => `fork [shape=component ${merge}] join [shape=tripleoctagon] b [${copy('given', 'out')}] c [${copy('own', 'other')}]
    start -> fork fork -> b -> join fork -> c -> join join -> last last [${copy('out', 'seen')}] last -> done`

  // proves: pipeline 5.3a
  test('through branches that are merged, each its own', async () => {
    const went = await run(block(', merge_context=true'), { values: { given: 'x', own: 'y' } })
    expect([level(went, 'out'), level(went, 'other')]).toEqual([0, 0])
    const bad = await run(
      block(', merge_context=true').replace('start -> fork', 'start -> think think -> fork think [prompt=p, output_key=given]'),
      { values: { own: 'y' } },
    )
    expect([level(bad, 'out'), level(bad, 'other'), level(bad, 'seen'), level(bad, 'parallel.results')]).toEqual([1, 0, 1, 1])
  })

  test('into items, and out of them', async () => {
    const items = `each [type=map, items_key="given", item_type=transform, handler_attrs="{\\"source_key\\":\\"item\\"}", collect_key=all] start -> each -> done`
    expect(level(await run(items, { ...untrusted, values: { given: ['a', 'b'] } }), 'all')).toBe(2)
  })

  const child = `digraph child { start [shape=Mdiamond] done [shape=Msquare] a [${copy('given', 'bad')}] b [type=transform, transform=constant, expression=v, output_key=good] start -> a -> b -> done }`
  const call =
    'call [type="graph.invoke", program="pipeline:child", pass_context="given", result_mapping="bad:bad,good:good"] start -> call -> done'

  // proves: pipeline 5.3a
  test('down into a called pipeline and back, key by key', async () => {
    const went = await run(`think [prompt=p, output_key=given] start -> think -> call ${call.replace('start -> call', 'call')}`, {
      programs: { child },
    })
    expect([level(went, 'bad'), level(went, 'good'), level(went, 'subgraph.call.status')]).toEqual([1, 0, 1])
  })

  test('and are trusted where everything was', async () => {
    expect(level(await run(call, { programs: { child }, values: { given: 1 } }), 'bad')).toBe(0)
  })

  test('back out of a pipeline that failed', async () => {
    const fails = `digraph child { start [shape=Mdiamond] done [shape=Msquare] a [${copy('given', 'bad')}] b [type=transform, transform=increment, source_key=bad] start -> a -> b -> done }`
    const went = await run(`${call.replace('-> done', '')} call -> done [condition="outcome=fail"]`, {
      ...untrusted,
      programs: { child: fails },
    })
    expect(level(went, 'subgraph.call.error')).toBe(2)
  })
})

describe('how sensitive a value is', () => {
  test.each([
    ['sensitive=true', 2],
    ['data_class=secret', 3],
    ['data_class=internal', 0],
  ])('%s', async (attribute, sensitivity) => {
    const went = await run(
      `a [type=transform, transform=constant, expression=v, output_key=out, ${attribute}] b [${copy('out', 'again')}] start -> a -> b -> done`,
    )
    expect(Number([label(went, 'again')].flat()[1] ?? 0)).toBe(sensitivity)
  })
})

describe('what makes a value better', () => {
  const check = (attributes: string) =>
    `think [prompt=p, output_key=thought] check [type="output.validate", source_key=thought, ${attributes}] start -> think -> check -> done`
  const rows: [attributes: string, bits: number, confidence: number][] = [
    ['pattern="model"', 255, 1],
    ['pattern="model", sanitizes="path_traversal,ssrf"', 40, 1],
    ['min_length=1', 0, 0],
    ['pattern="model", action=warn', 0, 0],
  ]
  // proves: pipeline 5.3e
  test.each(rows)('a check with %s', async (attributes, bits, confidence) => {
    const went = await run(check(attributes))
    expect(label(went, 'thought')).toEqual([1, 0, confidence, bits, 'think'])
    expect(told(went, 'taint_reduced').length).toBe(bits === 0 ? 0 : 1)
  })

  test('a check that fails makes nothing better', async () => {
    const went = await run(`${check('pattern="nowhere"').replace('-> check -> done', '-> check')} check -> done [condition="outcome=fail"]`)
    expect(label(went, 'thought')).toEqual([1, 0, 0, 0, 'think'])
  })

  const review = (more: string) => `ask [type="wait.human", question="?", reviews_keys="given" ${more}] yes [type=branch] no [type=branch]
    start -> ask ask -> yes [label="Approve"] ask -> no [label="Reject"] yes -> done no -> done`
  const reviews: [more: string, answer: string, level: number][] = [
    [', review_on_choice="Approve"', 'Approve', 0],
    [', review_on_choice="Approve"', 'Reject', 2],
    [', review_on_choice="Approve", review_target=derived', 'Approve', 1],
    ['', 'Reject', 0],
  ]
  // proves: pipeline 5.3e
  test.each(reviews)('a person who reviews%s and says %s', async (more, answer, expected) => {
    const went = await run(review(more), { ...untrusted, answers: { ask: answer } })
    expect(level(went, 'given')).toBe(expected)
    expect(told(went, 'taint_reduced')).toMatchObject(expected === 2 ? [] : [{ key: 'given', from: 'untrusted', why: 'reviewed' }])
  })

  test('nobody who answers is no review', async () => {
    const went = await run(review(', timeout="1s", human.default_choice="Approve", review_on_choice="Approve"'), untrusted)
    expect([went.status, level(went, 'given')]).toEqual(['success', 2])
  })
})

// proves: pipeline 5.3a
test('a label never falls but by a reduction that is told', async () => {
  const keys = ['given', 'own', 'k0', 'k1', 'k2']
  const step = fc.record({
    kind: fc.constantFrom('copy', 'join', 'model', 'constant', 'validate', 'branch'),
    from: fc.constantFrom(...keys),
    other: fc.constantFrom(...keys),
    to: fc.constantFrom('k0', 'k1', 'k2'),
  })
  type Step = { kind: string; from: string; other: string; to: string }
  const node = ({ kind, from, other, to }: Step): string => {
    if (kind === 'model') return `prompt="$${from} $${other}", output_key=${to}`
    if (kind === 'join')
      return `type=transform, transform=template, source_key=${from}, expression="{value} {ctx.${other}}", output_key=${to}`
    if (kind === 'constant') return `type=transform, transform=constant, expression=c, output_key=${to}`
    if (kind === 'validate') return `type="output.validate", source_key=${from}, pattern=""`
    return kind === 'branch' ? 'type=branch' : copy(from, to)
  }
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), fc.boolean(), async (steps, skips) => {
      const skip = skips ? ', skip_middleware="taint_check,sanitization"' : ''
      const declared = steps.map((one, i) => `n${i} [${node(one)}${skip}]`).join('\n')
      const body = `think [prompt=p, output_key=given] ${declared} start -> think -> ${steps.map((_, i) => `n${i}`).join(' -> ')} -> done`
      const went = await run(body, { values: { own: 'mine', k0: 'x', k1: 'x', k2: 'x' } })
      expect(went.status).toBe('success')
      const levels: Record<string, number> = { given: 1, own: 0, k0: 0, k1: 0, k2: 0 }
      for (const { kind, from, other, to } of steps) {
        if (kind === 'copy') levels[to] = levels[from] ?? 0
        if (kind === 'join') levels[to] = Math.max(levels[from] ?? 0, levels[other] ?? 0)
        if (kind === 'model') levels[to] = 1
        if (kind === 'constant') levels[to] = 0
      }
      expect(Object.fromEntries(keys.map((key) => [key, level(went, key)]))).toEqual(levels)
    }),
    { numRuns: 40 },
  )
})

// proves: pipeline 5.3g
test('a council and a check of a pipeline make of what came from outside no more than something derived', async () => {
  const council = `fork [shape=component] a [type=vote] b [type=vote] join [shape=tripleoctagon] d [type="consensus.decide"]
    start -> fork fork -> a -> join fork -> b -> join join -> d -> done`
  const vote = {
    execute: () => ({ status: 'success' as const, context_updates: { last_response: '{"vote":"approve"}' } }),
    idempotency: 'idempotent' as const,
  }
  const decided = await run(council, { trust: 'untrusted', handlers: { vote } })
  expect([level(decided, 'parallel.results'), level(decided, 'council.decision')]).toEqual([2, 1])
  expect(told(decided, 'taint_reduced')).toContainEqual(
    expect.objectContaining({ key: 'council.decision', from: 'untrusted', why: 'decided' }),
  )
  const dot = 'digraph x { start [shape=Mdiamond] done [shape=Msquare] start -> done }'
  const checked = await run('v [type="pipeline.validate", source_key=given] start -> v -> done', {
    trust: 'untrusted',
    values: { given: dot },
  })
  expect([checked.status, level(checked, 'given')]).toEqual(['success', 1])
})
