import * as fc from 'fast-check'
import { LuaFactory } from 'wasmoon'
import { describe, expect, test } from 'vitest'
import { FILE, testPool } from './harness.ts'

/** The calls of one case in Lua: text, pattern, start. Each gives its results, or its message without a position. */
const CALLS = `
local s, p, init = ...
local function show(ok, ...)
  local list = { ok and "ok" or "error" }
  for i = 1, select("#", ...) do
    local value = select(i, ...)
    list[#list + 1] = type(value) .. ":" .. tostring(value)
  end
  if not ok then list[2] = list[2]:gsub("^string:.-:%d+: ", "string:") end
  return table.concat(list, "|")
end
local function all()
  local found = {}
  for a, b in s:gmatch(p) do
    found[#found + 1] = tostring(a) .. "," .. tostring(b)
    if #found > 50 then break end
  end
  return table.concat(found, ";")
end
return (table.concat({
  show(pcall(string.find, s, p, init)),
  show(pcall(string.match, s, p, init)),
  show(pcall(string.find, s, p, init, true)),
  show(pcall(all)),
  show(pcall(string.gsub, s, p, "<%0>")),
  show(pcall(string.gsub, s, p, "%1%%", 2)),
  show(pcall(string.gsub, s, p, function(a, b) return b end)),
  show(pcall(string.gsub, s, p, { a = "1", ab = 2, b = false })),
}, "\\n"):gsub("[\\128-\\255]", function(c) return "~" .. c:byte() end))`

function caseText([s, p, init]: readonly [string, string, number]): string {
  return `local s, p, init = [==[\n${s}]==], [==[\n${p}]==], ${init}\n${CALLS.replace('local s, p, init = ...', '')}`
}

const PIECES =
  'a b ab . %a %d %s %w %A %x %p %u %l %c %g [ab] [^a] [a-c] [%d%s] []] [^]x] [a-] [%]] ( ) () (a b) (.) (a*) %1 %2 %b() %bab %f[a] %f[%W] ^ $ % %% ' +
  '[ %f %b [a [% * + - ? .* .- a? b+ .+ [ab]* %. %z %y 1 (() [[:alpha:]'
const piece = fc.constantFrom(...PIECES.split(' '))
const pattern = fc.array(piece, { maxLength: 5 }).map((pieces) => pieces.join(''))
const subject = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '1', ' ', '(', ')', ']', '-', 'x', 'é'), maxLength: 12 })

describe('patterns are those of Lua 5.4', () => {
  const pool = testPool()

  test('for generated patterns and texts', async () => {
    const factory = new LuaFactory()
    const real = await factory.createEngine({ injectObjects: false, enableProxy: false })
    const ours = async (code: string): Promise<unknown> => {
      const result = await pool.run({ code, file: FILE, line: 1, board: {}, ctx: {}, as: 'script' })
      return result.ok ? result.value : result.fault.message
    }
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(subject, pattern, fc.integer({ min: -14, max: 14 })), { minLength: 20, maxLength: 20 }),
        async (cases) => {
          const code = `return table.concat({ ${cases.map((it) => `(function() ${caseText(it)} end)()`).join(',\n')} }, "\\n\\n")`
          const [expected, seen] = [real.doStringSync(code) as string, (await ours(code)) as string]
          for (const [i, text] of expected.split('\n\n').entries()) expect(seen.split('\n\n')[i], JSON.stringify(cases[i])).toBe(text)
        },
      ),
      { numRuns: 40 },
    )
    real.global.close()
  })
})
