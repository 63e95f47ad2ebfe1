import { describe, expect, test } from 'vitest'
import type { FaultData, Json } from '../../../../src/kernel/index.ts'
import { testPool } from './harness.ts'

/** A prelude as the manifests give it, in small. */
const PRELUDE = `
  local host = ...
  BT = { ids = {} }
  local function node(type)
    return function(id, config)
      local line = host.line()
      if type_of(id) ~= "string" then host.fail("an id is a text", line) end
      local message, at = host.syntax((config or {}).code or "", false)
      if message then host.fail("code: " .. message .. " in its line " .. at, line) end
      return { type = type, id = id, line = line, children = host.list((config or {}).children or {}) }
    end
  end
  type_of = type
  BT.action, BT.sequence = node("action"), node("sequence")
  function BT.tree(id, config) return { tree = id, line = host.line(), root = config.root } end
  return function(...)
    local tree = ...
    if type_of(tree) ~= "table" or not tree.tree then host.fail("the file returns no tree") end
    return tree
  end`

const pool = testPool()
const load = (text: string) => pool.load({ text, file: 'trees/x.lua', prelude: PRELUDE })
async function tree(text: string): Promise<Json> {
  const result = await load(text)
  if (!result.ok) throw new Error(`${result.fault.code} ${result.fault.message}`)
  return result.value
}
async function fault(text: string): Promise<FaultData> {
  const result = await load(text)
  if (result.ok) throw new Error(`loaded: ${JSON.stringify(result.value)}`)
  return result.fault
}

describe('a definition file is loaded', () => {
  test('with the line of each call, also through functions of the file and tail calls', async () => {
    const file = [
      'local function make(id)', // 1
      '  return BT.action(id)', // 2
      'end', // 3
      'local function twice(id) return make(id .. "x") end', // 4
      'return BT.tree("t", {', // 5
      '  root = BT.sequence("s", { children = {', // 6
      '    make("a"), BT.action("b"),', // 7
      '    twice("c"), BT.action(', // 8
      '      "d") } }) })', // 9
    ].join('\n')
    expect(await tree(file)).toEqual({
      tree: 't',
      line: 5,
      root: {
        type: 'sequence',
        id: 's',
        line: 6,
        children: [
          { type: 'action', id: 'a', line: 2, children: [] },
          { type: 'action', id: 'b', line: 7, children: [] },
          { type: 'action', id: 'cx', line: 2, children: [] },
          { type: 'action', id: 'd', line: 8, children: [] },
        ],
      },
    })
  })

  test('with lines through pcall, pairs and sort', async () => {
    const file =
      'local ok, a = pcall(BT.action, "a")\nlocal t = {}\nfor _, id in pairs({ "p" }) do\n t[1] = BT.action(id) end\nreturn BT.tree("t", { root = { a, t[1] } })'
    expect(await tree(file)).toMatchObject({ root: [{ line: 1 }, { line: 4 }] })
  })

  test('BT cannot be changed, and what a file does to its globals does not reach it', async () => {
    expect((await fault('BT.action = 1')).message).toBe('trees/x.lua:1: BT is read-only')
    expect(await tree('type, type_of, pairs, error = nil return BT.tree("t", { root = BT.action("a") })')).toMatchObject({ tree: 't' })
    expect((await fault('return BT.tree.__proto__')).message).toContain('attempt to index a function value')
    expect((await fault('return host')).message).toContain('the file returns no tree')
    expect((await fault('return ({...})[1].line()')).code).toBe('R1242')
  })

  test('with a byte order mark and line breaks of Windows', async () => {
    expect(await tree('\ufeff-- a tree\r\nreturn BT.tree("t", {\r\n root = BT.action("a") })')).toMatchObject({
      line: 2,
      root: { line: 3 },
    })
  })

  test('each load begins with nothing', async () => {
    await tree('leak = 1 BT.ids.x = 1 return BT.tree("t", { root = 1 })')
    expect(await tree('return BT.tree("t", { root = { leak or "none", BT.ids.x or "none" } })')).toMatchObject({ root: ['none', 'none'] })
  })
})

describe('a definition file that is wrong', () => {
  test('has a fault with its place, a code frame and the traceback', async () => {
    const wrong = await fault('local a = BT.action("a")\n\n  BT.sequence(5)')
    expect(wrong).toMatchObject({ code: 'R1202', rule: 'E4002', file: 'trees/x.lua', line: 3, column: 3 })
    expect(wrong.message).toBe('trees/x.lua:3: an id is a text')
    expect(wrong.frame).toContain('3 │   BT.sequence(5)')
    expect(wrong.data?.['lua_traceback']).toBe("stack traceback:\n\t[Reflex]: in field 'sequence'\n\ttrees/x.lua:3: in main chunk")
  })

  test.each([
    ['return BT.tree(', 'R1241', 1, 'unexpected symbol'],
    ['\nlocal x = = 1', 'R1241', 2, 'unexpected symbol'],
    ['pcall(BT.action, 5)', 'R1202', 1, 'an id is a text'],
    ['return BT.tree("t", { root = BT.action("a", { code = "x = = 1" }) })', 'R1202', 1, "code: unexpected symbol near '=' in its line 1"],
    ['return BT.nothing("x")', 'R1242', 1, "field 'nothing'"],
    ['\n\nreturn os.time()', 'R1261', 3, 'os is blocked'],
    ['while true do end', 'R1243', 1, 'steps'],
    ['return 5', 'R1202', undefined, 'the file returns no tree'],
    ['return BT.tree("t", { root = { f = print } })', 'R1202', undefined, 'root.f is a function'],
  ])('%s', async (text, code, line, message) => {
    const wrong = await fault(text)
    expect(wrong).toMatchObject({ code, file: 'trees/x.lua' })
    expect(wrong.line).toBe(line)
    expect(wrong.message).toContain(message)
  })

  test('has the traceback through its helper functions and tables', async () => {
    const text = [
      'local function leaf(spec)',
      '  return BT.action(spec.id.name)',
      'end',
      'return BT.tree("t", { root = BT.sequence("s", {',
      '  children = { leaf({ id = { name = "a" } }), leaf({}) },',
      '}) })',
    ].join('\n')
    const wrong = await fault(text)
    expect(wrong).toMatchObject({ code: 'R1242', line: 2, message: "trees/x.lua:2: attempt to index a nil value (field 'id')" })
    expect(wrong.frame).toContain('2 │   return BT.action(spec.id.name)')
    expect(wrong.data?.['lua_traceback']).toContain("trees/x.lua:2: in local 'leaf'\n\ttrees/x.lua:5: in main chunk")
  })

  test('too long is refused before it is parsed', async () => {
    expect(await fault(`--${' '.repeat(1024 * 1024)}`)).toMatchObject({ code: 'R1243', data: { limit: 'text' } })
  })
})
