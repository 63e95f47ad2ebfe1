import { describe, expect, test } from 'vitest'
import { readLuaTree } from '../../../../src/kinds/tree/formats/read-lua.ts'
import type { NodeSource } from '../../../../src/kinds/tree/model/source.ts'
import { testPool } from '../lua/harness.ts'
import { codes } from './fixtures.ts'

const pool = testPool()
const read = (text: string) => readLuaTree(text, 'trees/t.lua', pool)

/** Returns the root of a tree, without lines. Throws the first finding of one that is wrong. */
async function rootOf(expression: string): Promise<NodeSource> {
  const { source, findings } = await read(`local function ok() return BT.succeed() end\nreturn BT.tree("t", { root = ${expression} })`)
  if (source === undefined) throw findings[0] ?? new Error('no source')
  return JSON.parse(
    JSON.stringify(source.root, (key, value: unknown) => (key === 'line' || key === 'id' ? undefined : value)),
  ) as NodeSource
}

describe('the shapes of BT', () => {
  // proves: tree 114
  test.each([
    [
      'BT.sequence({ ok(), ok() })',
      'BT.sequence({ ok(), ok() }, { name = "s" })',
      'BT.sequence({ ok(), ok(), name = "s" })',
      'BT.sequence({ children = { ok(), ok() } })',
      'BT.sequence({ nil, ok(), nil, ok() })',
    ],
    ['BT.selector({ ok() })', 'BT.fallback({ ok() })', 'BT.selector({ children = { ok() } })'],
    [
      'BT.parallel({ policy = "require_one" }, { ok() })',
      'BT.parallel({ policy = "any", ok() })',
      'BT.parallel({ ok() }, { policy = "Require-One" })',
      'BT.parallel({ policy = "require_one", children = { ok() } })',
    ],
    [
      'BT.for_each("k", { ok(), item_key = "x" })',
      'BT.for_each("k", { item_key = "x", children = { ok() } })',
      'BT.for_each({ collection_key = "k", item_key = "x", ok() })',
    ],
    [
      'BT.timeout(5, ok())',
      'BT.timeout(5, ok(), {})',
      'BT.timeout({ timeout_ms = 5 }, ok())',
      'BT.timeout({ timeout_ms = 5, ok() })',
      'BT.timeout(5.0, ok())',
    ],
    [
      'BT.retry(2, ok(), { backoff_ms = 5 })',
      'BT.retry({ max_attempts = 2, backoff_ms = 5 }, ok())',
      'BT.retry({ max_retries = 2, backoff_ms = 5, ok() })',
    ],
    ['BT.guard("bb.a", ok())', 'BT.guard({ condition = "bb.a", ok() })', 'BT.guard("bb.a", ok(), {})'],
    ['BT.guard({ fn = "f" }, ok())', 'BT.guard({ condition = { fn = "f" }, ok() })', 'BT.guard({ fn = "f", ok() })'],
    [
      'BT.repeater({ count = 2 }, { ok(), BT.fail() })',
      'BT.repeater({ count = 2, ok(), BT.fail() })',
      'BT.repeater({ count = 2 }, BT.sequence({ ok(), BT.fail() }))',
    ],
    ['BT.cooldown(5, ok())', 'BT.cooldown({ cooldown_ms = 5, ok() })'],
    ['BT.inverter(ok())', 'BT.inverter({ ok() })', 'BT.inverter({ child = ok() })'],
    [
      'BT.condition("c", { condition = "bb.a" })',
      'BT.condition("c", { expression = "bb.a" })',
      'BT.condition("c", { check = "bb.a" })',
      'BT.condition({ id = "c", condition = "bb.a" })',
    ],
    ['BT.condition("c", { fn = "f", args = { 1 } })', 'BT.condition("c", { condition = { fn = "f", args = { 1 } } })'],
    ['BT.script("s", { code = "return 1" })', 'BT.script("s", { lua = "return 1" })'],
    ['BT.subtree_ref("x", { lazy = true })', 'BT.subtree_ref({ tree_name = "x", lazy = true })'],
    ['BT.llm_call({ prompt_key = "p", budget = 5 })', 'BT.llm_call({ prompt_key = "p", budget_tokens = 5 })'],
    ['BT.tool("t", { output = "o", x = { 1, { y = 2 } } })', 'BT.tool({ tool = "t", output = "o", args = { x = { 1, { y = 2 } } } })'],
  ])('%s', async (first, ...others) => {
    const expected = await rootOf(first)
    for (const other of others) {
      const { name: _, ...root } = await rootOf(other)
      expect(root).toEqual(expected)
    }
  })

  test.each([
    ['an unknown number of arguments', 'BT.timeout(1, ok(), {}, 5)', 'E4002', 'BT.timeout cannot be called with 4 arguments'],
    ['a child that is no node', 'BT.timeout(1, 5)', 'E4002', 'argument 2 of BT.timeout must be a node, found 5'],
    ['a child of a list that is no node', 'BT.sequence({ ok(), 5, { ok() } })', 'E4002', 'entry 2 of BT.sequence must be a node, found 5'],
    ['a tree as a child', 'BT.sequence({ BT.tree("x", { root = ok() }) })', 'E4002', 'entry 1 of BT.sequence must be a node, found a tree'],
    ['an unknown word', 'BT.parallel({ policy = "some", ok() })', 'E4002', 'policy cannot be "some" (parallel)'],
    ['a fraction', 'BT.timeout(1.5, ok())', 'E4002', 'timeout_ms must be a whole number, found 1.5 (timeout)'],
    ['a function', 'BT.action("a", { fn = print })', 'E4002', 'fn is a function, and a definition is data (action "a")'],
    [
      'a function inside',
      'BT.action("a", { fn = "f", args = { { x = ok } } })',
      'E4002',
      'args contains a function, and a definition is data (action "a")',
    ],
    ['a path', 'BT.subtree_ref("../x")', 'E7002', 'tree_name must be a name, and "../x" is a path (subtree_ref)'],
  ])('%s is refused at the line of the call', async (_, expression, code, message) => {
    const { source, findings } = await read(`local function ok() return BT.succeed() end\nreturn BT.tree("t", {\n  root = ${expression} })`)
    expect([source, codes(findings)[0], findings[0]?.message, findings[0]?.line]).toEqual([undefined, code, message, 3])
    expect([findings[0]?.file, findings[0]?.frame?.startsWith('3 │')]).toEqual(['trees/t.lua', true])
  })
})

describe('a file of Lua', () => {
  test('gives ids from lines, in any order of evaluation', async () => {
    const { source } = await read('return BT.tree("t", { root = BT.sequence({\n  BT.succeed(), BT.succeed(),\n  BT.tool("x") }) })')
    expect([source?.root.id, source?.root.line, source?.root.children?.map(({ id }) => id)]).toEqual([
      'sequence_1',
      1,
      ['succeed_2', 'succeed_2_2', 'tool_3'],
    ])
  })

  test.each([
    ['', 'the file returns nothing, and must return a tree (TreeDefinition), made with BT.tree'],
    ['return 5', 'the file returns a number, and must return a tree (TreeDefinition), made with BT.tree'],
    ['return BT.contract({})', 'the file returns a contract, and must return a tree (TreeDefinition), made with BT.tree'],
    [
      'return BT.sequence({})',
      'the file returns a node (NodeDefinition, BT.sequence), and must return a tree (TreeDefinition): wrap it in BT.tree',
    ],
    ['return BT.sequnce({})', 'unknown node type "sequnce"; did you mean "sequence"?'],
    ['return BT.tree("t")', 'BT.tree takes a name and a table, and has 1 arguments'],
    ['return BT.tree("t", {})', 'the tree has no root'],
    ['local t = {} t.t = t return BT.sequence(t)', 'trees/t.lua:1: a table contains itself'],
  ])('%j is refused in words that help', async (text, message) => {
    const { findings } = await read(text)
    expect([codes(findings), findings[0]?.message]).toEqual([['E4002'], message])
  })

  test.each([
    ['return BT.tree("t"', 'E5001'],
    ['local x = nil\nreturn x.y', 'E5002'],
    ['while true do end', 'E5003'],
    ['return os.time()', 'E7001'],
  ])('%j ends with its error', async (text, code) => {
    expect(codes((await read(text)).findings)).toEqual([code])
  })

  test('of another name than its tree is a warning', async () => {
    const { source, findings } = await read('return BT.tree("other", { root = BT.succeed() })')
    expect([source?.id, codes(findings)]).toEqual(['other', ['R1207']])
  })

  test('can nest tables deeper than values of Lua may leave it', async () => {
    const deep = '{ x = '.repeat(40) + '1' + ' }'.repeat(40)
    expect(JSON.stringify((await rootOf(`BT.action("a", { fn = "f", args = ${deep} })`)).params?.args)).toBe(
      `${'{"x":'.repeat(40)}1${'}'.repeat(40)}`,
    )
  })

  test('cannot change what a call has noted', async () => {
    const text =
      'local args = { 1 }\nlocal a = BT.action("a", { fn = "f", args = args })\nargs[1] = 2\na.id = "b"\nreturn BT.tree("t", { root = a })'
    expect((await read(text)).source?.root).toMatchObject({ id: 'a', params: { args: [1] } })
  })
})
