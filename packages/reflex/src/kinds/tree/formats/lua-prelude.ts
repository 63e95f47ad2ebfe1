import type { NodeManifest } from '../manifest/manifest.ts'
import { NODES } from '../nodes/table.ts'
import { callNames } from './call-shapes.ts'

/**
 * Returns the Lua that defines `BT` for the sandbox. Each function notes its line and its arguments and returns a handle; what they mean is
 * judged outside of Lua. The noted parts form one list in which tables and nodes refer to earlier ones by number, so that the depth of a tree
 * does not matter.
 */
export function luaPrelude(manifests: readonly NodeManifest[] = NODES): string {
  const names = [...callNames(manifests).keys(), 'tree', 'subtree', 'contract']
  return `${PRELUDE}${names.map((name) => `BT[${JSON.stringify(name)}] = part(${JSON.stringify(name)})\n`).join('')}${FINISH}`
}

const PRELUDE = String.raw`
local host = ...
local pairs, select, type, math_type = pairs, select, type, math.type
local parts, handles, open, count = {}, {}, {}, 0
BT = {}

local encode

local function add(part)
  count = count + 1
  parts[count] = part
  return count
end

local function encode_table(value)
  if open[value] then host.fail("a table contains itself", host.line()) end
  open[value] = true
  local list, keys = {}, {}
  for key, item in pairs(value) do
    if type(key) == "string" then keys[#keys + 1] = { key, encode(item) }
    elseif math_type(key) == "integer" then list[#list + 1] = { key, encode(item) }
    else host.fail("a key of a table must be a text or a whole number", host.line()) end
  end
  open[value] = nil
  return { r = add({ l = list, k = keys }) }
end

function encode(value)
  local kind = type(value)
  if kind == "function" then return { f = true } end
  if kind ~= "table" then return value end
  local known = handles[value]
  if known then return { r = known } end
  return encode_table(value)
end

local function part(name)
  return function(...)
    local given = {}
    for i = 1, select("#", ...) do given[i] = { i, encode((select(i, ...))) } end
    local handle = {}
    handles[handle] = add({ t = name, line = host.line(), a = given })
    return handle
  end
end

`

const FINISH = String.raw`
return function(...)
  local value = ...
  local made = type(value) == "table" and handles[value]
  if made then return { returned = made, parts = parts } end
  return { returned = type(value), parts = {} }
end
`
