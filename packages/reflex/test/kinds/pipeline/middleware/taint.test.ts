import { describe, expect, test } from 'vitest'
import type { Port } from '../../../../src/kernel/index.ts'
import type { Middleware } from '../../../../src/kinds/pipeline/engine/middleware.ts'
import { runDot, told, type Went, type World } from '../engine/harness.ts'

const model: Port = {
  leaves: false,
  repeat: 'free',
  perform: () => ({ text: 'what a model says', model: 'test:model', finish: 'stop', usage: { input: 1, output: 1 }, tries: 1 }),
}
const asIs = {
  execute: (_: unknown, context: { snapshot(): object }) => ({ status: 'success' as const, seen: Object.keys(context.snapshot()).length }),
  idempotency: 'idempotent' as const,
}

/** Runs nodes one after another, after a start that waits for a message from outside where the text says `heard`. */
function run(nodes: readonly string[], world: World = {}): Promise<Went> {
  const declared = nodes.map((attributes, i) => `n${i} [${attributes}]`).join('\n')
  const chain = ['start', ...nodes.map((_, i) => `n${i}`), 'done'].join(' -> ')
  return runDot(`digraph g { start [shape=Mdiamond] done [shape=Msquare]\n${declared}\n${chain} }`, {
    ...world,
    ports: { model, ...world.ports },
    handlers: { ok: asIs, ...world.handlers },
  })
}

/** The level of a value when the run is over: 0 trusted, 1 derived, 2 untrusted. */
function level({ run: { state } }: Went, key: string): number {
  const label = state.root.reader().get(`#t/${key}`)
  return Array.isArray(label) ? Number(label[0]) : 0
}

const FROM_OUTSIDE: World = { trust: 'untrusted', values: { given: 'x.txt' } }
const think = 'prompt="think", output_key="thought"'
const copy = (from: string, to: string): string => `type=transform, source_key="${from}", output_key="${to}"`

describe('the labels of values', () => {
  const rows: [what: string, nodes: string[], key: string, level: number, world?: World][] = [
    ['what the operator gives', [copy('given', 'a')], 'a', 0, { values: { given: 1 } }],
    ['what an untrusted run is given', [copy('given', 'a')], 'a', 2, FROM_OUTSIDE],
    ['what an author writes', ['type=transform, transform=constant, expression="v", output_key="a"'], 'a', 0],
    ['what a stranger writes', ['type=transform, transform=constant, expression="v", output_key="a"'], 'a', 2, { trust: 'untrusted' }],
    ['what a model says', [think], 'thought', 1],
    ['what a model makes of it', ['prompt="say $given", output_key="thought"'], 'thought', 2, FROM_OUTSIDE],
    ['a part of a value', [copy('given.name', 'a')], 'a', 2, { trust: 'untrusted', values: { given: { name: 'n' } } }],
    ['two steps on', [think, copy('thought', 'a'), copy('a', 'b')], 'b', 1],
    [
      'a template with one bad part',
      [think, 'type=transform, transform=template, source_key="good", expression="{value}{ctx.thought}", output_key="a"'],
      'a',
      1,
      { values: { good: 'g' } },
    ],
    ['the name of a graph', [copy('graph.label', 'a')], 'a', 0],
    ['what overwrites it', [think, 'type=transform, transform=constant, expression="v", output_key="thought"'], 'thought', 0],
  ]
  // proves: pipeline 5.3f
  test.each(rows)('%s', async (_, nodes, key, expected, world) => {
    const went = await run(nodes, world)
    expect(went.status).toBe('success')
    expect(level(went, key)).toBe(expected)
  })

  test('a label names its node', async () => {
    const went = await run([think, copy('thought', 'a'), copy('a', 'b')])
    expect(went.run.state.root.reader().get('#t/b')).toEqual([1, 0, 0, 0, 'n0'])
  })

  test('no handler and no input can write a label', async () => {
    const lies = {
      execute: () => ({ status: 'success' as const, context_updates: { '#t/given': null, a: 1 } }),
      idempotency: 'idempotent' as const,
    }
    const went = await run(['type=lies'], {
      trust: 'untrusted',
      values: { given: 'x', '#t/given': null, '#labels': { given: null } },
      handlers: { lies },
    })
    expect([level(went, 'given'), level(went, 'a')]).toEqual([2, 2])
    expect(told(went, 'update_refused')).toMatchObject([{ key: '#t/given' }])
  })
})

describe('the use of values', () => {
  const read = 'type="read", source="file", source_key="given"'
  const rows: [what: string, nodes: string[], world: World, reason: string | undefined][] = [
    ['a path from outside', [read], FROM_OUTSIDE, 'taint: n0 reads given, which is untrusted, from input; it would decide what runs'],
    ['a pipeline from outside', ['type="graph.compose", source_key="given"'], FROM_OUTSIDE, 'it would decide what runs'],
    ['content from outside', [copy('given', 'a')], FROM_OUTSIDE, undefined],
    ['a prompt from outside', ['prompt="$given"'], FROM_OUTSIDE, undefined],
  ]
  // proves: pipeline 5.3b
  test.each(rows)('%s', async (_, nodes, world, reason) => {
    const went = await run(nodes, world)
    if (reason === undefined) expect(went.status).toBe('success')
    else expect(went.reason).toContain(reason)
  })

  // proves: pipeline 5.3c
  test('hostile values cannot be used', async () => {
    const branding: Middleware = {
      name: 'brand',
      after(token) {
        token.mark('given', { level: 3, sensitivity: 0, confidence: 0, bits: 0 })
        return undefined
      },
    }
    const went = await run(['type=ok', copy('given', 'a')], { values: { given: 1 }, always: [branding] })
    expect(went.reason).toContain('given, which is hostile; nothing may use it')
  })

  // proves: pipeline 5.3d
  test('the text of a model may decide which node runs, and that is reported', async () => {
    const went = await run([think, 'type="graph.compose", source_key="thought"'])
    expect(told(went, 'taint_control')).toMatchObject([{ node_id: 'n1', key: 'thought', level: 'derived', from: 'n0' }])
  })

  test('an untrusted value may choose an edge to a command, and that is reported', async () => {
    const dot = `digraph g { start [shape=Mdiamond] done [shape=Msquare] a [type=ok] cmd [type=tool, tool_command="true"]
      start -> a -> cmd [condition="context.given=x"] a -> done [condition="context.given!=x"] cmd -> done }`
    const tool: Port = { leaves: false, repeat: 'free', perform: () => ({ code: 0, stdout: '', stderr: '' }) }
    const went = await runDot(dot.replace('start -> a -> cmd', 'start -> a a -> cmd'), {
      trust: 'untrusted',
      values: { given: 'x' },
      handlers: { ok: asIs },
      ports: { tool },
    })
    expect(told(went, 'tainted_route')).toMatchObject([{ node_id: 'a', to: 'cmd', keys: ['context.given'] }])
  })
})
