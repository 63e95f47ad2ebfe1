import { execFileSync } from 'node:child_process'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Json } from '../../../../src/kernel/index.ts'
import { LuaPool, type LuaResult } from '../../../../src/kinds/tree/lua/pool.ts'
import { hastyHost, patientHost, request, testPool, value } from './harness.ts'

/** Nothing inside Lua counts it. */
const ENDLESS = 'local a, b = ("x"):rep(2e6), ("x"):rep(1e6) .. ("x"):rep(1e6) while true do local _ = a == b end'
const SLOW = { limits: { timeoutMs: 30_000, memoryBytes: 20 * 1024 * 1024 } }

describe('the pool', () => {
  const pool = testPool()

  test('reads keys that did not travel along once, and no others', async () => {
    const asked: string[] = []
    const read = (key: string): number | undefined => {
      asked.push(key)
      return key === 'missing' ? undefined : key.length
    }
    const code = 'return bb.here, bb.there, bb.there, bb.has("missing"), bb.get("missing")'
    expect(await value(pool, code, { board: { here: 1 }, read })).toEqual([1, 5, 5, false, null])
    expect(asked).toEqual(['there', 'missing'])
  })

  test('counts the same steps for a key that travels and for one that is read', async () => {
    const run = (board: object, read?: () => number[]) => pool.run({ ...request('return bb.list'), board: { ...board }, read })
    expect(await run({ list: [1, 2, 3] })).toEqual(await run({}, () => [1, 2, 3]))
  })

  test('rejects a call whose board cannot be read, and Lua cannot catch it', async () => {
    const read = (): never => {
      throw new RangeError('no board')
    }
    await expect(pool.run(request('pcall(bb.get, "x") return 1', { read }))).rejects.toThrow('no board')
    expect(await value(pool, 'return 1')).toBe(1)
  })

  test('rejects a call with a value that cannot be sent, and keeps its worker', async () => {
    const none = (() => 1) as unknown as Json
    await expect(pool.run(request('return 1', { ctx: { none } }))).rejects.toThrow('could not be cloned')
    await expect(pool.run(request('return bb.x', { read: () => none }))).rejects.toThrow('could not be cloned')
    expect(await value(pool, 'return 1')).toBe(1)
  })

  test('keeps the calls apart that run at once', async () => {
    const many = Array.from({ length: 20 }, (_, i) => value(pool, 'x = (x or 0) + bb.i return x', { board: { i } }))
    expect(await Promise.all(many)).toEqual(Array.from({ length: 20 }, (_, i) => i))
  })

  test('gives the same result, the same prints and the same steps in two workers', async () => {
    const scripts = [
      'local t = {} for i = 1, 300 do t["k" .. i * 7 % 31] = {} end local s = "" for k in pairs(t) do s = s .. k end return s',
      'local s = {} for w in ("the quick brown fox"):gmatch("%a+") do s[#s + 1] = w:upper() end print(table.concat(s, " ")) return s',
      'local t = {} for i = 1, 200 do t[i] = (i * 7919) % 211 end table.sort(t) return t',
      'local f = {} for i = 1, 50 do f[i] = function() return i end end local k = {} for i = 1, 50 do k[f[i]] = i end local s = 0 for g, i in pairs(k) do s = s * 3 % 1000 + g() end return s',
      'return error({ x = { 1, 2 } })',
      'local ok, e = pcall(function() local x = nil; return x.y end) return ok, e',
      'local s = 0.1 for i = 1, 1000 do s = math.sin(s) * 1.5 + s ^ 1.1 end return s, ("%.17g"):format(s)',
    ]
    const others = testPools()
    for (const script of scripts) {
      const [first, second] = await Promise.all(others.map((other) => other.run(request(script))))
      expect(first).toEqual(second)
      // The same worker after all the others.
      expect(await others[0]?.run(request(script))).toEqual(first)
    }
    const statement = fc.constantFrom(...STATEMENTS)
    await fc.assert(
      fc.asyncProperty(fc.array(statement, { maxLength: 8 }), async (statements) => {
        const script = `local t, s, n = {}, "", 1\n${statements.join('\n')}\nreturn t, s, n`
        const [first, second] = await Promise.all(others.map((other) => other.run(request(script, { limits: { steps: 200_000 } }))))
        expect(first).toEqual(second)
      }),
      { numRuns: 60 },
    )
    await Promise.all(others.map((other) => other.close()))
  })

  test('forgets a script that used much memory', async () => {
    const probe = (): Promise<LuaResult> => pool.run(request('local t = {} for i = 1, 100 do t[i] = "k" .. i end return t'))
    const before = await probe()
    for (let i = 0; i < 3; i++) {
      expect(await value(pool, 'local t = {} for i = 1, 300 do t[i] = ("x"):rep(1e5 + i) end return #t')).toBe(300)
      expect(await probe()).toEqual(before)
    }
  })

  test('keeps no process alive', () => {
    const file = new URL('../../../../src/kinds/tree/lua/pool.ts', import.meta.url).href
    const script = `const { LuaPool } = await import(${JSON.stringify(file)})
      const pool = new LuaPool()
      const { value } = await pool.run({ code: 'return 7', file: 'x.lua', line: 1, board: {}, ctx: {}, as: 'script' })
      console.log(value)`
    expect(execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' })).toBe('7\n')
  })
})

const STATEMENTS = [
  'for i = 1, 20 do t[i] = i * n end',
  'for k, v in pairs(t) do s = s .. tostring(k) n = n + 1 end',
  't = { a = t }',
  't["k" .. n] = { s }',
  's = s:rep(3) .. n',
  's = s:gsub("%d", "x")',
  'n = n * 3 % 1001',
  'print(t, s:sub(1, 9), n)',
  'bb.set("k" .. n, s)',
  'local ok, e = pcall(function() return t.x.y end) s = s .. tostring(e)',
  'table.sort(t)',
  't.f = function() return n end',
  'n = (bb.get("k" .. n) and 2 or 1) + #s',
  'for w in s:gmatch("%a+") do t[#t + 1] = w end',
  'error(s)',
  'while n < 1e9 do n = n + n end',
  'repeat n = n + 1 until #s > n',
]

function testPools(): readonly LuaPool[] {
  return [1, 2].map(() => new LuaPool({ workers: 1, host: patientHost }))
}

describe('a call that takes too long', () => {
  test('ends with its worker, and the calls that wait get another one', async () => {
    const pool = testPool({ workers: 1, host: hastyHost(30) })
    const slow = pool.run(request(ENDLESS, SLOW))
    const waiting = [pool.run(request(ENDLESS, SLOW)), pool.run(request(ENDLESS, SLOW))]
    expect(await slow).toMatchObject({ ok: false, fault: { code: 'R1243', rule: 'E5003', data: { limit: 'time', timeout_ms: 30_000 } } })
    for (const result of await Promise.all(waiting)) expect(result).toMatchObject({ ok: false, fault: { data: { limit: 'time' } } })
  })

  test('is ended by its signal, and rejects with the reason', async () => {
    const pool = testPool({ workers: 1 })
    const [running, queued] = [new AbortController(), new AbortController()]
    const first = pool.run(request(ENDLESS, { ...SLOW, signal: running.signal }))
    const second = pool.run(request('return 1', { signal: queued.signal }))
    const third = value(pool, 'return 3')
    queued.abort(new Error('queued'))
    running.abort(new Error('running'))
    await expect(first).rejects.toThrow('running')
    await expect(second).rejects.toThrow('queued')
    expect(await third).toBe(3)
    await expect(pool.run(request('return 1', { signal: queued.signal }))).rejects.toThrow('queued')
  })
})

test('a worker whose engine fails is replaced', async () => {
  const pool = testPool({ workers: 1 })
  // No text has so many lines: the worker fails before Lua begins.
  expect(await pool.run(request('return 1', { line: 2 ** 31 }))).toMatchObject({ ok: false, fault: { code: 'R1245' } })
  expect(await value(pool, 'return 1')).toBe(1)
})

test('a closed pool ends its calls and takes no others', async () => {
  const pool = new LuaPool({ workers: 1, host: patientHost })
  const calls = [pool.run(request(ENDLESS, SLOW)), pool.run(request('return 1'))]
  await pool.close()
  for (const result of [...(await Promise.all(calls)), await pool.run(request('return 1'))]) {
    expect(result).toMatchObject({ ok: false, fault: { code: 'R1245' } })
    expect(result.ok ? '' : result.fault.message).toContain('the pool was closed')
  }
})
