/**
 * The matcher of patterns as the manual of Lua 5.4 describes it, written in Lua: the steps of a pattern that searches without end are counted like
 * those of a loop.
 */
export const PATTERNS = String.raw`
local host, kit = ...
local type, next = type, next
local byte, sub, tointeger, unpack, tostring = string.byte, string.sub, math.tointeger, table.unpack, tostring
local fail, argument = kit.fail, kit.argument
local read_item, compiled = kit.items.read_item, kit.items.compiled

local MOST_CAPTURES, DEEPEST = 32, 200
local OPEN, POSITION = -1, -2

local match

local function open_capture(m, i, p, kind)
  local level = m.level + 1
  if level > MOST_CAPTURES then fail("too many captures") end
  m.starts[level], m.lengths[level], m.level = i, kind, level
  local found = match(m, i, p)
  if not found then m.level = m.level - 1 end
  return found
end

local function close_capture(m, i, p)
  for level = m.level, 1, -1 do
    if m.lengths[level] == OPEN then
      m.lengths[level] = i - m.starts[level]
      local found = match(m, i, p)
      if not found then m.lengths[level] = OPEN end
      return found
    end
  end
  fail("invalid pattern capture")
end

local function match_balance(m, i, p)
  if p + 1 > m.last then fail("malformed pattern (missing arguments to '%b')") end
  local s = m.s
  local opening, closing = byte(m.pattern, p, p + 1)
  if byte(s, i) ~= opening then return nil end
  local depth = 1
  for at = i + 1, m.size do
    local c = byte(s, at)
    if c == closing then
      depth = depth - 1
      if depth == 0 then return at + 1 end
    elseif c == opening then
      depth = depth + 1
    end
  end
  return nil
end

local function match_back(m, i, digit)
  local level = digit - 48
  local length = m.lengths[level]
  if level < 1 or level > m.level or length == OPEN then fail("invalid capture index %" .. level) end
  local start = m.starts[level]
  -- A capture of a position never matches again.
  if length == POSITION or m.size + 1 - i < length then return nil end
  host.charge(length // 16 + 1)
  if sub(m.s, start, start + length - 1) == sub(m.s, i, i + length - 1) then return i + length end
  return nil
end

-- Returns the place behind a match of the pattern from p at the place i of the text, or nil.
function match(m, i, p)
  local depth = m.depth - 1
  if depth == 0 then fail("pattern too complex") end
  m.depth = depth
  local s, size, pattern, last, ends, sets = m.s, m.size, m.pattern, m.last, m.ends, m.sets
  local found
  while true do
    if p > last then
      found = i
      break
    end
    local c = byte(pattern, p)
    local special = false
    if c == 40 then
      if byte(pattern, p + 1) == 41 then found = open_capture(m, i, p + 2, POSITION)
      else found = open_capture(m, i, p + 1, OPEN) end
      break
    elseif c == 41 then
      found = close_capture(m, i, p + 1)
      break
    elseif c == 36 and p == last then
      found = i == size + 1 and i or nil
      break
    elseif c == 37 then
      local d = byte(pattern, p + 1)
      if d == 98 then
        i = match_balance(m, i, p + 2)
        if not i then break end
        p = p + 4
        special = true
      elseif d == 102 then
        p = p + 2
        if byte(pattern, p) ~= 91 then fail("missing '[' after '%f' in pattern") end
        local stop, set = ends[p], sets[p]
        if not stop then stop, set = read_item(m, p) end
        local previous = i == 1 and 0 or byte(s, i - 1)
        if set[previous] or not set[byte(s, i) or 0] then break end
        p = stop
        special = true
      elseif d and d >= 48 and d <= 57 then
        i = match_back(m, i, d)
        if not i then break end
        p = p + 2
        special = true
      end
    end
    if not special then
      local stop, set = ends[p], sets[p]
      if not stop then stop, set = read_item(m, p) end
      local suffix = byte(pattern, stop)
      if suffix == 63 then
        if i <= size and set[byte(s, i)] then
          found = match(m, i + 1, stop + 1)
          if found then break end
        end
        p = stop + 1
      elseif suffix == 42 or suffix == 43 then
        local to = i
        while to <= size and set[byte(s, to)] do to = to + 1 end
        local from = suffix == 43 and i + 1 or i
        while to >= from do
          found = match(m, to, stop + 1)
          if found then break end
          to = to - 1
        end
        break
      elseif suffix == 45 then
        while true do
          found = match(m, i, stop + 1)
          if found or i > size or not set[byte(s, i)] then break end
          i = i + 1
        end
        break
      else
        if i > size or not set[byte(s, i)] then break end
        i = i + 1
        p = stop
      end
    end
  end
  m.depth = depth + 1
  return found
end

local function start(m, i, p)
  m.level, m.depth = 0, DEEPEST
  return match(m, i, p)
end

-- Returns a capture; without any, the whole match is the first.
local function capture(m, level, from, to)
  if level > m.level then
    if level ~= 1 then fail("invalid capture index %" .. level) end
    return sub(m.s, from, to - 1)
  end
  local length = m.lengths[level]
  if length == POSITION then return m.starts[level] end
  if length == OPEN then fail("unfinished capture") end
  return sub(m.s, m.starts[level], m.starts[level] + length - 1)
end

-- Returns all captures. Without any: the whole match, or nothing if there is no "from".
local function captures(m, from, to)
  local count = m.level
  if count == 0 then
    if from then return capture(m, 1, from, to) end
    return
  end
  if count == 1 then return (capture(m, 1, from, to)) end
  local list = {}
  for level = 1, count do list[level] = capture(m, level, from, to) end
  return unpack(list, 1, count)
end

local function text_argument(value, position, name)
  if type(value) == "string" then return value end
  if type(value) == "number" then return tostring(value) end
  return argument(position, name, "string expected, got " .. kit.type_name(value))
end

local function whole_argument(value, default, position, name)
  if value == nil then return default end
  local number = tointeger(value)
  if number then return number end
  if type(value) == "number" then argument(position, name, "number has no integer representation") end
  return argument(position, name, "number expected, got " .. kit.type_name(value))
end

local function first_place(init, size)
  if init > 0 then return init end
  if init == 0 or init < -size then return 1 end
  return size + init + 1
end

local function matcher(s, pattern)
  local entry = compiled(pattern)
  return {
    s = s, size = #s, pattern = pattern, last = #pattern, ends = entry.ends, sets = entry.sets,
    level = 0, depth = DEEPEST, starts = {}, lengths = {},
  }
end

kit.match = { start = start, capture = capture, captures = captures, matcher = matcher }
kit.pattern_arguments = { text = text_argument, whole = whole_argument, first_place = first_place }
`
