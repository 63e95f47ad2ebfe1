import { describe, expect, test } from 'vitest'
import { specFlow } from '../../../src/agents/spec-flow.ts'
import { readWorkflow } from '../../../src/kinds/workflow/file/read-workflow.ts'
import type { Edge, Guard, Node, Workflow } from '../../../src/kinds/workflow/types/index.ts'
import { verifyWorkflow } from '../../../src/kinds/workflow/check/verify.ts'

const BOARD: NonNullable<Workflow['board']> = {
  ticket: {
    type: 'object',
    properties: { text: { type: 'string' }, age: { type: ['integer', 'null'] }, tags: { type: 'array', items: { type: 'string' } } },
  },
  closed: { type: 'object', properties: { number: { type: 'string' } }, additionalProperties: false },
  loose: { type: 'object', properties: { number: { type: 'string' } }, additionalProperties: { type: 'string' } },
  either: { anyOf: [{ type: 'object', properties: { number: { type: 'string' } } }, { type: 'null' }] },
  urgency: { enum: ['low', 'high'] },
  code: { type: 'string', pattern: '^[A-Z]+$' },
  count: { type: 'integer' },
  total: { type: 'number' },
  name: { type: 'string' },
  mixed: { type: ['string', 'number'] },
}
const NEW = ['R1064', 'R1068', 'R1069', 'R1070', 'R1071']

const NODES = { n: { id: 'n', spec: {} }, end: { id: 'end', spec: {} } }

const edge = (i: number, guard?: Guard): Edge => ({
  id: `e${i}`,
  from: 'n',
  to: 'end',
  event: `E${i}`,
  ...(guard === undefined ? {} : { guard }),
})

interface Told {
  readonly code: string
  readonly path: string | undefined
  readonly fix: string | undefined
}

/** What is said of the board of a node with a spec, and of guards that leave it. */
function told(node: Partial<Node>, guards: readonly Guard[] = [], others: readonly Workflow[] = []): Told[] {
  const edges = [...guards, undefined].map((guard, i) => edge(i, guard))
  const nodes = { ...NODES, n: { ...NODES.n, ...node } }
  const workflow: Workflow = { id: 'w', entry: 'n', nodes, edges, board: BOARD }
  const { warnings } = verifyWorkflow(
    workflow,
    (id) => others.find((other) => other.id === id),
    (...of) => specFlow({}, () => false, ...of),
  )
  return warnings.flatMap(({ finding }) => (finding !== undefined && NEW.includes(finding.code) ? [finding] : []))
}

const said = (...given: Parameters<typeof told>): string[] => told(...given).map(({ code, path, fix }) => `${code} ${path} ${fix}`)
const cel = (expr: string): Guard => ({ type: 'cel', expr })

describe('a key that the board does not declare and that is similar to a declared one', () => {
  test.each<[string, Partial<Node>, string]>([
    ['what a person answers', { spec: { ask: 'Which?', writes: 'urgncy' } }, 'R1068 nodes.n.spec.writes write "urgency"'],
    ['what a tool gives', { spec: { tool: 'x', writes: { urgncy: 'a.b' } } }, 'R1068 nodes.n.spec.writes.urgncy write "urgency"'],
    ['what rules write', { spec: { rules: [{ writes: { urgncy: 'low' } }] } }, 'R1068 nodes.n.spec.rules[0].writes.urgncy write "urgency"'],
    ['an output', { outputs: [{ key: 'urgncy', guaranteed: true }] }, 'R1068 nodes.n.outputs[0].key write "urgency"'],
    ['what is returned', calls('nobody', 'urgncy'), 'R1068 nodes.n.invokes.returnMap[0].parentKey write "urgency"'],
    ['a template', { spec: { prompt: '{{urgncy}}', writes: 'name' } }, 'R1064 nodes.n.spec.prompt write "urgency"'],
    ['a value', { spec: { writes: { name: { from: 'tiket.text' } } } }, 'R1064 nodes.n.spec.writes.name.from write "ticket"'],
  ])('%s', (_, node, finding) => {
    expect(said(node)).toEqual([finding])
  })

  test('is compared with the board of the child if it is passed down', () => {
    const board = { subject: { type: 'string' } }
    const child: Workflow = { id: 'child', entry: 'a', nodes: { a: { id: 'a', spec: {} } }, edges: [], board }
    const node = { ...calls('child', 'name', [{ from: 'name', to: 'subjct' }]), outputs: [] }
    expect(said(node, [], [child])).toEqual(['R1068 nodes.n.invokes.inputMap[0].to write "subject"'])
    const reads = { ...child, nodes: { a: { id: 'a', spec: { template: { text: '{{subjct}}' } } } } }
    expect(told(node, [], [reads]).filter(({ code }) => code === 'R1068')).toEqual([])
  })

  test('is correct if it is read, or if it is similar to no declared key', () => {
    expect(said({ spec: { writes: { urgncy: 1 } } }, [{ type: 'exists', key: 'urgncy' }])).toEqual([])
    expect(said({ spec: { writes: { other: 1 } } })).toEqual([])
  })
})

describe('a path into a value', () => {
  test.each<[string, string]>([
    ['ticket.txt', 'write "text"'],
    ['closed.nubmer', 'write "number"'],
    ['either.nubmer', 'write "number"'],
    ['name.length', 'read "name" itself'],
    ['ticket.tags.first', 'read "ticket.tags" itself'],
    ['ticket.tags.0.text', 'read "ticket.tags.0" itself'],
  ])('%s leads nowhere', (path, fix) => {
    expect(said({ spec: { template: { name: `It is {{${path}}}` } } })).toEqual([`R1069 nodes.n.spec.template.name ${fix}`])
  })

  test.each(['ticket.text', 'ticket.tags.0', 'ticket.tags.length', 'either.number', 'loose.any', 'mixed', 'input.any'])(
    '%s leads there',
    (path) => {
      expect(said({ spec: { template: { name: `It is {{${path}}}` } } })).toEqual([])
    },
  )
})

test('may be missing in the schema if the read is optional', () => {
  expect(said({}, [cel('has(ticket.extra)'), cel('has(ticket.tex)')])).toEqual(['R1069 edges[1].guard.expr write "text"'])
  expect(said({ spec: { writes: { name: { from: 'ticket.extra', else: 'none' } } } })).toEqual([])
  expect(said({ spec: { template: { name: '{{#people}}{{name.first}} {{urgncy}}{{/people}}{{^people}}{{urgncy}}{{/people}}' } } })).toEqual(
    ['R1064 nodes.n.spec.template.name write "urgency"'],
  )
})

describe('a value that its key can never have', () => {
  test.each<[string, Partial<Node>, string]>([
    ['written', { spec: { writes: { urgency: 'hgh' } } }, 'nodes.n.spec.writes.urgency write "high"'],
    ['answered', { spec: { ask: '?', options: ['low', 'hihg'], writes: 'urgency' } }, 'nodes.n.spec.options[1] write "high"'],
    [
      'asked by a rule',
      { spec: { rules: [{ when: { type: 'equals', key: 'urgency', value: 'lwo' } }] } },
      'nodes.n.spec.rules[0].when.value write "low"',
    ],
    [
      'of another type',
      { spec: { writes: { count: '3' } } },
      'nodes.n.spec.writes.count write a value that the schema of the key allows, or add this value to the schema',
    ],
    [
      'of another form',
      { spec: { writes: { code: 'abc' } } },
      'nodes.n.spec.writes.code write a value that the schema of the key allows, or add this value to the schema',
    ],
  ])('%s', (_, node, finding) => {
    expect(said(node)).toEqual([`R1070 ${finding}`])
  })

  test('is reported at a guard, unless its edge is already reported', () => {
    expect(said({}, [{ type: 'not-equals', key: 'urgency', value: 'lwo' }])).toEqual(['R1070 edges[0].guard.value write "low"'])
    expect(said({}, [{ type: 'equals', key: 'urgency', value: 'lwo' }])).toEqual([])
  })

  test('excludes values that fit, are computed, or belong to a key without a schema', () => {
    expect(said({ spec: { writes: { urgency: 'low', count: 3, code: '{{name}}', other: 'x', name: { from: 'count' } } } })).toEqual([])
  })
})

describe('a part of an expression that always fails', () => {
  test.each<[string, string]>([
    ['name == "x" && count <= "3"', 'count <= "3"'],
    ['total < name', 'total < name'],
    ['urgency == "low" ? size(total) > 3 : true', 'size(total)'],
  ])('%s', (expr, part) => {
    const text = JSON.stringify({ id: 'w', entry: 'n', nodes: NODES, edges: [edge(0, cel(expr)), edge(1)], board: BOARD })
    const findings = readWorkflow(text).findings.filter(({ code }) => NEW.includes(code))
    expect(findings.map(({ code, column, length }) => [code, text.slice((column ?? 0) - 1).slice(0, length)])).toEqual([
      ['R1071', JSON.stringify(part).slice(1, -1)],
    ])
  })

  test.each([
    'count < total',
    'mixed < 3',
    'mixed < name',
    'ticket.age > 3',
    'has(board.count) && count > 3',
    'other < 3 && other < "a"',
    'ticket.tags.exists(tag, tag < "b")',
  ])('%s can be right', (expr) => {
    expect(said({}, [cel(expr)])).toEqual([])
  })
})

function calls(workflowId: string, parentKey: string, inputMap: { from: string; to: string }[] = []): Partial<Node> {
  return { invokes: { workflowId, returnMap: [{ parentKey, childKey: 'name' }], inputMap } }
}
