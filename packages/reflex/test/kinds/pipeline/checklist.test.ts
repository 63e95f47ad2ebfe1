import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  AutoApproveInterviewer,
  CallbackInterviewer,
  compileGraph,
  ConsoleInterviewer,
  type DotGraph,
  evaluateCondition,
  HandlerRegistry,
  type Interviewer,
  type LlmBackend,
  parse,
  parseCondition,
  type PipelineHandler,
  type PipelineRunOptions,
  QueueInterviewer,
  run,
  textOf,
  transformGraph,
  validate,
  validateOrRaise,
} from '../../../src/kinds/pipeline/index.ts'
import { dataIn, filesIn, folder } from './folders.ts'

/**
 * The checklist of the reference (section 12) through the public door, one short test for each number that a user would
 * try first. What takes more to show has a file of its own, and its number in a title there: 24, 44, 51, 83, 85 to 97 and
 * 105 to 120.
 */
const named = (attributes: string, edges = 'start -> a -> done'): string =>
  `digraph g { start [shape=Mdiamond]; done [shape=Msquare]; a [${attributes}]; ${edges} }`
const of = (graph: DotGraph, node: string, key: string): string | undefined => {
  const attributes = graph.nodes.get(node)?.attributes
  return attributes === undefined ? undefined : textOf(attributes, key)
}
const rules = (dot: string): readonly (string | undefined)[] => validate(dot).map(({ rule }) => rule)
const runWith = (dot: string, handlers: Readonly<Record<string, PipelineHandler['execute']>> = {}, options: PipelineRunOptions = {}) => {
  const registry = new HandlerRegistry()
  for (const [type, execute] of Object.entries(handlers)) if (execute !== undefined) registry.register(type, { execute })
  return run(dot, { logs_root: false, handlers: registry, ...options })
}

describe('parsing', () => {
  const graph = parse(`digraph g {
    // one comment
    graph [goal="Ship \\"it\\"", label=All, model_stylesheet="* { llm_model: small; } .quick { llm_model: fast; }"]
    node [timeout="5s"] /* and another */
    edge [weight=2]
    a [
      label="First",
      class=quick
    ]
    a -> b -> c [label=next, condition="outcome=success"]
    subgraph cluster_x { label="Checks"; c [label="Third"]; d }
  }`)
  // proves: pipeline 12.1, pipeline s2.2a
  test('1 a digraph with blocks of graph, node and edge', () => expect([...graph.nodes.keys()]).toEqual(['a', 'b', 'c', 'd']))
  // proves: pipeline 12.2, pipeline 12.78
  test('2, 78 attributes of the graph', () =>
    expect(['goal', 'label', 'model_stylesheet'].map((key) => textOf(graph.attributes, key)?.slice(0, 9))).toEqual([
      'Ship "it"',
      'All',
      '* { llm_m',
    ]))
  // proves: pipeline 12.3, pipeline 12.9, pipeline 12.79, pipeline G4
  test('3, 9, 79 values with quotes and without, over several lines', () =>
    expect([of(graph, 'a', 'label'), of(graph, 'a', 'class')]).toEqual(['First', 'quick']))
  // proves: pipeline 12.4, pipeline 12.5, pipeline s2.2b
  test('4, 5 a chain is edges that share label, condition and weight', () =>
    expect(
      graph.edges.map(({ from, to, attributes }) => [
        from,
        to,
        ...['label', 'condition', 'weight'].map((key) => attributes.get(key)?.value),
      ]),
    ).toEqual([
      ['a', 'b', 'next', 'outcome=success', 2],
      ['b', 'c', 'next', 'outcome=success', 2],
    ]))
  // proves: pipeline 12.6
  test('6 defaults reach what is declared later', () => expect(of(graph, 'c', 'timeout')).toBe('5s'))
  // proves: pipeline 12.7, pipeline s2.9c
  test('7 subgraphs are flattened and their nodes kept', () => expect(graph.nodes.get('c')?.classes).toEqual(['checks']))
  // proves: pipeline 12.8, pipeline 12.67, pipeline 12.68, pipeline 12.69, pipeline 12.70, pipeline 12.71, pipeline 12.94, pipeline 12.66
  test('8, 67 to 71, 94 models by shape, class and id, the more exact first, and a word of the node before all', () => {
    const styled = transformGraph(
      parse(`digraph g { graph [model_stylesheet="* { llm_model: any } box { llm_model: boxed } .quick { llm_model: fast } #d { llm_model: own }"]
        a [shape=hexagon]; b [shape=box]; c [shape=box, class=quick]; d [class=quick]; e [class=quick, llm_model=mine] }`),
    )
    expect(['a', 'b', 'c', 'd', 'e'].map((id) => of(styled, id, 'llm_model'))).toEqual(['any', 'boxed', 'fast', 'own', 'mine'])
  })
  // proves: pipeline 12.10
  test('10 comments of both styles are none of it', () => expect(parse('digraph g { a /* -> b */ // -> c\n }').edges).toEqual([]))
})

describe('validation', () => {
  // proves: pipeline 12.11, pipeline 12.12, pipeline 12.13, pipeline 12.14, pipeline 12.15, pipeline 12.16, pipeline 12.17, pipeline 12.18
  // proves: pipeline 12.80, pipeline 12.81, pipeline 12.82
  test.each([
    ['11, 80 no start', 'digraph g { a [type=branch]; done [shape=Msquare]; a -> done }', 'start_node'],
    ['12, 81 no exit', 'digraph g { start [shape=Mdiamond]; a [type=branch]; start -> a }', 'terminal_node'],
    ['13 an edge into the start', named('type=branch', 'start -> a -> done; a -> start'), 'start_no_incoming'],
    ['14 an edge out of the exit', named('type=branch', 'start -> a -> done; done -> a'), 'exit_no_outgoing'],
    ['15 a node that nothing reaches', named('type=branch', 'start -> done; a -> done'), 'reachability'],
    ['16 an edge to nobody', named('type=branch', 'start -> a -> done; a -> nobody'), 'edge_target_exists'],
    ['17 a box without a prompt', named('shape=box'), 'prompt_on_llm_nodes'],
    ['18 a condition that cannot be read', named('type=branch', 'start -> a; a -> done [condition="x or y"]'), 'condition_syntax'],
    ['82 a node without edges', named('type=branch', 'start -> done'), 'orphan_node'],
  ])('%s', (_, dot, rule) => expect(rules(dot)).toContain(rule))
  // proves: pipeline 12.19, pipeline 12.20, pipeline s10.1a, pipeline 11.2b
  test('19, 20 errors are thrown with rule, severity, place and message', () => {
    const typed = compileGraph(parse('digraph g { a -> b; a [type=branch]; b [type=branch] }'))
    expect(() => validateOrRaise(typed)).toThrow(expect.objectContaining({ code: 'R1142' }))
    expect(validate(typed)).toContainEqual(
      expect.objectContaining({ rule: 'start_node', severity: 'error', message: 'the pipeline has no start' }),
    )
    expect(validate(named('shape=box'))).toContainEqual(expect.objectContaining({ path: 'a', line: 1 }))
  })
})

describe('the engine', () => {
  // proves: pipeline 12.21, pipeline 12.23, pipeline 12.26, pipeline 12.27, pipeline 12.46, pipeline 12.47, pipeline 12.48, pipeline 12.49
  test('21 to 23, 25 to 27, 46 to 49 a handler by its type gets node, context and graph, and what it gives goes on', async () => {
    const seen: unknown[] = []
    const went = await runWith(
      named('type=mine, label=Me', 'start -> a; a -> b; b -> done; b [type=mine]'),
      {
        mine: (node, context, graph, services) => {
          seen.push([node.id, node.type, graph.id, context.get('given'), context.get('a.said'), services.workdir === process.cwd()])
          return { status: 'success', context_updates: { [`${node.id}.said`]: node.label } }
        },
      },
      { initial_values: { given: 7 } },
    )
    expect(seen).toEqual([
      ['a', 'mine', 'g', 7, undefined, true],
      ['b', 'mine', 'g', 7, 'Me', true],
    ])
    expect([went.completed_nodes, went.context['a.said']]).toEqual([['start', 'a', 'b', 'done'], 'Me'])
  })
  // proves: pipeline 12.28, pipeline 12.29, pipeline 12.30, pipeline 12.31, pipeline 12.32, pipeline s6.12b
  test('28 to 32 gates are looked at before the exit: back to their target, or the run fails', async () => {
    let tries = 0
    const twice = (): { status: string } => ({ status: ++tries < 2 ? 'fail' : 'success' })
    const gate = 'type=mine, goal_gate=true'
    const ways = 'start -> a; a -> done [condition="outcome=fail"]; a -> done [condition="outcome=success"]'
    const back = await runWith(named(`${gate}, retry_target=a`, ways), { mine: twice })
    expect([back.status, back.completed_nodes]).toEqual(['success', ['start', 'a', 'a', 'done']])
    expect((await runWith(named(gate, ways), { mine: () => ({ status: 'fail' }) })).status).toBe('fail')
  })
  // proves: pipeline 12.33, pipeline 12.34, pipeline 12.37, pipeline 2.6.8
  test.each(['retry', 'fail'])('33, 34, 37 %s is tried again as often as the node says, and its last outcome chooses', async (status) => {
    let tries = 0
    const ways = 'start -> a; a -> done [condition="outcome=success"]; a -> b [condition="outcome=fail"]; b -> done; b [type=branch]'
    const went = await runWith(named('type=mine, max_retries=2, retry_policy=none, retry_initial_delay_ms=1', ways), {
      mine: () => ({ status, failure_reason: `no ${++tries}` }),
    })
    expect([tries, went.completed_nodes.at(-2)]).toEqual([3, 'b'])
  })
  // proves: pipeline 12.38, pipeline 12.39, pipeline 12.42, pipeline 12.84, pipeline s6.2a, pipeline 2.6.7
  test('38, 39, 42, 84 start, exit and diamond do nothing; the diamond goes by what was before it', async () => {
    const ways = 'start -> a -> c; c -> good [condition="outcome=success"]; c -> bad [condition="outcome=fail"]; good -> done; bad -> done'
    const dot = named('type=mine', `${ways}; c [shape=diamond]; good [type=branch]; bad [type=branch]; a -> c [label=fail]`)
    expect((await runWith(dot, { mine: () => ({ status: 'success' }) })).completed_nodes).toContain('good')
    expect((await runWith(dot, { mine: () => ({ status: 'fail' }) })).completed_nodes).toContain('bad')
  })
  // proves: pipeline 12.40, pipeline 12.50, pipeline 12.52, pipeline 12.95, pipeline 2.6.15
  test('40, 50, 52, 95 a prompt has its goal, is asked once, and leaves its files and a checkpoint', async () => {
    const logs_root = folder()
    const asked: string[] = []
    const llm_backend: LlmBackend = ({ id }, prompt) => {
      asked.push(`${id}: ${prompt}`)
      return 'written'
    }
    await run(
      `digraph g { goal="Build it"; start -> a -> done; start [shape=Mdiamond]; done [shape=Msquare]; a [prompt="How to: $goal"] }`,
      {
        logs_root,
        llm_backend,
      },
    )
    expect(asked).toEqual([expect.stringMatching(/^a: .*How to: Build it$/s)])
    const files = filesIn(join(logs_root, 'a'))
    expect(files['prompt.md']).toMatch(/How to: Build it$/)
    expect(files['response.md']).toBe('written')
    expect(dataIn(logs_root, 'checkpoint.json')).toMatchObject({
      current_node: 'done',
      completed_nodes: ['start', 'a', 'done'],
      context_values: { last_response: 'written' },
      node_retries: {},
    })
  })
  // proves: pipeline 12.43, pipeline 3.9.2a
  test('43 a parallel node runs all of its targets', async () => {
    const ran: string[] = []
    const ways = 'start -> fan; fan -> a -> join; fan -> b -> join; fan -> c -> join; join -> done'
    const nodes = 'fan [shape=component]; join [shape=tripleoctagon]; b [type=mine]; c [type=mine]'
    await runWith(named('type=mine', `${ways}; ${nodes}`), { mine: ({ id }) => void ran.push(id) })
    expect(ran.sort()).toEqual(['a', 'b', 'c'])
  })
  // proves: pipeline 12.98
  test('77, 98 twelve nodes in a row', async () => {
    const ids = Array.from({ length: 12 }, (_, i) => `n${i}`)
    const dot = `digraph g { node [type=branch]; start [shape=Mdiamond]; done [shape=Msquare]; start -> ${ids.join(' -> ')} -> done }`
    expect((await runWith(dot)).completed_nodes).toEqual(['start', ...ids, 'done'])
  })
})

describe('people', () => {
  const gate = named(
    'shape=hexagon, label="Which?"',
    'start -> a; a -> b [label="[B] Back"]; a -> done [label="Done"]; b [type=branch]; b -> done',
  )
  const choosing = async (interviewer: Interviewer) => (await runWith(gate, {}, { interviewer })).context['human.gate.label']
  // proves: pipeline 12.41, pipeline 12.53, pipeline 12.88, pipeline s6.5a, pipeline s8.3a, pipeline 7.3a
  test('41, 53, 88 the labels of the edges are the choices, and the chosen one is the way', async () => {
    const options: unknown[] = []
    const interviewer: Interviewer = {
      ask: (question) => {
        options.push(question.text, ...question.options.map(({ key, label, to }) => [key, label, to]))
        return { value: 'D' }
      },
    }
    const went = await runWith(gate, {}, { interviewer })
    expect(options).toEqual(['Which?', ['B', 'Back', 'b'], ['D', 'Done', 'done']])
    expect([went.completed_nodes.includes('b'), went.context['preferred_label']]).toEqual([false, 'Done'])
  })
  // proves: pipeline 12.55, pipeline 12.57, pipeline 12.58
  test('55 to 58 the first by default, at a console, by a function, from a queue', async () => {
    expect(await choosing(new AutoApproveInterviewer())).toBe('Back')
    expect(await choosing(new CallbackInterviewer(() => 'd'))).toBe('Done')
    expect(await choosing(new QueueInterviewer({ answers: ['Done'] }))).toBe('Done')
    expect(typeof new ConsoleInterviewer().ask).toBe('function')
  })
  // proves: pipeline 12.54, pipeline 7.1a
  test('54 questions of four types, of which a confirmation is one of yes and no', async () => {
    const types: string[] = []
    const ask = (attributes: string, ways: string) =>
      runWith(
        named(`shape=hexagon, ${attributes}`, ways),
        {},
        { interviewer: new CallbackInterviewer(({ type }) => void types.push(type)) },
      )
    const two = 'start -> a; a -> done [label=Yes]; a -> b [label=No]; b [type=branch]; b -> done'
    for (const type of ['multiple_choice', 'yes_no', 'freeform', 'confirmation']) await ask(`question_type=${type}`, two)
    expect(types).toEqual(['multiple_choice', 'yes_no', 'freeform', 'yes_no'])
  })
})

describe('conditions', () => {
  const context: Readonly<Record<string, string | number>> = { k: 'v', n: 3 }
  const scope = { outcome: 'success', preferredLabel: 'Ship', get: (key: string) => context[key] }
  // proves: pipeline 12.59, pipeline 12.60, pipeline 12.61, pipeline 12.62, pipeline 12.63, pipeline 12.64, pipeline s13.1a
  // proves: pipeline s13.2a, pipeline s13.3a
  test.each([
    ['59 =', 'context.k=v', true],
    ['60 !=', 'context.k!=v', false],
    ['61 &&', 'context.k=v && outcome=fail', false],
    ['62 outcome', 'outcome=success', true],
    ['63 preferred_label', 'preferred_label=Ship', true],
    ['64 a key that is not there is empty', 'context.none!=x && context.none=""', true],
  ])('%s', (_, text, expected) => {
    const { condition } = parseCondition(text)
    expect(condition !== undefined && evaluateCondition(condition, scope)).toBe(expected)
  })
  // proves: pipeline 12.65
  test('65 an empty one is none, and its edge is open', async () => {
    expect(parseCondition(' ')).toEqual({ problems: [] })
    expect((await runWith(named('type=branch', 'start -> a; a -> done [condition=""]'))).completed_nodes).toEqual(['start', 'a', 'done'])
  })
})

// proves: pipeline 12.72, pipeline 12.73, pipeline 12.75
test('72, 73, 75 transforms of a host change the graph before it is checked, one after another', async () => {
  const add = (name: string): { name: string; transform: (graph: DotGraph) => DotGraph } => ({
    name,
    transform: (graph) => ({
      ...graph,
      attributes: new Map([
        ...graph.attributes,
        ['label', { value: `${textOf(graph.attributes, 'label') ?? ''}${name}`, provenance: 'own' }],
      ]),
    }),
  })
  let label: string | undefined
  await runWith(
    named('type=mine'),
    { mine: (_, __, graph) => void (label = textOf(graph.attributes, 'label')) },
    { transforms: [add('x'), add('y')] },
  )
  expect(label).toBe('xy')
})
