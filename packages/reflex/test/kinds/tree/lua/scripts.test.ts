import { describe, expect, test } from 'vitest'
import type { Port } from '../../../../src/kernel/index.ts'
import type { LuaPool } from '../../../../src/kinds/tree/lua/pool.ts'
import { boardKeys } from '../../../../src/kinds/tree/lua/board-keys.ts'
import { MOST_TIMEOUT_MS, resolveLimits, STEPS_PER_MS } from '../../../../src/kinds/tree/lua/limits.ts'
import { scriptOutcome } from '../../../../src/kinds/tree/lua/script-outcome.ts'
import { scriptPort } from '../../../../src/kinds/tree/tick/script-port.ts'
import type { VirtualHost } from '../../../../src/testing/index.ts'
import { payloads, until } from '../leaves/leaf-world.ts'
import { forest, n } from '../tick/tree-world.ts'
import { FILE, fault, hastyHost, patientHost, request, testPool, value } from './harness.ts'

const pool = testPool()

describe('a script that fails', () => {
  // proves: tree 15
  test('has its message, the line and a traceback that names the file', async () => {
    const wrong = await fault(pool, 'local function step()\n  local x = 1\n  error("x")\nend\nstep()')
    expect(wrong).toMatchObject({ code: 'R1242', rule: 'E5002', message: `${FILE}:3: x`, file: FILE, line: 3 })
    expect(wrong.data?.['lua_traceback']).toBe(
      `stack traceback:\n\t[Reflex]: in global 'error'\n\t${FILE}:3: in local 'step'\n\t${FILE}:5: in main chunk`,
    )
    expect(wrong.frame).toContain('3 │   error("x")')
  })

  // proves: tree 16
  test('says what is nil, at the line of the file that the script stands in', async () => {
    const wrong = await fault(pool, 'local a = bb.missing\n\nreturn a.b', { line: 40 })
    expect(wrong).toMatchObject({ line: 42, message: `${FILE}:42: attempt to index a nil value (local 'a')` })
    expect(wrong.frame).toContain('42 │ return a.b')
  })

  // proves: tree 19
  test.each([
    ['error({ code = 1 })', '{"code":1}'],
    ['error({ message = "m" })', 'm'],
    ['error(42)', '42'],
    ['error()', 'an error without a value'],
    ['error(print)', 'an error that is a function'],
    ['error("x", 0)', 'x'],
    ['string.rep("x", {})', "bad argument #2 to 'rep' (number expected, got table)"],
    ['("x"):find("[")', "malformed pattern (missing ']')"],
    ['table.sort({ 1, "x" })', 'attempt to compare string with number'],
    ['table.concat({ {} })', "invalid value (table) at index 1 in table for 'concat'"],
    ['pairs(nil)', "bad argument #1 to 'pairs' (table expected, got no value)"],
    ['bb.x = 1', 'write with bb.set("x", value); fields of bb are read-only'],
    ['return 1 +', 'unexpected symbol near <eof>'],
  ])('%s', async (code, message) => {
    const wrong = await fault(pool, code)
    expect(wrong.message).toBe(`${FILE}:1: ${message}`)
    expect(wrong.line).toBe(1)
  })

  test('has the position of the user in messages that pcall returns', async () => {
    const code = '\nlocal ok, a = pcall(string.rep, "x", {})\nlocal b = select(2, pcall(function()\n("x"):rep({}) end))\nreturn a, b'
    expect(await value(pool, code)).toEqual([
      `${FILE}:2: bad argument #2 to 'rep' (number expected, got table)`,
      `${FILE}:4: bad argument #2 to 'rep' (number expected, got table)`,
    ])
    const handled = 'return select(2, xpcall(function() table.sort({ 1, "x" }) end, function(m) return "handled " .. m end))'
    expect(await value(pool, handled)).toBe(`handled ${FILE}:1: attempt to compare string with number`)
  })

  test('names a file with a long name in full', async () => {
    const file = `${'folder/'.repeat(12)}script.lua`
    const result = await pool.run({ ...request('\nerror("x")'), file })
    expect(result).toMatchObject({ ok: false, fault: { message: `${file}:2: x`, line: 2 } })
  })

  test.each([
    [
      'in a helper',
      'local function a(t)\n  return t.x.y\nend\na({})',
      2,
      "attempt to index a nil value (field 'x')",
      ["in local 'a'", ':4: in main'],
    ],
    ['that pcall has caught and raised again', 'local ok, e = pcall(error, "x")\n\nerror(e, 0)', 3, 'x', [':3: in main']],
    ['in a handler of a helper', 'local function f() error({ message = "m" }) end\nf()', 1, 'm', ["in local 'f'", ':2: in main']],
    [
      'in a nested table',
      'local t = { a = { b = {} } }\n\nreturn { x = t.a.b.c.d }',
      3,
      "attempt to index a nil value (field 'c')",
      [':3: in main'],
    ],
    [
      'in a method of a text',
      'local s = "x"\nreturn s:rep(2):nothing()',
      2,
      "attempt to call a nil value (method 'nothing')",
      [':2: in main'],
    ],
    [
      'of memory, inside of the library',
      '\nlocal s = ("x"):rep(1e8, "y")',
      2,
      'Lua was stopped: more than 50 MB of memory',
      [':2: in main'],
    ],
    [
      'of steps, in a helper',
      'local function f()\n  while true do end\nend\nf()',
      2,
      'Lua was stopped: more than',
      ["in local 'f'", ':4: in main'],
    ],
  ])('%s: it has its line, frame and traceback', async (_name, code, line, message, parts) => {
    const wrong = await fault(pool, code)
    expect([wrong.line, wrong.message.includes(message)]).toEqual([line, true])
    expect(wrong.frame).toContain(`${line} │`)
    for (const part of parts) expect(wrong.data?.['lua_traceback']).toContain(part)
  })

  test('has a message that is cut, also for the key that was refused', async () => {
    const long = await fault(pool, 'error(("é"):rep(1e6))')
    expect(long.message.length).toBeLessThan(2_100)
    expect(long.message).toMatch(/é… \(1000000 characters\)$/)
    const refused = await fault(pool, 'bb.set("_" .. ("x"):rep(1e6), 1)')
    expect(JSON.stringify(refused).length).toBeLessThan(10_000)
  })

  // proves: tree 20
  test('returns no writes', async () => {
    const result = await pool.run(request('bb.set("a", 1) error("x")'))
    expect(result).not.toHaveProperty('writes')
  })

  test('has the reserved key as its cause', async () => {
    const wrong = await fault(pool, 'bb.set("a", 1) bb.delete("_b")')
    expect(wrong).toMatchObject({ code: 'R1242', cause: { code: 'R1213', rule: 'E1003' } })
    expect(await value(pool, 'return (pcall(bb.set, "_b", 1))')).toBe(false)
  })
})

describe('the environment of a script', () => {
  test('has the board in three spellings, and its context', async () => {
    const ctx = { tick_count: 3, node_id: 'n', tree_id: 't', event: { type: 'e', items: [1] } }
    const code = 'return bb.a, blackboard.get("a"), ctx.bb.a, ctx.tick_count, ctx.event.items[1], bb.has("a"), bb.has("b")'
    expect(await value(pool, code, { board: { a: 5 }, ctx })).toEqual([5, 5, 5, 3, 1, true, false])
    expect(await value(pool, 'local k = {} for n in pairs(ctx) do k[#k + 1] = n end return k', { ctx })).toEqual(
      'bb event node_id tick_count tree_id'.split(' '),
    )
  })

  test('has methods that shadow keys of their names', async () => {
    expect(await value(pool, 'return type(bb.get), bb.get("get")', { board: { get: 1 } })).toEqual(['function', 1])
  })

  // proves: tree 61
  test('accepts the names of blocked things where nothing is used', async () => {
    expect(
      await value(
        pool,
        '-- os.time\nlocal function reload(x) return x end\nlocal t = { os = 1, load = 2 }\nreturn reload("io.open"), t.os',
      ),
    ).toEqual(['io.open', 1])
  })

  test('sorts pairs and next: numbers, then texts', async () => {
    expect(
      await value(
        pool,
        `local t = { b = 1, a = 2, 10, 20, [1.5] = 3, [-1] = 4, c = 5 }
         local keys = {}
         for k in pairs(t) do keys[#keys + 1] = k end
         local k = next(t)
         while k do keys[#keys + 1] = k k = next(t, k) end
         return keys`,
      ),
    ).toEqual([-1, 1, 1.5, 2, 'a', 'b', 'c', -1, 1, 1.5, 2, 'a', 'b', 'c'])
  })

  test('lets a traversal remove what it has seen', async () => {
    const drain = (loop: string): string => `local t, n = {}, 0 for i = 1, 50 do t["k" .. i] = i end ${loop} return n, next(t)`
    expect(await value(pool, drain('for k in pairs(t) do t[k] = nil n = n + 1 end'))).toEqual([50, null])
    expect(await value(pool, drain('local k = next(t) while k do local o = {} next(o) t[k] = nil n = n + 1 k = next(t, k) end'))).toEqual([
      50,
      null,
    ])
  })

  test('sorts lists like Lua, equal items in their order', async () => {
    expect(await value(pool, 'local t = { 3, 1, 2 } table.sort(t) return t')).toEqual([1, 2, 3])
    expect(await value(pool, 'local t = { "b", "a" } table.sort(t, function(a, b) return a > b end) return t')).toEqual(['b', 'a'])
    const stable = 'local t = {} for i = 1, 100 do t[i] = { k = i % 3, i = i } end table.sort(t, function(a, b) return a.k < b.k end)'
    expect(
      await value(
        pool,
        `${stable} for i = 2, 100 do if t[i - 1].k == t[i].k and t[i - 1].i > t[i].i then return false end end return true`,
      ),
    ).toBe(true)
  })

  test('is Lua 5.4 with unpack', async () => {
    expect(await value(pool, 'return 10 / 2 .. "", 7 // 2, 3 & 1, unpack({ 1, 2 })')).toEqual(['5.0', 3, 1, 1, 2])
    expect(await value(pool, 'return "10" + 1, ("x"):rep(3, ","), #"é", tostring(1e15), _VERSION')).toEqual([
      11,
      'x,x,x',
      2,
      '1e+15',
      'Lua 5.4',
    ])
    expect(await value(pool, 'return tostring(0 / 0), ("%.1f"):format(-(0 / 0)), math.huge == 1 / 0')).toEqual(['nan', 'nan', true])
  })

  test('keeps what is printed', async () => {
    expect(await pool.run(request('print("a", 1, nil, {}) print()'))).toMatchObject({ printed: ['a\t1\tnil\ttable', ''] })
  })
})

const BLOCKED =
  'os io debug package load loadstring loadfile dofile require rawget rawset rawequal rawlen getmetatable setmetatable getfenv setfenv ' +
  'collectgarbage newproxy coroutine module gcinfo jit bit bit32 ffi python js string.dump math.random math.randomseed'

// proves: tree 56, tree 57
describe('what is blocked', () => {
  test.each(BLOCKED.split(' '))('%s is named, with the line, however it is used', async (name) => {
    const [library, field] = name.includes('.') ? name.split('.') : ['_G', name]
    const half = Math.floor((field ?? '').length / 2)
    const computed = `${library}["${field?.slice(0, half)}" .. "${field?.slice(half)}"]`
    for (const use of [
      `${name}()`,
      `local x = ${name}.x`,
      `local x = ${computed}`,
      `pcall(function() ${name}("x") end)`,
      `return type(${name})`,
    ]) {
      expect(await fault(pool, `\n${use}`), use).toMatchObject({
        code: 'R1261',
        rule: 'E7001',
        line: 2,
        message: `${FILE}:2: ${name} is blocked in Lua`,
        data: { item: name },
      })
    }
  })

  test('may be a name of the script', async () => {
    expect(await value(pool, 'local function load(x) return x end os = 5 local t = { io = 1 } return load(os), t.io, t.debug')).toEqual([
      5,
      1,
      null,
    ])
  })
})

describe('a condition', () => {
  test.each([
    ['bb.n > 1', true],
    ['bb.n', true],
    ['bb.missing', false],
    ['bb.n > 1 and not bb.missing -- a comment', true],
    ['return bb.n == 1', false],
    ['local x = bb.n return x == 2', true],
    ['for _ in pairs({}) do end', false],
  ])('%s', async (code, outcome) => {
    expect(await value(pool, code, { as: 'condition', board: { n: 2 } })).toBe(outcome)
  })

  test('writes nothing', async () => {
    expect((await fault(pool, 'bb.set("a", 1)', { as: 'condition' })).message).toContain('a condition writes nothing')
  })

  test.each([
    ['bb.n >', 'unexpected symbol near <eof>'],
    ['return return', "unexpected symbol near 'return'"],
    ['bb.n ===\n 1', "unexpected symbol near '='"],
  ])('that is not Lua: %s', async (code, message) => {
    const checked = await pool.check(
      [
        { code: 'bb.n', as: 'condition' },
        { code, as: 'condition' },
      ],
      FILE,
    )
    const [right, wrong] = checked.ok ? checked.mistakes : []
    expect([checked.ok, right, wrong?.line]).toEqual([true, undefined, 1])
    expect(wrong?.message).toContain(message)
  })
})

describe('the meaning of a result', () => {
  test.each([
    [null, { status: 'success' }],
    [true, { status: 'success' }],
    [{}, { status: 'success' }],
    [{ n: 1 }, { status: 'success', fields: { n: 1 } }],
    [[1, 2], { status: 'success' }],
    [false, { status: 'failure' }],
    [
      { status: 'SUCCESS', blackboard: { a: 1 } },
      { status: 'success', writes: { a: 1 }, fields: {} },
    ],
    [
      { status: 'failure', reason: 'r' },
      { status: 'failure', reason: 'r' },
    ],
    [
      { status: 'Failure', error: 'e' },
      { status: 'failure', reason: 'e' },
    ],
    [
      { status: 'failure', message: { a: 1 } },
      { status: 'failure', reason: '{"a":1}' },
    ],
    [
      { status: 'running', async_id: 'x' },
      { status: 'running', asyncId: 'x' },
    ],
    [{ status: 'done' }, { status: 'invalid' }],
    [{ status: 1 }, { status: 'invalid' }],
    [{ blackboard: 1 }, { status: 'invalid' }],
    ['text', { status: 'invalid' }],
    [5, { status: 'invalid' }],
  ])('%j', (given, outcome) => {
    expect(scriptOutcome(given)).toMatchObject(outcome)
  })
})

test('the keys of a text travel along', () => {
  const code = 'if bb.a and blackboard["b"] or bb.get("c") then ctx.bb.set("d", bb.has(\'e\')) end bb.delete "f" local x = bbb.no'
  expect(boardKeys(code)).toEqual(['a', 'b', 'c', 'd', 'e', 'f'])
})

test('a timeout is at most 30 seconds, and steps grow with it', () => {
  expect(resolveLimits('script', { timeoutMs: 60_000 }).timeoutMs).toBe(MOST_TIMEOUT_MS)
  expect(resolveLimits('script', { timeoutMs: 10 }).counted.steps).toBe(10 * STEPS_PER_MS)
  expect(resolveLimits('condition').timeoutMs).toBe(1_000)
})

/** A script that runs alone in a tree, with its answers from `answer`. */
function portOf(run: LuaPool['run']): (host: VirtualHost) => Readonly<Record<string, Port>> {
  return (host) => ({ script: scriptPort(() => Promise.resolve({ run }), host) })
}

// proves: tree 65
test('a script at its limit is an event with its node, its limit and its time, and a longer limit is cut to 30 seconds', async () => {
  // A clock that moves with each look at it.
  let now = 1_000
  const slow = testPool({ workers: 1, host: { now: () => (now += 7), at: patientHost.at } })
  const given: unknown[] = []
  const ports = portOf(async (call) => {
    given.push(call.limits)
    return slow.run({ ...call, limits: { ...call.limits, steps: 50_000 } })
  })
  const tree = await forest(n('script', { id: 'endless', code: 'while true do end', timeout_ms: 60_000 }), { ports })
  await until(() => tree.run.status === 'failed')
  expect(given).toEqual([{ timeoutMs: 30_000 }])
  expect(payloads(tree, 'script.timeout')).toMatchObject([{ node_id: 'endless', limit: 'steps', timeout_ms: 30_000, duration_ms: 7 }])
})

// proves: tree 65
test('a script that its worker is ended for has the same times', async () => {
  const pool = testPool({ workers: 1, host: hastyHost(30) })
  expect(
    await fault(pool, 'local s = (" "):rep(2e6) .. "1" while true do local _ = s | 0 end', { limits: { timeoutMs: 60_000 } }),
  ).toMatchObject({
    data: { limit: 'time', timeout_ms: 30_000, duration_ms: 0 },
  })
})
