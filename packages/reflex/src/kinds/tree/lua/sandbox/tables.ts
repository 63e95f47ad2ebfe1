/** The library of tables: functions whose loops run in C are charged by the number of items that they visit. */
export const TABLES = String.raw`
local host, kit = ...
local type, charge, tointeger = type, host.charge, math.tointeger
local raw, G = table, kit.globals
local lib = {}

local concat, insert, remove, move, unpack = raw.concat, raw.insert, raw.remove, raw.move, raw.unpack

-- Charges a range of places, if it is one.
local function charge_range(from, to)
  local first, last = tointeger(from), tointeger(to)
  if first and last and last >= first then
    local count = last - first + 1
    charge(count > 0 and count or math.maxinteger)
  end
end

local function size(t)
  return type(t) == "table" and #t or 0
end

function lib.concat(t, separator, from, to)
  charge_range(from or 1, to or size(t))
  return concat(t, separator, from, to)
end

function lib.insert(t, ...)
  local place = ...
  if select("#", ...) == 2 then charge_range(place, size(t)) end
  return insert(t, ...)
end

function lib.remove(t, ...)
  local place = ...
  if place ~= nil then charge_range(place, size(t)) end
  return remove(t, ...)
end

function lib.move(t, from, to, ...)
  charge_range(from, to)
  return move(t, from, to, ...)
end

function lib.unpack(t, from, to)
  charge_range(from or 1, to or size(t))
  return unpack(t, from, to)
end

lib.pack = raw.pack
lib.sort = kit.table_sort
G.table = kit.seal(lib, "table")
G.unpack = lib.unpack
`
