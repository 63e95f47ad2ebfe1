/** Sorting, `pairs` and `next` in the order of keys: numbers, then texts, then all others as they lie in the table. Written in Lua, so each step counts. */
export const ORDER = String.raw`
local host, kit = ...
local type, error, next, select = type, error, next, select
local G, views = kit.globals, kit.views

-- Sorts list[1..n] by merging; equal items keep their order. "before" is a function or nil.
local function sort(list, n, before)
  local from, to, width = list, {}, 1
  while width < n do
    local at = 1
    for left = 1, n, 2 * width do
      local i, j = left, left + width
      local middle, last = j, left + 2 * width
      if middle > n + 1 then middle = n + 1 end
      if last > n + 1 then last = n + 1 end
      while i < middle or j < last do
        local takes_right
        if i >= middle then takes_right = true
        elseif j >= last then takes_right = false
        elseif before then takes_right = before(from[j], from[i])
        else takes_right = from[j] < from[i] end
        if takes_right then
          to[at] = from[j]
          j = j + 1
        else
          to[at] = from[i]
          i = i + 1
        end
        at = at + 1
      end
    end
    from, to, width = to, from, 2 * width
  end
  return from
end

function kit.table_sort(t, before)
  if type(t) ~= "table" then kit.argument(1, "sort", "table expected, got " .. kit.type_name(t)) end
  if before ~= nil and type(before) ~= "function" then
    kit.argument(2, "sort", "function expected, got " .. type(before))
  end
  local n = #t
  local list = {}
  for i = 1, n do list[i] = t[i] end
  local sorted = sort(list, n, before)
  for i = 1, n do t[i] = sorted[i] end
end

function kit.type_name(value)
  return value == nil and "no value" or type(value)
end

-- Returns the keys of a table in order, and their number.
local function keys_of(t)
  local numbers, texts, others = {}, {}, {}
  local a, b, c = 0, 0, 0
  local ascending, last = true, nil
  for key in next, t do
    local kind = type(key)
    if kind == "number" then
      a = a + 1
      numbers[a] = key
      if last and key < last then ascending = false end
      last = key
    elseif kind == "string" then
      b = b + 1
      texts[b] = key
    else
      c = c + 1
      others[c] = key
    end
  end
  if not ascending then numbers = sort(numbers, a) end
  if b > 1 then texts = sort(texts, b) end
  if a == 0 and c == 0 then return texts, b end
  for i = 1, b do numbers[a + i] = texts[i] end
  for i = 1, c do numbers[a + b + i] = others[i] end
  return numbers, a + b + c
end
kit.keys_of = keys_of

local function inner_of(t, name)
  if type(t) == "table" then
    if kit.unlisted[t] then kit.fail("the keys of " .. kit.unlisted[t] .. " cannot be listed") end
    return views[t] or t
  end
  return kit.argument(1, name, "table expected, got " .. kit.type_name(t))
end
kit.unlisted = {}

function G.pairs(t)
  local inner = inner_of(t, "pairs")
  local keys, n = keys_of(inner)
  local i = 0
  return function()
    while i < n do
      i = i + 1
      local key = keys[i]
      local value = inner[key]
      if value ~= nil then return key, value end
    end
    return nil
  end, t, nil
end

-- The keys of the table that next saw last, and the place in them.
local seen, seen_keys, seen_count, seen_at

local function place_of(inner, key)
  if seen == inner and seen_keys[seen_at] == key then return seen_at end
  seen, seen_at = inner, 0
  seen_keys, seen_count = keys_of(inner)
  for i = 1, seen_count do
    if seen_keys[i] == key then return i end
  end
  -- The key was removed meanwhile: the place before the first key behind it.
  local kind = type(key)
  if kind ~= "number" and kind ~= "string" then kit.fail("invalid key to 'next'") end
  for i = 1, seen_count do
    local other = seen_keys[i]
    local other_kind = type(other)
    local is_behind
    if other_kind == kind then is_behind = key < other else is_behind = kind == "number" or other_kind ~= "number" end
    if is_behind then return i - 1 end
  end
  return seen_count
end

function G.next(t, key)
  local inner = inner_of(t, "next")
  if key == nil then
    seen, seen_at = inner, 0
    seen_keys, seen_count = keys_of(inner)
  else
    seen_at = place_of(inner, key)
  end
  while seen_at < seen_count do
    seen_at = seen_at + 1
    local found = seen_keys[seen_at]
    local value = inner[found]
    if value ~= nil then return found, value end
  end
  return nil
end
`
