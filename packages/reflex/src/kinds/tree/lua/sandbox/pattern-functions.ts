/** The functions of texts that take patterns. */
export const PATTERN_FUNCTIONS = String.raw`
local host, kit = ...
local type, next = type, next
local byte, sub, concat = string.byte, string.sub, table.concat
local find_plain, raw_find = host.find_plain, string.find
local fail, argument = kit.fail, kit.argument
local start, capture, captures, matcher = kit.match.start, kit.match.capture, kit.match.captures, kit.match.matcher
local text, whole, first_place = kit.pattern_arguments.text, kit.pattern_arguments.whole, kit.pattern_arguments.first_place
local lib = {}
kit.patterns = lib

local function search(s, pattern, init, plain, finds, name)
  s, pattern = text(s, 1, name), text(pattern, 2, name)
  local i = first_place(whole(init, 1, 3, name), #s)
  if i > #s + 1 then return nil end
  host.charge(#pattern // 16)
  if finds and (plain or not raw_find(pattern, "[%^%$%*%+%?%.%(%[%%%-]")) then
    local from = find_plain(s, pattern, i)
    if not from then return nil end
    return from, from + #pattern - 1
  end
  local m = matcher(s, pattern)
  local is_anchored = byte(pattern, 1) == 94
  local p = is_anchored and 2 or 1
  repeat
    local stop = start(m, i, p)
    if stop then
      if finds then return i, stop - 1, captures(m) end
      return captures(m, i, stop)
    end
    i = i + 1
  until i > #s + 1 or is_anchored
  return nil
end

function lib.find(s, pattern, init, plain)
  return search(s, pattern, init, plain, true, "find")
end

function lib.match(s, pattern, init)
  return search(s, pattern, init, false, false, "match")
end

function lib.gmatch(s, pattern, init)
  s, pattern = text(s, 1, "gmatch"), text(pattern, 2, "gmatch")
  local i = first_place(whole(init, 1, 3, "gmatch"), #s)
  local m = matcher(s, pattern)
  local last_stop
  return function()
    while i <= #s + 1 do
      local stop = start(m, i, 1)
      if stop and stop ~= last_stop then
        local from = i
        i, last_stop = stop, stop
        return captures(m, from, stop)
      end
      i = i + 1
    end
    return nil
  end
end

-- Adds a replacement text, in which % introduces a capture.
local function add_text(m, pieces, n, replacement, from, to)
  local at = 1
  while true do
    local percent = raw_find(replacement, "%", at, true)
    if not percent then break end
    pieces[n + 1] = sub(replacement, at, percent - 1)
    n = n + 2
    local c = byte(replacement, percent + 1)
    if c == 37 then
      pieces[n] = "%"
    elseif c == 48 then
      pieces[n] = sub(m.s, from, to - 1)
    elseif c and c > 48 and c <= 57 then
      if c - 48 > m.level and c ~= 49 then fail("invalid capture index %" .. (c - 48) .. " in replacement string") end
      pieces[n] = capture(m, c - 48, from, to)
    else
      fail("invalid use of '%' in replacement string")
    end
    at = percent + 2
  end
  pieces[n + 1] = sub(replacement, at)
  return n + 1
end

local function add_value(m, pieces, n, replacement, kind, from, to)
  if kind == "string" then return add_text(m, pieces, n, replacement, from, to) end
  local value
  if kind == "table" then value = replacement[capture(m, 1, from, to)] else value = replacement(captures(m, from, to)) end
  if not value then
    value = sub(m.s, from, to - 1)
  elseif type(value) ~= "string" and type(value) ~= "number" then
    fail("invalid replacement value (a " .. type(value) .. ")")
  end
  pieces[n + 1] = value
  return n + 1
end

function lib.gsub(s, pattern, replacement, limit)
  s, pattern = text(s, 1, "gsub"), text(pattern, 2, "gsub")
  local kind = type(replacement)
  if kind == "number" then
    replacement, kind = text(replacement, 3, "gsub"), "string"
  elseif kind ~= "string" and kind ~= "table" and kind ~= "function" then
    argument(3, "gsub", "string/function/table expected, got " .. kit.type_name(replacement))
  end
  local most = whole(limit, #s + 1, 4, "gsub")
  local m = matcher(s, pattern)
  local is_anchored = byte(pattern, 1) == 94
  local p = is_anchored and 2 or 1
  local pieces, n, i, copied, count, last_stop = {}, 0, 1, 1, 0, nil
  while count < most do
    local stop = start(m, i, p)
    if stop and stop ~= last_stop then
      count = count + 1
      if i > copied then
        n = n + 1
        pieces[n] = sub(s, copied, i - 1)
      end
      n = add_value(m, pieces, n, replacement, kind, i, stop)
      i, copied, last_stop = stop, stop, stop
    elseif i <= #s then
      i = i + 1
    else
      break
    end
    if is_anchored then break end
  end
  if count == 0 then return s, 0 end
  if copied <= #s then pieces[n + 1] = sub(s, copied) end
  return concat(pieces), count
end
`
