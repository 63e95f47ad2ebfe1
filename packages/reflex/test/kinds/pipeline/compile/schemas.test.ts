import { describe, expect, test } from 'vitest'
import { BUILT_IN_OPERATIONS } from '../../../../src/kinds/pipeline/operations/built-in.ts'
import { compileGraph } from '../../../../src/kinds/pipeline/face/read-pipeline.ts'
import { inputsOf, outputsOf, requiredOf } from '../../../../src/kinds/pipeline/model/operation-facts.ts'
import { parse } from '../../../../src/kinds/pipeline/dot/parse.ts'
import { run, validate } from '../../../../src/kinds/pipeline/index.ts'
import { compiled, found, nodeOf } from './compiled.ts'

const ofNode = (attributes: string): string[] => found(compiled(`n [${attributes}]; start -> n -> done`))

describe('unknown attributes', () => {
  test('are told with what was meant, at their key', () => {
    const text = 'digraph g {\n  a [prompt="x", max_retrys=2]\n}'
    const [finding] = compileGraph(parse(text), { source: { text, file: 'a.dot' } }).findings
    expect(finding).toMatchObject({
      code: 'R1106',
      rule: 'unknown_attribute',
      severity: 'warning',
      file: 'a.dot',
      line: 2,
      column: 18,
      length: 10,
      path: 'a.max_retrys',
      fix: 'write "max_retries"',
    })
    expect(finding?.frame).toContain('^^^^^^^^^^ did you mean "max_retries"?')
  })

  test('have a path where there is no source', () => {
    expect(compiled('a [promt="x"]; start -> a [wieght=2]').findings.map(({ path }) => path)).toEqual(['a.promt', 'start -> a.wieght'])
  })

  test('are those of another place too', () => {
    const [finding] = compiled('start -> done [max_retries=2]').findings
    expect(finding?.fix).toBe('it belongs to nodes')
  })

  test('are not those of Graphviz, parameters, values of the start and those of custom handlers', () => {
    expect(ofNode('prompt=x, color=red, fontname="x", penwidth=2, URL="x"')).toEqual([])
    expect(ofNode('type="exec", target="action", action="x", param.path="a", arg.deep.key=1')).toEqual([])
    expect(ofNode('prompt=x, "context.a"=1, init.b=2')).toEqual([])
    expect(found(compiled('n [type="mine", whatever=1]', { custom: new Map([['mine', {}]]) }))).toEqual([])
    expect(found(compiled('rankdir=LR; start -> done [style=dashed]'))).toEqual([])
  })

  test('are those that only nodes of other types read, with these types', () => {
    expect(ofNode('prompt=x, tool_command="y"')).toEqual([
      'unknown_attribute: "n" is of type "codergen", which does not read "tool_command"',
    ])
    const [finding] = compiled('n [type="prompt.ab_test", variant_a=x, variant_b=y, attachments="a.png"]; start -> n -> done').findings
    expect(finding).toMatchObject({ code: 'R1106', path: 'n.attachments', fix: 'remove it, or write it at a node of type codergen' })
    expect(ofNode('type=mine, tool_command="y"')).not.toContain(expect.stringContaining('does not read'))
  })

  test('are not defaults, which are written for nodes of every type', () => {
    expect(found(compiled('node [tool_command="y"]; n [prompt=x]; start -> n -> done'))).toEqual([])
  })

  test('of the graph are values, unless they look like a slip and nothing uses them', () => {
    expect(found(compiled('topic="x"; n [prompt="about $topic"]'))).toEqual([])
    expect(found(compiled('gaol="x"'))).toEqual(['unknown_attribute: the graph has no attribute "gaol"'])
    expect(found(compiled('gaol="x"; n [prompt="lead to $gaol"]'))).toEqual([])
    expect(found(compiled('gaol="x"; n [prompt=x]; start -> n [condition="context.graph.gaol=x"]'))).toEqual([])
  })

  test('can be called anything', () => {
    for (const name of ['__proto__', 'constructor', 'hasOwnProperty']) {
      expect(ofNode(`prompt=x, ${name}=1`)).toEqual([`unknown_attribute: nodes have no attribute "${name}"`])
    }
  })
})

describe('types', () => {
  // proves: pipeline 11.3h, pipeline 11.3z, pipeline G8, pipeline 1.5a
  test.each([
    ['prompt=x, max_retries="2"', []],
    ['prompt=x, max_retries=2.5', ['typed_schema: max_retries of "n" is "2.5", which is not a whole number']],
    ['prompt=x, temperature="warm"', ['typed_schema: temperature of "n" is "warm", which is not a number']],
    ['prompt=x, goal_gate=yes', ['typed_schema: goal_gate of "n" is "yes", which is neither true nor false']],
    ['prompt=x, goal_gate="TRUE", auto_status=1, allow_partial', []],
    ['prompt=x, timeout="5 minutes"', ['duration_syntax: timeout of "n" is "5 minutes", which is not a duration']],
    ['prompt=x, timeout="300s"', []],
    ['prompt=x, timeout=""', []],
    ['type="routing.select", candidates="[["', ['typed_schema: candidates of "n" is "[[", which is not JSON']],
    [
      'prompt=x, capabilities="arbor://a/b, arbor://a/*"',
      [
        'typed_schema: capabilities of "n" is "arbor://a/b, arbor://a/*", which has an entry that is not a capability: * is only for grants and denials: *',
      ],
    ],
  ])('%s', (attributes, findings) => expect(ofNode(attributes)).toEqual(findings))

  test.each(['max_retries=2.5', 'temperature="warm"', 'goal_gate=yes', 'timeout="5 minutes"'])(
    '%s of a node, which fails when it is executed, is an error',
    async (attribute) => {
      const dot = `digraph g { start -> n -> end; n [prompt=x, simulate=true, ${attribute}] }`
      expect(validate(dot)).toContainEqual(expect.objectContaining({ severity: 'error', path: `n.${attribute.split('=')[0]}` }))
      await expect(run(dot, { logs_root: false })).rejects.toMatchObject({ code: 'R1142' })
    },
  )

  test('of the graph, it is a warning', () => {
    expect(
      validate('digraph g { max_steps="many"; start -> n -> end; n [prompt=x, simulate=true] }').map(({ severity }) => severity),
    ).not.toContain('error')
  })

  test('of a few words, the one that was meant', () => {
    const [finding] = compiled('n [shape=component, join_policy="first_sucess"]').findings
    expect(finding).toMatchObject({ code: 'R1107', rule: 'typed_schema', fix: 'write "first_success"', path: 'n.join_policy' })
  })

  // proves: pipeline 11.3z
  test('of edges and the graph', () => {
    expect(found(compiled('start -> done [weight="heavy"]'))).toEqual([
      'weight_numeric: the weight of "start -> done" is "heavy", which is not a number, and counts as 0',
    ])
    expect(found(compiled('max_steps="many"'))).toEqual(['typed_schema: max_steps of the graph is "many", which is not a whole number'])
    expect(compiled('start -> done [weight="2.5"]').outgoing.get('start')?.[0]?.weight).toBe(2.5)
  })
})

describe('required attributes', () => {
  // proves: pipeline 11.1a, pipeline 11.3h
  test.each([
    ['type="tool"', 'tool_command'],
    ['type="shell"', 'command'],
    ['type="exec", target="action"', 'action'],
    ['type="file.write", output="x"', 'content_key'],
    ['type="file.write", content_key="x"', 'output or path'],
    ['type="routing.select"', 'candidates'],
    ['type="eval.dataset"', 'dataset'],
    ['type="eval.run"', 'graders'],
    ['type="eval.persist"', 'domain'],
    ['type="prompt.ab_test", variant_a=x', 'variant_b'],
    ['type="drift_detect"', 'baseline_path'],
    ['type="accumulator", operation=sum', 'input_key'],
    ['type="map", item_type=shell', 'items_key or source_key'],
    ['type="map", source_key=x', 'item_type or handler_type'],
    ['type="memory.recall_store"', 'memory_store'],
    ['type="memory.store_file"', 'memory_store'],
    ['type="adapt"', 'mutations or mutations_key'],
    ['type="transform", transform=json_extract', 'expression'],
    ['type="transform", transform=template', 'expression'],
    ['type="transform", transform=filter', 'expression'],
  ])('%s needs %s', (attributes, needed) => {
    const typed = compiled(`n [${attributes}]`)
    expect(typed.findings.map(({ rule, severity, message }) => [rule, severity, message.split(' needs ')[1]])).toEqual([
      ['typed_schema', 'warning', needed],
    ])
    expect(typed.nodes.get('n')?.schemaErrors).toEqual(typed.findings.map(({ message }) => message))
  })

  test('are not asked of what does without, nor of plain pipelines', () => {
    for (const attributes of ['type="transform"', 'type="read"', 'type="gate"', 'prompt=x', 'label=x', 'shape=component', 'type=wait']) {
      expect(nodeOf(attributes).schemaErrors, attributes).toEqual([])
    }
  })
})

test('a word that chooses nothing is told, with what was meant', () => {
  const [finding] = compiled('n [type="exec", target="shel"]').findings
  expect(finding).toMatchObject({ rule: 'typed_schema', path: 'n.target', fix: 'write "shell"' })
  expect(ofNode('type="compose", mode="session", op="classfy"')).toEqual([
    'typed_schema: mode "session" of "n" needs an op that it knows, not "classfy"',
  ])
})

// proves: pipeline 11.3d, pipeline 2.6.26, pipeline s10.2h
test('conditions are read, and what is wrong in them is told at its place', () => {
  const text =
    'digraph g {\n  a -> b [condition="outcome=success or x=1"]\n  a -> c [condition="context.n > 3"]\n  a -> d [condition=" "]\n}'
  const typed = compileGraph(parse(text), { source: { text } })
  expect(
    typed.findings.filter(({ rule }) => rule?.startsWith('condition')).map(({ code, severity, line }) => [code, severity, line]),
  ).toEqual([
    ['R1108', 'error', 2],
    ['R1109', 'info', 3],
  ])
  const [first, second, third] = typed.outgoing.get('a') ?? []
  expect(first?.condition).toMatchObject({ unreadable: true })
  expect(second?.condition?.clauses).toHaveLength(1)
  expect(third).not.toHaveProperty('condition')
})

test('a hundred of one kind are told, the others counted', () => {
  const typed = compiled(Array.from({ length: 250 }, (_, i) => `n${i} [prompt=x, promt=y]`).join(';'))
  expect(typed.findings).toHaveLength(100)
  expect(typed.findings[99]?.message).toContain('150 more like it are not listed')
})

describe('the table of attributes', () => {
  const table = BUILT_IN_OPERATIONS.rows

  test('says of each what it does, in a line', () => {
    for (const { name, does } of table) expect(does, name).toMatch(/^\S.{3,150}\.$/)
  })

  test('has each name once for each operation', () => {
    const seen = new Set<string>()
    for (const { name, aliases, on, operations = ['*'] } of table) {
      for (const spelling of [name, ...aliases]) {
        for (const operation of operations) {
          const key = `${on} ${spelling} ${operation}`
          expect(seen.has(key), key).toBe(false)
          seen.add(key)
        }
      }
    }
  })

  test('knows every attribute that an operation reads, writes by or needs', () => {
    const known = new Set(table.filter(({ on }) => on === 'node').flatMap(({ name, aliases }) => [name, ...aliases]))
    for (const name of BUILT_IN_OPERATIONS.types.names()) {
      const { facts, node } = nodeOf(`type="${name}"`)
      const required = requiredOf(facts, node.attributes)
      const used = [...inputsOf(facts, node.attributes), ...outputsOf(facts, node.attributes)].flatMap(({ attribute = '' }) =>
        attribute === '' ? [] : [attribute],
      )
      for (const attribute of [...used, ...required.flatMap((group) => group.split('|'))])
        expect(known.has(attribute), `${name}: ${attribute}`).toBe(true)
    }
  })

  // proves: pipeline sA.1, pipeline sA.2, pipeline sA.3
  test('knows appendix A of the seed', () => {
    const named = (on: string): string[] => table.filter((row) => row.on === on).flatMap(({ name, aliases }) => [name, ...aliases])
    expect(named('graph')).toEqual(expect.arrayContaining(GRAPH.split(' ')))
    expect(named('node')).toEqual(expect.arrayContaining(NODE.split(' ')))
    expect(named('edge')).toEqual(['label', 'condition', 'weight', 'fidelity', 'thread_id', 'loop_restart'])
  })
})

const GRAPH =
  'goal label model_stylesheet default_max_retry retry_target fallback_retry_target default_fidelity mandatory_middleware pre_hook post_hook'
const NODE = `label shape type prompt system_prompt max_retries goal_gate retry_target fallback_retry_target fidelity thread_id class timeout llm_model llm_provider temperature auto_status allow_partial fan_out simulate trust_tier skip_middleware content_hash pre_hook post_hook items_key item_type max_concurrency mutations mutations_key max_mutations dry_run target sandbox`
