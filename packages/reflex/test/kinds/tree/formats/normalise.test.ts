import { describe, expect, test, vi } from 'vitest'
import { BT, readBuilt, sourceOf } from '../../../../src/kinds/tree/formats/builders.ts'
import { call, codes, findingsOf, rootOf } from './fixtures.ts'

const ok = () => BT.succeed()
const tree = (root: ReturnType<typeof ok>) => BT.tree('t', { root })

describe('ids', () => {
  // proves: tree 113
  test('begin with a letter, and have letters, digits, _ and - behind it', () => {
    for (const id of ['a', 'A1_-', 'research_runner']) expect(rootOf(BT.succeed({ id })).id).toBe(id)
    for (const id of ['', '1a', '_a', '-a', 'a b', 'a.b']) expect(codes(findingsOf(tree(BT.succeed({ id }))))).toEqual(['E2004'])
  })

  test('are unique, and the finding names both nodes', () => {
    const [fault] = findingsOf(tree(BT.sequence([BT.succeed({ id: 'x' }), BT.fail({ id: 'x' })])))
    expect([fault?.rule, fault?.message]).toEqual(['E2005', 'the id "x" is already that of a node of type succeed'])
  })

  test('are those of the types, numbered, where none is stated, and never one that is stated', () => {
    const root = rootOf(BT.sequence([ok(), BT.fail({ id: 'succeed_2' }), ok(), ok()]))
    expect(root.children?.map(({ id }) => id)).toEqual(['succeed', 'succeed_2', 'succeed_3', 'succeed_4'])
  })

  test('of many nodes on one line are found in linear work', () => {
    const looked = vi.spyOn(Set.prototype, 'has')
    try {
      const root = rootOf(BT.sequence(Array.from({ length: 2000 }, ok)))
      expect(root.children?.at(-1)?.id).toBe('succeed_2000')
      expect(looked.mock.calls.filter(([id]) => String(id).startsWith('succeed')).length).toBeLessThan(10_000)
    } finally {
      looked.mockRestore()
    }
  })

  test('a name before an explicit id is a name', () => {
    expect(rootOf(BT.action('Roll back', { id: 'rollback', fn: 'f' }))).toMatchObject({ id: 'rollback', name: 'Roll back' })
  })

  test('one node in two places is refused, and read once', () => {
    const shared = BT.sequence([ok()])
    let root = BT.sequence([shared, shared])
    for (let i = 0; i < 60; i++) root = BT.sequence([root, root])
    expect(new Set(codes(findingsOf(tree(root))))).toEqual(new Set(['E2005']))
  })
})

describe('names of trees', () => {
  // proves: tree 70
  test.each(['../x', '/etc/passwd', 'a/b', 'a\\b', '..', 'a\0b', 'C:x'])('%j is a path and critical', (name) => {
    const [fault] = findingsOf(tree(BT.subtree_ref(name)))
    expect([fault?.rule, fault?.code, fault?.data]).toEqual(['E7002', 'R1262', { severity: 'critical' }])
    expect(codes(findingsOf(BT.tree(name, { root: ok() })))).toEqual(['E7002'])
  })

  test.each(['a.b', '1abc', '', 'a b'])('%j is wrong', (name) => {
    expect(codes(findingsOf(tree(BT.subtree_ref(name))))).toEqual(['E4002'])
  })

  // proves: tree 72
  test('valid names, and a file of a script below the folder', () => {
    for (const name of ['oracle-agent', 'research_runner', 'MyTree123']) {
      expect(rootOf(BT.subtree_ref(name)).params).toEqual({ tree_name: name })
    }
    expect(rootOf(BT.script('s', { file: 'lib/x.lua' })).params).toEqual({ file: 'lib/x.lua' })
    for (const file of ['../x.lua', '/x.lua', 'a/../../x.lua', 'a\\x.lua', 'C:/x.lua']) {
      expect(codes(findingsOf(tree(BT.script('s', { file }))))).toEqual(['E7002'])
    }
  })
})

describe('parameters', () => {
  test('enums have any spelling, and are stored in one', () => {
    const root = rootOf(call(BT.parallel, { policy: 'WAIT-ALL', merge: 'Fail_On_Conflict', on_child_fail: 'cancel_siblings' }, [ok()]))
    expect(root.params).toEqual({ policy: 'require_all', merge_strategy: 'fail', on_child_fail: 'cancel-siblings' })
  })

  test('an alias of two parameters means the one whose form the value has', () => {
    expect(rootOf(call(BT.parallel, { merge: { a: 'last-wins' } }, [ok()])).params).toEqual({ per_key_strategies: { a: 'last_wins' } })
  })

  test.each([
    ['an unknown word', call(BT.parallel, { policy: 'require_al' }, [ok()]), 'policy cannot be "require_al" (parallel)'],
    ['an unknown word of a map', call(BT.parallel, { merge: { a: 'colect' } }, [ok()]), 'merge.a cannot be "colect" (parallel)'],
    ['a fraction', BT.timeout(1.5, ok()), 'timeout_ms must be a whole number, found 1.5 (timeout)'],
    ['a number below the least', BT.timeout(0, ok()), 'timeout_ms must be at least 1, found 0 (timeout)'],
    ['a text for a number', call(BT.timeout, '5s', ok()), 'timeout_ms must be a number (ms), found the text "5s" (timeout)'],
    ['a missing parameter', BT.action('a', {}), 'action "a" has no fn'],
    ['a missing condition', BT.condition('a', {}), 'condition "a" has no condition (or expression, check)'],
    ['two parameters that exclude each other', BT.script('s', { code: 'x', file: 'y.lua' }), 'script "s": write either code or file'],
    ['neither of two', BT.script('s', {}), 'script "s": write either code or file'],
    [
      'too many successes',
      call(BT.parallel, { policy: 'require_n', n: 3 }, [ok(), ok()]),
      'parallel: require_n needs n from 1 to 2, the number of children',
    ],
    [
      'a parameter and its alias',
      BT.retry({ max_retries: 1, max_attempts: 2 }, ok()),
      'retry has max_retries and max_attempts, which mean the same',
    ],
    [
      'a function as an argument',
      BT.action('a', { fn: 'f', args: { x: (() => 1) as never } }),
      'args contains a function, and a definition is data (action "a")',
    ],
    [
      'a node as an argument',
      BT.action('a', { fn: 'f', args: { x: ok() as never } }),
      'args contains a node (succeed); nodes stand among the children (action "a")',
    ],
  ])('%s is refused', (_, root, message) => {
    const findings = findingsOf(tree(root))
    expect([codes(findings), findings[0]?.message]).toEqual([['E4002'], message])
  })

  test('an unknown key is a warning with a guess', () => {
    const { source, findings } = readBuilt(tree(call(BT.retry, { max_retrys: 2 }, ok())))
    expect([source?.root.params, findings[0]?.severity, findings[0]?.fix]).toEqual([undefined, 'warning', 'write max_retries'])
  })

  test('seconds that can only be milliseconds are taken as such, with a warning', () => {
    const { source, findings } = readBuilt(tree(BT.llm_call({ prompt: 'x', timeout: 120_000 })))
    expect([source?.root.params?.timeout, codes(findings)]).toEqual([120, ['R1207']])
  })

  test('keys of a tool that are no parameters are its arguments', () => {
    expect(rootOf(BT.tool('http.get', { url: 'x', output: 'page', args: { a: 1 } })).params).toEqual({
      tool: 'http.get',
      output: 'page',
      args: { a: 1, url: 'x' },
    })
  })

  test('conditions around a node, and what is written after it', () => {
    const root = rootOf(BT.succeed({ skip_if: 'bb.a', while: 'bb.b > 1', on_success: { c: 'bb.a', d: 1 }, after: { e: true } }))
    expect(root.params).toEqual({ skip_if: 'bb.a', while: 'bb.b > 1', on_success: { c: 'bb.a', d: '1' }, after: { e: 'true' } })
  })

  test('a contract has other names of its maps, lists of keys, and no key twice', () => {
    const contract = { requires: ['a'], produces: { b: 'int' } } as never
    expect(rootOf(BT.action('x', { fn: 'f', contract })).params?.contract).toEqual({ inputs: { a: 'any' }, outputs: { b: 'int' } })
    const twice = BT.action('x', { fn: 'f', contract: { inputs: { a: 'int' }, outputs: { a: 'int' } } })
    expect(findingsOf(tree(twice))[0]?.message).toBe('the contract has "a" in inputs and in outputs')
  })

  test('keys named like parts of JavaScript are keys', () => {
    const args = JSON.parse('{"__proto__": 1, "constructor": 2}') as never
    expect(JSON.stringify(rootOf(BT.action('x', { fn: 'f', args, constructor: 'x' } as never)).params?.args)).toBe(
      '{"__proto__":1,"constructor":2}',
    )
  })
})

describe('children', () => {
  test.each([
    ['a composite without one', BT.sequence([]), 'sequence takes at least one child, and has none'],
    ['a decorator with two', call(BT.inverter, { children: [ok(), ok()] }), 'inverter takes exactly one child, and has 2'],
    ['a leaf with one', call(BT.action, { id: 'a', fn: 'f', child: ok() }), 'action "a" takes no children, and has 1'],
    ['an if with four', BT.if_then_else([ok(), ok(), ok(), ok()]), 'if_then_else takes 2 to 3 children, and has 4'],
  ])('%s is refused', (_, root, message) => {
    const findings = findingsOf(tree(root))
    expect([codes(findings), findings[0]?.message]).toEqual([['E2006'], message])
  })

  test('several of for_each and repeater are one sequence', () => {
    const root = rootOf(call(BT.for_each, 'hosts', { item_key: 'host', children: [ok(), BT.fail()] }))
    expect(root.children).toEqual([
      {
        type: 'sequence',
        id: 'sequence',
        children: [
          { type: 'succeed', id: 'succeed' },
          { type: 'fail', id: 'fail' },
        ],
      },
    ])
  })

  test('a tree that is nested too deeply is refused, and not read to its end', () => {
    let root = ok()
    for (let i = 0; i < 5000; i++) root = BT.inverter(root)
    expect(codes(findingsOf(tree(root)))).toEqual(['E4002'])
  })
})

describe('trees', () => {
  test('declare keys by schema, by declaration, and by first value', () => {
    const { board } = sourceOf(
      BT.tree('t', { root: ok(), blackboard: { a: 'int', b: { type: 'str', default: 'x' }, c: 5, d: [1], e: { x: 1 } } }),
    )
    expect(board).toEqual({
      a: { type: 'int' },
      b: { type: 'str', default: 'x' },
      c: { default: 5 },
      d: { default: [1] },
      e: { default: { x: 1 } },
    })
  })

  test.each([
    [{ reload_policy: 'immediate' }, 'E4002'],
    [{ recovery_tree: '../x' }, 'E7002'],
    [{ tick_budget: 0 }, 'E4002'],
    [{ blackboard: { _x: 'int' } }, 'E4002'],
    [{ root: 5 }, 'E4002'],
    [{ rot: 5 }, 'R1207'],
  ])('%j is found', (config, code) => {
    expect(codes(findingsOf(BT.tree('t', { root: ok(), ...config } as never)))).toEqual([code])
  })

  test('contain others, once each', () => {
    const inner = BT.subtree('inner', { root: ok() })
    expect(sourceOf(BT.tree('t', { root: BT.subtree_ref('inner'), trees: [inner] })).trees?.inner?.root.type).toBe('succeed')
    expect(codes(findingsOf(BT.tree('t', { root: ok(), trees: [inner, BT.subtree('inner', { root: ok() })] })))).toEqual(['E4002'])
  })

  test('take functions directly, under names of their own', () => {
    const rollback = () => 'SUCCESS'
    const other = { rollback: () => true }.rollback
    const { source, functions } = readBuilt(
      tree(
        BT.sequence([BT.action('a', { fn: rollback }), BT.condition('b', { condition: { fn: other } }), BT.action('c', { fn: rollback })]),
      ),
    )
    expect(source?.root.children?.map(({ params }) => params)).toEqual([
      { fn: 'rollback' },
      { condition: { fn: 'rollback_2' } },
      { fn: 'rollback' },
    ])
    expect([...(functions ?? [])]).toEqual([
      ['rollback', rollback],
      ['rollback_2', other],
    ])
  })

  test('report everything that is wrong at once', () => {
    const root = BT.sequence([BT.timeout(1.5, ok()), BT.sequence([]), BT.action('1a', {})])
    expect(codes(findingsOf(BT.tree('a/b', { root })))).toEqual(['E7002', 'E4002', 'E2006', 'E4002', 'E2004'])
  })
})
