/**
 * Builds the globals of user code: the safe part of the base library, views on libraries that cannot be changed, and blocked names that raise E7001.
 * `kit` is shared by the parts of the sandbox; `host` has the functions of the machine.
 */
export const CORE = String.raw`
local host, kit = ...
local raw_type, raw_error, raw_pcall, raw_xpcall = type, error, pcall, xpcall
local raw_tostring, raw_setmetatable, raw_select = tostring, setmetatable, select
local G = {}
kit.globals = G

-- The deepest nesting of pcall and xpcall; Lua itself can nest 200 calls of C.
local DEEPEST = 150

local blocked = {}
for name in ("os io debug package load loadstring loadfile dofile require rawget rawset rawequal rawlen getmetatable setmetatable "
  .. "getfenv setfenv collectgarbage newproxy coroutine module gcinfo jit bit bit32 ffi python js"):gmatch("%S+") do
  blocked[name] = name
end

-- Returns a table without entries of its own that reads another one and cannot be written. Pairs knows it by kit.views.
kit.views = {}
function kit.seal(inner, name)
  local view = {}
  kit.views[view] = inner
  return raw_setmetatable(view, {
    __index = inner,
    __newindex = function() raw_error(name .. " is read-only", 2) end,
    __len = function() return #inner end,
    __metatable = false,
  })
end

-- Lets the absent fields of a library raise E7001 if they are blocked.
function kit.block(library, names)
  return raw_setmetatable(library, {
    __index = function(_, key)
      local name = raw_type(key) == "string" and names[key]
      if name then host.blocked(name) end
      return nil
    end,
    __metatable = false,
  })
end

kit.block(G, blocked)

-- Raises an error at the line of the user, from any depth of the library.
function kit.fail(message)
  return raw_error(host.where() .. message, 0)
end

function kit.argument(position, name, message)
  return kit.fail("bad argument #" .. position .. " to '" .. name .. "' (" .. message .. ")")
end

-- Texts of tables and functions have no address.
local function text_of(value)
  local kind = raw_type(value)
  if kind == "number" then return value ~= value and "nan" or raw_tostring(value) end
  if kind == "string" or kind == "boolean" or kind == "nil" then return raw_tostring(value) end
  return kind
end
kit.text_of = text_of

function G.tostring(...)
  if raw_select("#", ...) == 0 then return raw_tostring() end
  return (text_of((...)))
end

local tonumber, charge = tonumber, host.charge
function G.tonumber(value, ...)
  if raw_type(value) == "string" and #value > 256 then charge(#value // 16) end
  return tonumber(value, ...)
end

-- A message with a position in the library gets the position of the user.
local sub, find = string.sub, string.find
local function with_place(message)
  if raw_type(message) ~= "string" or sub(message, 1, 7) ~= "reflex:" then return message end
  local _, last = find(message, "^reflex:%d+: ")
  return last and host.where() .. sub(message, last + 1) or message
end

-- A limit of depth of our own, since the one of Lua could be caught.
local depth = 0
local function leave(outer, ...)
  depth = outer
  return ...
end
local function enter()
  if depth >= DEEPEST then host.too_deep() end
  depth = depth + 1
  return depth - 1
end
function G.pcall(...)
  if raw_select("#", ...) == 0 then return raw_pcall() end
  local outer = enter()
  return leave(outer, raw_xpcall((...), with_place, raw_select(2, ...)))
end
function G.xpcall(f, handler, ...)
  if raw_type(handler) ~= "function" then kit.argument(2, "xpcall", "function expected, got " .. kit.type_name(handler)) end
  local outer = enter()
  return leave(outer, raw_xpcall(f, function(message) return handler(with_place(message)) end, ...))
end

local concat = table.concat
function G.print(...)
  local texts = { ... }
  for i = 1, raw_select("#", ...) do texts[i] = text_of(texts[i]) end
  host.print(concat(texts, "\t"))
end

G.assert, G.error, G.select, G.type, G.ipairs = assert, error, select, type, ipairs
G._VERSION = _VERSION
G._G = G

local mathematics = {}
for name, value in next, math do mathematics[name] = value end
mathematics.random, mathematics.randomseed = nil, nil
kit.block(mathematics, { random = "math.random", randomseed = "math.randomseed" })
G.math = kit.seal(mathematics, "math")
`
