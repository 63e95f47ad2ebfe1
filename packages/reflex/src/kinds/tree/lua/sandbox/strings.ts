/** The library of texts besides patterns: no dump, no addresses, and loops in C are charged by length. */
export const STRINGS = String.raw`
local host, kit = ...
local raw, G = string, kit.globals
local type, charge, tointeger, select = type, host.charge, math.tointeger, select
local format, raw_find, raw_match, rep, unpack = raw.format, raw.find, raw.match, raw.rep, table.unpack
local lib = kit.patterns

for name in ("byte char len lower reverse sub upper"):gmatch("%S+") do lib[name] = raw[name] end

function lib.rep(s, n, separator)
  -- Nothing repeated is nothing, and C would count to n.
  local count = tointeger(n)
  if s == "" and count and count > 1 and (separator == nil or separator == "") then return "" end
  return rep(s, n, separator)
end

for name in ("pack packsize unpack"):gmatch("%S+") do
  local run = raw[name]
  lib[name] = function(items, ...)
    if type(items) == "string" then charge(#items) end
    return run(items, ...)
  end
end

local nan = host.nan
-- Replaces what has no text of its own for %s, and the sign of what is not a number, which depends on the processor.
function lib.format(...)
  local text = ...
  if type(text) ~= "string" then return format(...) end
  charge(#text // 16)
  local args, at, place = nil, 1, raw_find(text, "%", 1, true)
  while place do
    local conversion = raw_match(text, "^[-+ #0-9.]*(.)", place + 1)
    if not conversion then break end
    local last = raw_find(text, conversion, place + 1, true)
    if conversion == "p" then kit.fail("invalid conversion '%p' to 'format'") end
    if conversion ~= "%" then
      at = at + 1
      local value = select(at, ...)
      local kind = type(value)
      local replaced
      if kind == "number" and value ~= value then replaced = nan
      elseif conversion == "s" and kind ~= "string" and kind ~= "number" and kind ~= "boolean" and kind ~= "nil" then replaced = kind end
      if replaced then
        args = args or { ... }
        args[at] = replaced
      end
    end
    place = raw_find(text, "%", last + 1, true)
  end
  if args then return format(unpack(args, 1, select("#", ...))) end
  return format(...)
end

kit.block(lib, { dump = "string.dump" })
G.string = kit.seal(lib, "string")

-- Methods of texts read the library itself, and nothing reaches the metatable.
local meta = getmetatable("")
meta.__index = lib
meta.__metatable = false
`
