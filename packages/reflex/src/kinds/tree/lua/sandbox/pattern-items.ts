/** The single items of patterns: which bytes each of them matches, and where it ends. Read when a match first reaches them, as C does. */
export const PATTERN_ITEMS = String.raw`
local host, kit = ...
local byte, fail, next = string.byte, kit.fail, next

-- The bytes of each class, by the byte of its letter: %a and %A.
local classes = {}
for letter in ("acdglpsuwx"):gmatch(".") do
  local members, others = {}, {}
  for c = 0, 255 do
    if string.char(c):find("^%" .. letter) then members[c] = true else others[c] = true end
  end
  classes[byte(letter)], classes[byte(letter:upper())] = members, others
end

-- Returns the place behind the single item at p.
local function item_end(m, p)
  local pattern, last = m.pattern, m.last
  local c = byte(pattern, p)
  p = p + 1
  if c == 37 then
    if p > last then fail("malformed pattern (ends with '%')") end
    return p + 1
  elseif c ~= 91 then
    return p
  end
  if byte(pattern, p) == 94 then p = p + 1 end
  repeat
    if p > last then fail("malformed pattern (missing ']')") end
    local inner = byte(pattern, p)
    p = p + 1
    if inner == 37 and p <= last then p = p + 1 end
  until byte(pattern, p) == 93
  return p + 1
end

-- Adds the members of the set from p to its bracket at close.
local function read_set(pattern, p, close)
  local set, negated = {}, false
  p = p + 1
  if byte(pattern, p) == 94 then
    negated = true
    p = p + 1
  end
  while p < close do
    local c = byte(pattern, p)
    if c == 37 then
      p = p + 1
      local class = byte(pattern, p)
      local members = classes[class]
      if members then
        for member in next, members do set[member] = true end
      elseif class then
        set[class] = true
      end
    elseif byte(pattern, p + 1) == 45 and p + 2 < close then
      p = p + 2
      for member = c, byte(pattern, p) do set[member] = true end
    else
      set[c] = true
    end
    p = p + 1
  end
  if not negated then return set end
  local rest = {}
  for c = 0, 255 do if not set[c] then rest[c] = true end end
  return rest
end

local any = {}
for c = 0, 255 do any[c] = true end

-- Items of patterns, kept for the next match: m.ends and m.sets by their place.
local known, known_count = {}, 0
local function compiled(pattern)
  local entry = known[pattern]
  if entry then return entry end
  if known_count >= 100 then known, known_count = {}, 0 end
  entry = { ends = {}, sets = {} }
  known[pattern] = entry
  known_count = known_count + 1
  return entry
end

-- Reads the item at p: its end, and the set of bytes that it matches.
local function read_item(m, p)
  local stop = item_end(m, p)
  local pattern = m.pattern
  local c = byte(pattern, p)
  local set
  if c == 46 then set = any
  elseif c == 37 then
    local class = byte(pattern, p + 1)
    set = classes[class] or { [class] = true }
  elseif c == 91 then set = read_set(pattern, p, stop - 1)
  else set = { [c] = true } end
  m.ends[p], m.sets[p] = stop, set
  return stop, set
end

kit.items = { read_item = read_item, compiled = compiled }
`
