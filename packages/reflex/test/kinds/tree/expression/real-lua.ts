import { LuaFactory } from 'wasmoon'
import type { Json } from '../../../../src/kernel/index.ts'
import type { Environment } from '../../../../src/kinds/tree/lua/expression/compile.ts'
import { LuaError, type LuaValue } from '../../../../src/kinds/tree/lua/expression/values.ts'

/** The board and the context of one comparison. */
export interface Scene {
  readonly board: Readonly<Record<string, Json>>
  readonly event: Json
}

/** A real Lua that describes results exactly: the subtype of numbers, the bytes of strings, the place of tables, the message of errors. */
export interface RealLua {
  /** Gives the scripts a board and a context. */
  enter(scene: Scene): void
  /** Returns the description of the value of an expression. */
  describe(expression: string): string
  /** Returns the description of the number that `tonumber` reads. */
  describeNumber(text: string): string
  /** True if the text is Lua: an expression, or statements. */
  isLua(text: string): boolean
}

const PRELUDE = `
local function hex(s) return (s:gsub(".", function(c) return string.format("%02x", c:byte()) end)) end
paths, keys = {}, {}
function place(t, of)
  if type(t) ~= "table" then return t end
  paths[t] = of
  for k, v in pairs(t) do place(v, of .. "/" .. tostring(k)) end
  return t
end
local function get(k) return board[k] end
local function has(k) return keys[k] == true end
function enter()
  bb = setmetatable({ get = get, has = has }, { __index = board })
  blackboard = bb
  ctx = { tick_count = 3, node_id = "n", tree_id = "t", event = event, bb = bb }
end
function describe(source)
  local f, problem = load("return " .. source, "=c")
  f = f or load(source, "=c")
  if not f then return "syntax " .. problem end
  local ok, v = pcall(f)
  if not ok then return "error " .. (v:gsub("^c:%d+: ", "")) end
  if math.type(v) == "integer" then return "integer " .. string.format("%d", v) end
  if v ~= v then return "float nan" end
  if math.type(v) == "float" then return "float " .. hex(string.pack(">d", v)) end
  if type(v) == "string" then return "string " .. hex(v) end
  if type(v) == "table" then return "table " .. paths[v] end
  return type(v) .. " " .. tostring(v)
end
function describeNumber(text) number = tonumber(text); return describe("number") end
function isLua(text) return (load("return " .. text) or load(text)) ~= nil end
`

/** Starts a Lua with its standard libraries. */
export async function startLua(): Promise<RealLua> {
  const lua = await new LuaFactory().createEngine({ openStandardLibs: true, injectObjects: false, enableProxy: false })
  lua.doStringSync(PRELUDE)
  const call = (name: string, ...given: unknown[]): unknown => (lua.global.get(name) as (...given: unknown[]) => unknown)(...given)
  return {
    enter({ board, event }) {
      const names = Object.keys(board).map((key) => `[${luaText(key)}]=true`)
      lua.doStringSync(`paths = {}; keys = {${names.join(',')}}
        board = place(${luaText(board)}, "bb"); event = place(${luaText(event)}, "ctx/event"); enter()`)
    },
    describe: (expression) => String(call('describe', expression)),
    describeNumber: (text) => String(call('describeNumber', text)),
    isLua: (text) => call('isLua', text) === true,
  }
}

/** Returns a JSON value as Lua: integral numbers are integers. */
function luaText(json: Json): string {
  if (json === null) return 'nil'
  if (typeof json === 'string') return `"${[...Buffer.from(json)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('')}"`
  if (typeof json === 'number') return Number.isSafeInteger(json) ? String(json + 0) : json.toExponential()
  if (typeof json === 'boolean') return String(json)
  if (Array.isArray(json)) return `{${json.map(luaText).join(',')}}`
  return `{${Object.entries(json)
    .map(([key, value]) => `[${luaText(key)}]=${luaText(value)}`)
    .join(',')}}`
}

/** Returns the scene as expressions see it. */
export function environmentOf({ board, event }: Scene): Environment {
  const context: Readonly<Record<string, Json>> = { tick_count: 3, node_id: 'n', tree_id: 't', event }
  return {
    bb: (key) => (Object.hasOwn(board, key) ? board[key] : undefined),
    has: (key) => Object.hasOwn(board, key),
    ctx: (field) => context[field],
  }
}

/** Describes the outcome of an evaluation as `RealLua.describe` does. */
export function describeOutcome(evaluate: () => LuaValue): string {
  try {
    return describeValue(evaluate())
  } catch (error) {
    if (error instanceof LuaError) return `error ${error.message}`
    throw error
  }
}

export function describeValue(value: LuaValue): string {
  switch (typeof value) {
    case 'undefined':
      return 'nil nil'
    case 'bigint':
      return `integer ${value}`
    case 'number':
      return `float ${Number.isNaN(value) ? 'nan' : floatBytes(value)}`
    case 'string':
      return `string ${Buffer.from(value, 'latin1').toString('hex')}`
    case 'object': {
      const outer = typeof value.of === 'string' ? value.of : describeValue(value.of).slice('table '.length)
      return `table ${outer === 'bb' ? `bb/${value.key}` : `${outer}/${value.key}`}`
    }
    default:
      return `boolean ${value}`
  }
}

function floatBytes(float: number): string {
  const buffer = Buffer.alloc(8)
  buffer.writeDoubleBE(float)
  return buffer.toString('hex')
}
