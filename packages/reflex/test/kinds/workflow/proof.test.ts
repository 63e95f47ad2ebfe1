import { describe, expect, test } from 'vitest'
import type { Edge, Guard, Node, VerificationResult, Workflow } from '../../../src/kinds/workflow/types/index.ts'
import { type Effects, verifyWorkflow } from '../../../src/kinds/workflow/check/verify.ts'
import { chain, workflowOf } from './fixtures.ts'

type Arrow = readonly [from: string, to: string, guard?: Guard]

/** A workflow of guarded edges, named `e0`, `e1` and so on; nodes that are not described write nothing. */
function flow(
  id: string,
  arrows: readonly Arrow[],
  nodes: Readonly<Record<string, Partial<Node>>> = {},
  board: Workflow['board'] = {},
): Workflow {
  const names = [...new Set([...arrows.flatMap(([from, to]) => [from, to]), ...Object.keys(nodes)])]
  const edges = arrows.map(
    ([from, to, guard], i): Edge => ({ id: `e${i}`, from, to, event: `E${i}`, ...(guard === undefined ? {} : { guard }) }),
  )
  return { ...workflowOf(id, names, [], { [names[0] ?? '']: { outputs: [] }, ...nodes }), edges, board }
}

const writes = (...keys: string[]): Partial<Node> => ({
  outputs: keys.map((key) => ({ key, guaranteed: !key.endsWith('?') })).map((one) => ({ ...one, key: one.key.replace('?', '') })),
})
const needs = (...keys: string[]): Partial<Node> => ({ inputs: keys.map((key) => ({ key, required: true })) })
const inherits = (...keys: string[]): Partial<Node> => ({ inputs: keys.map((key) => ({ key, required: true, inherited: true })) })
const calls = (workflowId: string, returns: Record<string, string> = {}, given: Record<string, string> = {}): Partial<Node> => ({
  outputs: [],
  invokes: {
    workflowId,
    returnMap: Object.entries(returns).map(([parentKey, childKey]) => ({ parentKey, childKey })),
    inputMap: Object.entries(given).map(([to, from]) => ({ from, to })),
  },
})
const equals = (key: string, value: unknown): Guard => ({ type: 'equals', key, value })
const differs = (key: string, value: unknown): Guard => ({ type: 'not-equals', key, value })
const there = (key: string): Guard => ({ type: 'exists', key })
const cel = (expr: string): Guard => ({ type: 'cel', expr })

function verify(workflow: Workflow, others: readonly Workflow[] = [], effects?: Effects): VerificationResult {
  return verifyWorkflow(workflow, (id) => others.find((other) => other.id === id), effects)
}

const told = (...given: Parameters<typeof verify>): string[] =>
  verify(...given).warnings.map(({ code, nodeId, key, finding }) =>
    `${code} ${nodeId} ${code === 'DEAD_EDGE' ? (finding?.path ?? '') : key}`.trim(),
  )

describe('a node', () => {
  test('that no edge reaches, or only edges that are never open, is reported once', () => {
    const state = { state: { enum: ['paid', 'lost'] } }
    const workflow = flow(
      'w',
      [
        ['a', 'b'],
        ['a', 'x', equals('state', 'none')],
        ['x', 'behind'],
        ['alone', 'behind'],
      ],
      {},
      state,
    )
    expect(told(workflow)).toEqual(['UNREACHABLE_NODE alone', 'UNREACHABLE_NODE x', 'VALUE_REFUSED a state'])
  })

  // proves: workflow 6.3b
  test('may have no open edge in some state, which is shown', () => {
    const arrows: Arrow[] = [
      ['a', 'b'],
      ['b', 'c', equals('state', 'paid')],
      ['b', 'd', there('total')],
    ]
    const board = { state: { enum: ['paid', 'lost'] } }
    const [warning] = verify(flow('w', arrows, { a: writes('state') }, board)).warnings
    expect(warning).toMatchObject({
      code: 'NO_VALID_EDGE',
      nodeId: 'b',
      message: 'node "b" has no open edge when "state" is "lost" and "total" is absent',
      finding: { code: 'R1061', path: 'nodes.b', data: { state: { state: { value: 'lost' }, total: { absent: true } } } },
    })
    expect(told(flow('w', [...arrows, ['b', 'd', equals('state', 'lost')]], { a: writes('state') }, board))).toEqual([])
  })

  test('that cannot be decided is neither correct nor a finding', () => {
    const custom: Guard = { type: 'custom', name: 'isVip', evaluate: () => true }
    const workflow = flow('w', [
      ['a', 'b', custom],
      ['a', 'c', equals('state', 'paid')],
    ])
    expect(verify(workflow)).toEqual({ workflowId: 'w', valid: true, warnings: [], unknown: [{ nodeId: 'a', why: 'a function decides' }] })
    expect(
      verify(
        flow('w', [
          ['a', 'b', custom],
          ['a', 'c', there('k')],
          ['a', 'c', { type: 'not-exists', key: 'k' }],
        ]),
      ).unknown,
    ).toBeUndefined()
  })
})

describe('guards', () => {
  const level = { level: { type: 'integer', minimum: 1, maximum: 3 }, urgent: { type: 'boolean' } }

  test('with expressions are tried over small domains', () => {
    const start: Arrow = ['a', 'b']
    const ask = (...exprs: string[]): string[] =>
      told(flow('w', [start, ...exprs.map((expr): Arrow => ['b', 'c', cel(expr)])], { a: writes('level', 'urgent') }, level))
    expect(ask('level > 1', 'level <= 1')).toEqual([])
    expect(ask('level > 1', 'level == 0')).toEqual(['DEAD_EDGE b edges[2].guard.expr', 'NO_VALID_EDGE b level'])
    expect(ask('urgent || level == 3', '!urgent && level < 3')).toEqual([])
    expect(ask('urgent && level == 3', '!urgent && level < 3')).toEqual(['NO_VALID_EDGE b urgent'])
  })

  test('with expressions fail if a key is missing, even if other edges are open', () => {
    const arrows: Arrow[] = [
      ['a', 'b'],
      ['b', 'c', cel('level > 1')],
      ['b', 'c'],
    ]
    expect(told(flow('w', arrows, { a: writes('level?'), b: needs() }, level))).toEqual(['NO_VALID_EDGE b level'])
    expect(told(flow('w', arrows, { a: writes('level') }, level))).toEqual([])
    expect(
      told(
        flow(
          'w',
          [
            ['a', 'b'],
            ['b', 'c', cel('total > 1')],
            ['b', 'c'],
          ],
          { a: writes('total?') },
        ),
      ),
    ).toEqual(['READ_BEFORE_WRITE b total'])
    expect(
      told(
        flow(
          'w',
          [
            ['a', 'b'],
            ['b', 'c', cel('has(board.total) && total > 1')],
            ['b', 'c'],
          ],
          { a: writes('total?') },
        ),
      ),
    ).toEqual([])
  })

  test('read the board before the decision: a node cannot open its own edge', () => {
    const effects: Effects = (_, { id }) => ({
      reads: [],
      writes: id === 'a' ? [{ key: 'name', isCertain: true }] : [],
      cases: [{ when: [], reads: [], writes: [] }],
    })
    const workflow = flow(
      'w',
      [
        ['a', 'b', there('name')],
        ['a', 'c', { type: 'not-exists', key: 'name' }],
      ],
      { b: needs('name') },
    )
    expect(told(workflow, [], effects)).toEqual(['UNREACHABLE_NODE b'])
    // Somebody whose spec nobody knows may write and wait before he decides (reference workflow C5).
    expect(told({ ...workflow, nodes: { ...workflow.nodes, a: { id: 'a', spec: {}, ...writes('name') } } })).toEqual([])
  })
})

describe('a key', () => {
  const fork: Arrow[] = [
    ['a', 'b'],
    ['a', 'c'],
    ['b', 'd'],
    ['c', 'd'],
  ]

  test('that some path does not write is reported, with the path', () => {
    const [warning] = verify(flow('w', fork, { b: writes('total'), d: needs('total') })).warnings
    expect(warning?.code).toBe('READ_BEFORE_WRITE')
    expect(told(flow('w', fork, { b: writes('total'), c: writes('total'), d: needs('total') }))).toEqual([])
    expect(told(flow('w', fork, { a: writes('total?'), d: needs('total') }))).toEqual(['READ_BEFORE_WRITE d total'])
    expect(told(flow('w', fork, { a: inherits('total'), b: writes('total'), d: needs('total') }))).toEqual([])
  })

  test('exists after a guard that tested it, and on a path that the same value chose', () => {
    const seen: Arrow[] = [
      ['a', 'b', there('total')],
      ['a', 'c', { type: 'not-exists', key: 'total' }],
    ]
    expect(told(flow('w', [['s', 'a'], ...seen], { s: writes('total?'), b: needs('total') }))).toEqual([])
    const again: Arrow[] = [
      ['s', 'a'],
      ['a', 'b', equals('kind', 1)],
      ['a', 'c', differs('kind', 1)],
      ['b', 'c'],
      ['c', 'd', equals('kind', 1)],
      ['c', 'e', differs('kind', 1)],
    ]
    expect(told(flow('w', again, { s: writes('kind'), b: writes('total'), d: needs('total') }))).toEqual([])
    expect(told(flow('w', again, { s: writes('kind'), b: writes('total'), e: needs('total') }))).toEqual(['READ_BEFORE_WRITE e total'])
  })

  test('is reported at its first read, and not at later ones', () => {
    expect(told(flow('w', [...fork, ['d', 'e']], { b: writes('total'), d: needs('total'), e: needs('total') }))).toEqual([
      'READ_BEFORE_WRITE d total',
    ])
  })

  test('that nothing writes is an input, unless its name is similar to a known one', () => {
    const guard = (key: string): Workflow =>
      flow(
        'w',
        [
          ['a', 'b'],
          ['b', 'c', there(key)],
          ['b', 'd'],
        ],
        { a: writes('customer') },
      )
    expect(told(guard('order'))).toEqual([])
    expect(told(guard('cusotmer'))).toEqual(['UNKNOWN_KEY b cusotmer'])
    expect(verify(guard('cusotmer')).warnings[0]?.finding).toMatchObject({
      code: 'R1064',
      fix: 'write "customer"',
      path: 'edges[1].guard.key',
    })
  })

  test('may be written by any node if nothing is declared', () => {
    const quiet: Workflow = {
      ...workflowOf('w', ['a', 'b'], []),
      edges: [
        { id: 'e', from: 'a', to: 'b', event: 'E', guard: there('cusotmer') },
        { id: 'f', from: 'a', to: 'b', event: 'F' },
      ],
    }
    expect(told(quiet)).toEqual([])
  })
})

describe('calls', () => {
  const child = (nodes: Readonly<Record<string, Partial<Node>>>, arrows: readonly Arrow[] = [['x', 'y']]): Workflow =>
    flow('child', arrows, nodes)

  test('return values that the child may write, and show the path on which it does not', () => {
    const sometimes = child({ y: writes('k') }, [
      ['x', 'y'],
      ['x', 'z'],
    ])
    const caller = flow(
      'w',
      [
        ['a', 'call'],
        ['call', 'use'],
      ],
      { call: calls('child', { total: 'k' }), use: needs('total') },
    )
    expect(told(caller, [child({ y: writes('k') })])).toEqual([])
    expect(told(caller, [sometimes])).toEqual(['READ_BEFORE_WRITE use total'])
  })

  test('let the child read the keys of the caller, which may be missing on some path', () => {
    const reader = child({ x: inherits('order') })
    expect(told(flow('w', [['a', 'call']], { a: writes('order'), call: calls('child') }), [reader])).toEqual([])
    expect(told(flow('w', [['a', 'call']], { a: writes('order?'), call: calls('child') }), [reader])).toEqual([
      'READ_BEFORE_WRITE call order',
    ])
    expect(told(flow('w', [['a', 'call']], { call: calls('child') }), [reader])).toEqual([])
  })

  test('must provide the keys that the child declares as its own and does not write', () => {
    const strict = child({ x: needs('order') })
    const caller = (given: Record<string, string>): Workflow =>
      flow('w', [['a', 'call']], { a: writes('ticket'), call: calls('child', {}, given) })
    expect(told(caller({}), [strict])).toEqual(['MISSING_CALL_INPUT call order'])
    expect(told(caller({ order: 'ticket' }), [strict])).toEqual([])
  })

  test('depend on the edges that the child chooses by values of its caller', () => {
    const chooses = child({ y: writes('k') }, [
      ['x', 'y', equals('kind', 1)],
      ['x', 'z', differs('kind', 1)],
    ])
    const after = (value: number): Workflow =>
      flow(
        'w',
        [
          ['a', 'call'],
          ['call', 'use', equals('kind', value)],
          ['call', 'end', differs('kind', value)],
        ],
        { a: writes('kind'), call: calls('child', { total: 'k' }), use: needs('total') },
      )
    expect(told(after(1), [chooses])).toEqual([])
    expect(told(after(2), [chooses])).toEqual(['READ_BEFORE_WRITE use total'])
  })

  test('name keys that the child never writes, also through nested calls', () => {
    const inner = flow('inner', [['p', 'q']], { q: writes('deep') })
    const middle = (key: string): Workflow => flow('middle', [['m', 'n']], { m: calls('inner', { got: key }) })
    const caller = flow('w', [['a', 'call']], { call: calls('middle', { total: 'got' }) })
    expect(told(caller, [middle('deep'), inner])).toEqual([])
    expect(told(caller, [middle('deeep'), inner])).toEqual(['RETURNMAP_KEY_NOT_IN_CHILD_OUTPUTS call got'])
  })

  test('pass values that can fit', () => {
    const typed = { ...child({ y: writes('k') }), board: { k: { type: 'string' }, order: { type: 'object' } } }
    const caller = (total: string): Workflow =>
      flow(
        'w',
        [['a', 'call']],
        { a: writes('order'), call: calls('child', { total: 'k' }) },
        { total: { type: total }, order: { type: 'number' } },
      )
    expect(told(caller('string'), [typed])).toEqual(['CONTRACT_MISMATCH call order'])
    expect(told(caller('number'), [typed])).toEqual(['CONTRACT_MISMATCH call total', 'CONTRACT_MISMATCH call order'])
  })
})

describe('recursion', () => {
  const again = (more: readonly Arrow[], nodes: Readonly<Record<string, Partial<Node>>> = {}): Workflow =>
    flow('w', [['a', 'again'], ...more], { ...nodes, again: calls('w') })

  test('must have an end, which a guard may choose', () => {
    expect(told(again([]))).toEqual(['ENDLESS_RECURSION again'])
    expect(verify(again([])).warnings[0]?.finding?.severity).toBe('error')
    expect(told(again([['a', 'end']]))).toEqual([])
  })

  test('must have an end that can be reached', () => {
    const out: Arrow[] = [
      ['s', 'a'],
      ['a', 'again', equals('more', true)],
      ['a', 'end', differs('more', true)],
    ]
    const looping = (board: Workflow['board']): Workflow => flow('w', out, { s: writes('more'), again: calls('w') }, board)
    expect(told(looping({ more: { type: 'boolean' } }))).toEqual([])
    expect(told(looping({ more: { const: true } }))).toContain('ENDLESS_RECURSION again')
  })

  test('may go through other workflows', () => {
    const [ping, pong] = [flow('ping', [['a', 'b']], { a: calls('pong') }), flow('pong', [['c', 'd']], { c: calls('ping') })]
    expect(told(ping, [pong])).toEqual(['ENDLESS_RECURSION a'])
    expect(told(flow('outer', [['x', 'y']], { x: calls('ping') }), [ping, pong])).toEqual(['ENDLESS_RECURSION x'])
    expect(
      told(ping, [
        flow(
          'pong',
          [
            ['c', 'd'],
            ['c0', 'c'],
            ['c0', 'd'],
          ],
          { c: calls('ping') },
        ),
      ]),
    ).toContain('ENDLESS_RECURSION a')
  })
})

describe('work is bounded', () => {
  const limit = 10_000

  test.each<[string, () => Workflow]>([
    [
      '10,000 guards on one key',
      () =>
        flow(
          'w',
          Array.from({ length: limit }, (_, i): Arrow => ['a', `b${i}`, equals('k', i)]),
        ),
    ],
    [
      '60 keys in one guard',
      () =>
        flow(
          'w',
          [
            ['a', 'b', cel(Array.from({ length: 60 }, (_, i) => `k${i}`).join(' || '))],
            ['a', 'c', there('x')],
          ],
          {},
          Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`k${i}`, { type: 'boolean' }])),
        ),
    ],
    [
      '60 guards that hang together',
      () =>
        flow(
          'w',
          Array.from({ length: 60 }, (_, i): Arrow => ['a', 'b', cel(`k${i} && !k${(i + 1) % 60}`)]),
          {},
          Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`k${i}`, { type: 'boolean' }])),
        ),
    ],
    [
      'a ladder of choices',
      () =>
        flow(
          'w',
          Array.from({ length: 2000 }, (_, i): Arrow[] => [
            [`n${i}`, `n${i + 1}`, equals(`k${i % 40}`, 1)],
            [`n${i}`, `n${i + 1}`, differs(`k${i % 40}`, 1)],
          ]).flat(),
          { n1999: needs('k7') },
        ),
    ],
    [
      'keys that are written far before',
      () => ({
        ...chain('w', 3000),
        nodes: Object.fromEntries(
          Array.from({ length: 3000 }, (_, i) => [
            `n${i}`,
            { id: `n${i}`, spec: {}, ...(i === 0 ? writes(...Array.from({ length: 3000 }, (__, k) => `k${k}?`)) : needs(`k${i}`)) },
          ]),
        ),
      }),
    ],
  ])('over %s', (_, make) => {
    expect(verify(make()).workflowId).toBe('w')
  })

  test('over expressions that are expensive to try, which result in no finding', () => {
    const ten = '[0,1,2,3,4,5,6,7,8,9]'
    const dear = `${ten}.all(a, ${ten}.all(b, ${ten}.all(c, ${ten}.all(d, ${ten}.all(e, a + b + c + d + e < 99))))) && x == y`
    const values = { enum: Array.from({ length: 60 }, (_, i) => i) }
    const of = (expr: string): Workflow => flow('w', [['a', 'b', cel(expr)]], { a: writes('x', 'y') }, { x: values, y: values })
    const found = (expr: string) => verify(of(expr)).warnings.map(({ code, finding }) => `${code} ${finding?.message ?? ''}`)
    expect(found('x < 0 && x == y').join()).toContain('UNREACHABLE_NODE')
    expect(found(dear).join()).not.toContain('UNREACHABLE_NODE')
    expect(found(`has(board.x) && x < 0 && ${dear}`).join()).toContain('UNREACHABLE_NODE')
    expect(found(`${dear} && x < 0`).join()).not.toContain('UNREACHABLE_NODE')
  })

  test('over deep and recursive calls', () => {
    const deep = Array.from({ length: 3000 }, (_, i) => flow(`w${i}`, [['a', 'b']], { a: calls(`w${i + 1}`, { k: 'k' }), b: needs('k') }))
    expect(verifyWorkflow(deep[0] ?? workflowOf('w', ['a'], []), (id) => deep[Number(id.slice(1))]).workflowId).toBe('w0')
    const names = Array.from({ length: 8 }, (_, c) => c)
    const tangle = Array.from({ length: 100 }, (_, i) =>
      flow(
        `w${i}`,
        names.map((c): Arrow => [`c${c}`, `c${c + 1}`]),
        Object.fromEntries(names.map((c) => [`c${c}`, calls(`w${(i * 7 + c * 13) % 100}`, { [`k${c}`]: 'k1' })])),
      ),
    )
    expect(verifyWorkflow(tangle[0] ?? workflowOf('w', ['a'], []), (id) => tangle[Number(id.slice(1))]).valid).toBe(false)
  })
})
