import { describe, expect, test } from 'vitest'
import { compileGraph, parse, type TypedNode, validate } from '../../../../src/kinds/pipeline/index.ts'
import { MANDATORY } from '../../../../src/kinds/pipeline/engine/mandatory.ts'
import { play, playDot, toldOf, writes } from './play.ts'

function nodeOf(attributes: string): TypedNode {
  const node = compileGraph(parse(`digraph g { n [${attributes}] }`)).nodes.get('n')
  if (node === undefined) throw new Error('the node is gone')
  return node
}

/** The alias map of the seed, appendix B. */
const ALIASES: Readonly<Record<string, readonly [canonical: string, injected: Readonly<Record<string, string>>]>> = {
  conditional: ['branch', {}],
  'parallel.fan_in': ['fan_in', {}],
  codergen: ['compute', { purpose: 'llm' }],
  'routing.select': ['compute', { purpose: 'routing' }],
  'prompt.ab_test': ['compute', { purpose: 'ab_test' }],
  drift_detect: ['compute', { purpose: 'drift_detect' }],
  'retry.escalate': ['compute', { purpose: 'retry_escalate' }],
  'eval.run': ['compute', { purpose: 'eval_run' }],
  'eval.aggregate': ['compute', { purpose: 'eval_aggregate' }],
  tool: ['exec', { target: 'tool' }],
  shell: ['exec', { target: 'shell' }],
  'memory.recall': ['read', { source: 'memory', op: 'recall' }],
  'memory.working_load': ['read', { source: 'memory', op: 'working_load' }],
  'memory.stats': ['read', { source: 'memory', op: 'stats' }],
  'memory.recall_store': ['read', { source: 'memory', op: 'recall_store' }],
  'eval.dataset': ['read', { source: 'eval_dataset' }],
  'file.write': ['write', { target: 'file' }],
  'memory.consolidate': ['write', { target: 'memory', op: 'consolidate' }],
  'memory.index': ['write', { target: 'memory', op: 'index' }],
  'memory.working_save': ['write', { target: 'memory', op: 'working_save' }],
  'memory.store_file': ['write', { target: 'memory', op: 'store_file' }],
  accumulator: ['write', { target: 'accumulator', mode: 'append' }],
  'eval.persist': ['write', { target: 'eval', op: 'persist' }],
  'eval.report': ['write', { target: 'eval', op: 'report' }],
  'graph.invoke': ['compose', { mode: 'invoke' }],
  'graph.compose': ['compose', { mode: 'compose' }],
  'pipeline.run': ['compose', { mode: 'pipeline' }],
  'feedback.loop': ['compose', { mode: 'feedback' }],
  'stack.manager_loop': ['compose', { mode: 'manager_loop' }],
  'consensus.propose': ['compose', { mode: 'consensus' }],
  'consensus.ask': ['compose', { mode: 'consensus' }],
  'consensus.await': ['compose', { mode: 'consensus' }],
  'consensus.check': ['compose', { mode: 'consensus' }],
  'consensus.decide': ['compose', { mode: 'consensus' }],
  'graph.adapt': ['adapt', {}],
  'wait.human': ['wait', { source: 'human' }],
  'output.validate': ['gate', { predicate: 'output_valid' }],
  'pipeline.validate': ['gate', { predicate: 'pipeline_valid' }],
}

// proves: pipeline s4.4b, pipeline sB.1, pipeline sB.2, pipeline sB.3, pipeline sB.4, pipeline sB.5, pipeline sB.6, pipeline sB.8
// proves: pipeline sB.9, pipeline sB.10, pipeline sB.11
test.each(Object.entries(ALIASES))('the alias %s stands for what the seed says', (alias, [canonical, injected]) => {
  const node = nodeOf(`type="${alias}"`)
  expect([node.rawType, node.canonical, node.injected]).toEqual([alias, canonical, injected])
})

// proves: pipeline s4.4c, pipeline 12.22
test.each([
  ['Mdiamond', 'start'],
  ['Msquare', 'exit'],
  ['diamond', 'conditional'],
  ['parallelogram', 'tool'],
  ['hexagon', 'wait.human'],
  ['component', 'parallel'],
  ['tripleoctagon', 'parallel.fan_in'],
  ['house', 'stack.manager_loop'],
  ['octagon', 'graph.adapt'],
  ['box', 'codergen'],
])('the shape %s stands for %s', (shape, type) => expect(nodeOf(`shape=${shape}`).rawType).toBe(type))

// proves: pipeline s9.1a, pipeline s9.2a, pipeline 12.115
test('a compiled node says what is known of it before a run', () => {
  const typed = compileGraph(
    parse(`digraph g { start [shape=Mdiamond]; ask [prompt="x", timeout="5s", max_retries=2, max_tokens=9]; run [type=shell, env_keys=last_response]
      done [shape=Msquare]; start -> ask; ask -> run [condition="outcome=success"]; run -> done }`),
  )
  expect(typed.nodes.get('ask')).toMatchObject({
    handlerType: 'compute',
    canonical: 'compute',
    rawType: 'codergen',
    injected: { purpose: 'llm' },
    capabilitiesRequired: expect.arrayContaining(['arbor://orchestrator/execute/llm_query']) as unknown,
    dataClassification: 'internal',
    idempotency: 'idempotent_with_key',
    resourceBounds: { timeout: 5_000, attempts: 3, tokens: 9 },
    schemaErrors: [],
  })
  expect(typed.nodes.get('run')?.schemaErrors).toHaveLength(1)
  expect(typed.taint).toMatchObject([{ rule: 'missing_sanitization', node: 'run' }])
  expect(typed.outgoing.get('ask')?.[0]?.condition?.clauses).toHaveLength(1)
})

describe('the defaults of the seed', () => {
  const ok = writes({})

  // proves: pipeline sA.4
  test('hold where nothing is written', async () => {
    const seen: unknown[] = []
    const handlers = {
      ok,
      look: (node: { readonly label: string; readonly prompt: string }) => {
        seen.push(node.label, node.prompt)
        return { status: 'success' }
      },
    }
    const body = 'a [type=look] b [type=ok] c [type=ok] start -> a a -> c a -> b [weight=0] b -> done c -> done'
    const went = await play(body, { handlers })
    expect(seen).toEqual(['a', ''])
    expect(went.completed_nodes).toEqual(['start', 'a', 'b', 'done'])
    expect(toldOf(went, 'loop_restart')).toEqual([])
    expect(toldOf(went, 'fan_out_detected')).toEqual([])
    expect([went.context['graph.goal'] ?? '', went.context['graph.label'] ?? '']).toEqual(['', ''])
  })
})

describe('the text of a pipeline', () => {
  // proves: pipeline L2, pipeline s2.3b
  test('keeps the count of lines behind a block comment', () => {
    const [finding] = validate('digraph g {\n/* one\ntwo\nthree */\n  a -- b\n}')
    expect(finding).toMatchObject({ code: 'R1102', line: 5 })
  })

  // proves: pipeline 1.4b
  test('gives the line of a node and of an edge to what is found there', () => {
    const found = validate(
      'digraph g {\n start [shape=Mdiamond]; done [shape=Msquare]\n a [shape=box]\n start -> a\n a -> done [condition="x or y"]\n}',
    )
    const lineOf = (rule: string) => found.find((finding) => finding.rule === rule)?.line
    expect([lineOf('prompt_on_llm_nodes'), lineOf('condition_syntax')]).toEqual([3, 5])
  })
})

// proves: pipeline s14.4a
test('mutations_key goes before mutations', async () => {
  const step = (expression: string) => JSON.stringify([{ op: 'modify_attrs', id: 'step', attrs: { expression } }])
  const went = await playDot(
    `digraph g { start [shape=Mdiamond] done [shape=Msquare] change [type=adapt, mutations_key=plan, mutations="${step('written').replaceAll('"', '\\"')}"]
      step [type=transform, transform=constant, expression=plain, output_key=step] start -> change -> step -> done }`,
    { trust: 'autonomous', initial_values: { plan: step('from the context') } },
  )
  expect(went.context['step']).toBe('from the context')
})

// proves: pipeline 9n
test.each([
  ['before', 'before is completed'],
  ['change', 'is being executed'],
])('a change cannot remove the node %s', async (id, reason) => {
  const op = JSON.stringify([{ op: 'remove_node', id }]).replaceAll('"', '\\"')
  const went = await play(`before [type=branch] change [type=adapt, mutations="${op}"] start -> before -> change -> done`, {
    trust: 'autonomous',
  })
  expect([went.status, went.failure_reason]).toEqual(['fail', expect.stringContaining(reason)])
})

describe('events of routing', () => {
  // proves: pipeline 10.2e, pipeline 10.2a
  test('say which edge was taken, what ended there, and what was stopped', async () => {
    const halting = {
      name: 'closed',
      before: ({ context }: { context: { node: { id: string } } }) => (context.node.id === 'b' ? { halt: 'closed' } : undefined),
    }
    const went = await play('a [type=branch] b [type=branch] start -> a -> b b -> done', { always: [halting] })
    expect(toldOf(went, 'edge_selected').map(({ from, to }) => [from, to])).toEqual([
      ['start', 'a'],
      ['a', 'b'],
    ])
    expect(toldOf(went, 'middleware_halted')).toMatchObject([{ node_id: 'b', middleware: 'closed' }])
    expect(went.events.every(({ run_id }) => run_id === went.run_id)).toBe(true)
    const dead = await play('a [type=branch] start -> a a -> done [condition="context.never=1"]')
    expect(toldOf(dead, 'dead_end')).toMatchObject([{ node_id: 'a' }])
    const skips = await play('a [type=branch, skip_middleware="taint_check"] start -> a -> done')
    expect(toldOf(skips, 'middleware_skipped')).toMatchObject([{ node_id: 'a', middleware: 'taint_check' }])
  })
})

// proves: pipeline s5.1a
test('the mandatory seven stand in the order of the seed', () => {
  const names = ['capability_check', 'taint_check', 'sanitization', 'safe_input', 'checkpoint', 'budget', 'signal_emit']
  expect(MANDATORY.map(({ name }) => name)).toEqual(names)
})

describe('diagnostics of lint', () => {
  // proves: pipeline 11.2a
  test('have a rule, a severity, a message, a place and a way out', () => {
    const [finding] = validate('digraph g {\n start [shape=Mdiamond]; done [shape=Msquare]\n start -> done [weight=1, wieght=2]\n}')
    expect(finding).toMatchObject({
      rule: 'unknown_attribute',
      severity: 'warning',
      message: expect.any(String) as unknown,
      line: 3,
      fix: 'write "weight"',
    })
  })
})
