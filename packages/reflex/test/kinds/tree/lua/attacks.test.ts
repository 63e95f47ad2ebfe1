import { describe, expect, test } from 'vitest'
import type { LuaPool } from '../../../../src/kinds/tree/lua/pool.ts'
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
  const result = await pool.run(request(code, { limits: end === 'time' ? LONG_LIMITS : LIMITS }))
  if (result.ok) return `value: ${JSON.stringify(result.value)}`
  const { code: fault, message, data } = result.fault
  if (fault === 'R1243') return JSON.stringify(data?.['limit']).slice(1, -1)
  if (fault === 'R1261') return `blocked: ${JSON.stringify(data?.['item']).slice(1, -1)}`
  return fault === 'R1241' ? 'syntax' : `error: ${message}`
}

function isExpected(seen: string, end: string): boolean {
  return end.startsWith('error: ') ? seen.startsWith('error: ') && seen.includes(end.slice(7)) : end.split('|').includes(seen)
}

// proves: tree 56, tree 57, tree 58, tree 59, tree 60, tree 62, tree 63
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
