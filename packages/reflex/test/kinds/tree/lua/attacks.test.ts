import { describe, expect, onTestFinished, test } from 'vitest'
import { Reflex } from '../../../../src/index.ts'
import { luaPrelude } from '../../../../src/kinds/tree/formats/lua-prelude.ts'
import type { LuaPool, LuaResult } from '../../../../src/kinds/tree/lua/pool.ts'
import type { NodeSource, TreeSource } from '../../../../src/kinds/tree/model/source.ts'
import { memoryStore } from '../../../../src/store/index.ts'
import { ATTACKS } from './attacks-table.ts'
import { hastyHost, patientHost, request, testPool } from './harness.ts'

const MB = 1024 * 1024
const LIMITS = { steps: 1_000_000, memoryBytes: 4 * MB, resultBytes: 100_000 }
/** Attacks that only their worker's end stops have steps enough to run on for minutes. */
const LONG_LIMITS = { timeoutMs: 30_000, memoryBytes: 20 * MB }

/** Reads everything that an attack could have changed, and counts the steps of it. */
const PROBE = `
  local seen = {}
  for _, library in ipairs({ _G, string, table, math }) do
    for name, item in pairs(library) do seen[#seen + 1] = name .. ":" .. tostring(item) end
  end
  local raw = {}
  for i = 1, 40 do raw["key" .. i] = { i } end
  for k, v in pairs(raw) do seen[#seen + 1] = k .. v[1] end
  seen[#seen + 1] = ("Abc"):upper() .. ("abc"):gsub("b", "x") .. ("%s %5.2f"):format("y", 1.5)
  bb.set("probe", #seen)
  return { seen = table.concat(seen, ","), key = bb.given, context = ctx.node_id, memory = ("x"):rep(1000):len() }`

async function probe(pool: LuaPool): Promise<unknown> {
  return pool.run(request(PROBE, { board: { given: [1] }, ctx: { node_id: 'n' } }))
}

async function attack(pool: LuaPool, code: string, end: string): Promise<string> {
  return endOf(await pool.run(request(code, { limits: end === 'time' ? LONG_LIMITS : LIMITS })))
}

function endOf(result: LuaResult): string {
  if (result.ok) return `value: ${JSON.stringify(result.value)}`
  const { code: fault, message, data } = result.fault
  if (fault === 'R1243') return JSON.stringify(data?.['limit']).slice(1, -1)
  if (fault === 'R1261') return `blocked: ${JSON.stringify(data?.['item']).slice(1, -1)}`
  return fault === 'R1241' ? 'syntax' : `error: ${message}`
}

function isExpected(seen: string, end: string): boolean {
  return end
    .split('|')
    .some((one) => (one.startsWith('error: ') ? seen.startsWith('error: ') && seen.includes(one.slice(7)) : one === seen))
}

// proves: tree 56, tree 57, tree 58, tree 59, tree 60, tree 62, tree 63, tree SEC-01
describe('an attack ends, and the next script is unharmed', () => {
  const pool = testPool({ host: patientHost, workers: 1 })

  test.each(ATTACKS.filter(([, , end]) => end !== 'time'))('%s', async (_name, code, end) => {
    const before = await probe(pool)
    const seen = await attack(pool, code, end)
    expect(isExpected(seen, end), `${seen} is not ${end}`).toBe(true)
    expect(await probe(pool)).toEqual(before)
  })

  const killing = testPool({ host: hastyHost(50), workers: 1 })

  test.each(ATTACKS.filter(([, , end]) => end === 'time'))('%s', async (_name, code, end) => {
    const before = await probe(pool)
    // The clock of this pool counts turns of this process: it would stand still if the process did.
    expect(await attack(killing, code, end)).toBe('time')
    expect(await probe(pool)).toEqual(before)
  })

  test('an attack that is repeated ends after the same number of steps', async () => {
    const ends = await Promise.all([1, 2].map(() => pool.run(request('local t = {} while true do t[#t + 1] = {} end', { limits: LIMITS }))))
    expect(ends[0]).toEqual(ends[1])
  })
})

/** Attacks that a limit, a blocked name or the compiler ends, whatever they are for. */
const STOPPED = ATTACKS.filter(
  ([, code, end]) => /^(?:(?:steps|memory|depth|syntax|blocked: \S+)(?:\||$))+$/.test(end) && !/\bbb\b/.test(code),
)

describe('an attack ends as well', () => {
  const pool = testPool({ host: patientHost, workers: 1 })
  const TREE = 'return BT.tree("good", { root = BT.sequence({ BT.succeed(), BT.fail() }) })'
  const load = async (text: string): Promise<LuaResult> => pool.load({ text, file: 'trees/x.lua', prelude: luaPrelude(), limits: LIMITS })

  test('while a file is loaded, and the next file loads as before', async () => {
    const good = await load(TREE)
    expect(good).toMatchObject({ ok: true })
    for (const [name, code, end] of STOPPED) {
      const seen = endOf(await load(code))
      // With the prelude in memory, and frames for tail calls, another counter may be the first.
      expect(isExpected(seen, /steps|memory|depth/.test(end) ? 'steps|memory|depth' : end), `${name}: ${seen} is not ${end}`).toBe(true)
      expect(await load(TREE), name).toEqual(good)
    }
  })

  test('in a condition, and the next condition is evaluated as before', async () => {
    const ask = async (): Promise<LuaResult> =>
      pool.run(request('local n = 0 while n < 3 do n = n + 1 end return n == 3', { as: 'condition' }))
    const good = await ask()
    expect(good).toMatchObject({ ok: true, value: true })
    for (const [name, code, end] of STOPPED) {
      const seen = endOf(await pool.run(request(code, { as: 'condition', limits: LIMITS })))
      expect(isExpected(seen, end), `${name}: ${seen} is not ${end}`).toBe(true)
      expect(await ask(), name).toEqual(good)
    }
  })

  test('in a run of a tree, which goes on as without it', async () => {
    // A user may run ten scripts in a second.
    const attacks = STOPPED.filter(([, , end]) => end !== 'syntax').filter((_, i) => i % 24 === 0)
    const reflex = new Reflex({ store: memoryStore() })
    onTestFinished(() => reflex.close())
    const count = (id: string): NodeSource => ({ type: 'script', id, params: { code: 'bb.set("n", bb.n + 1)' } })
    const script = (code: string, i: number): NodeSource => ({ type: 'script', id: `attack_${i}`, params: { code, timeout_ms: 100 } })
    const children = attacks.flatMap(([, code], i): NodeSource[] => [
      { type: 'always_succeed', id: `kept_${i}`, children: [script(code, i)] },
      count(`count_${i}`),
    ])
    const root: NodeSource = { type: 'sequence', id: 'all', children }
    const board = { n: { type: 'int', default: 0 } }
    const tree: TreeSource = { format: 1, id: 'attacked', board, root }
    const { status, value } = await reflex.run(tree)
    expect([status, value]).toMatchObject(['completed', { n: attacks.length }])
    expect(attacks.length).toBeGreaterThan(3)
  })
})

test('the attacks of the references and more than forty of our own', () => {
  expect(ATTACKS.length).toBeGreaterThan(140)
  expect(new Set(ATTACKS.map(([, code]) => code)).size).toBe(ATTACKS.length)
})
