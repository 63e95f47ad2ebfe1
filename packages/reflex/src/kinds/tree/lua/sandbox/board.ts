/** The blackboard, the context of a script, and the start of a script. */
export const BOARD = String.raw`
local host, kit = ...
local type, error, setmetatable = type, error, setmetatable
local G = kit.globals
local methods = {}

local function check(key)
  if type(key) ~= "string" then error("a key of the blackboard is a text, not a " .. type(key), 3) end
end

function methods.get(key)
  check(key)
  return (host.get(key))
end
function methods.has(key)
  check(key)
  return (host.has(key))
end
function methods.set(key, value)
  check(key)
  local refused = host.set(key, value)
  if refused then error(refused, 2) end
end
function methods.delete(key)
  check(key)
  local had, refused = host.delete(key)
  if refused then error(refused, 2) end
  return had
end

local board = setmetatable({}, {
  __index = function(_, key)
    local method = methods[key]
    if method then return method end
    if type(key) ~= "string" then return nil end
    return (host.get(key))
  end,
  __newindex = function(_, key)
    error("write with bb.set(\"" .. kit.text_of(key) .. "\", value); fields of bb are read-only", 2)
  end,
  __metatable = false,
})

-- Called by the host with the context before a script runs.
function kit.begin(context)
  context.bb = board
  G.bb, G.blackboard, G.ctx = board, board, kit.seal(context, "ctx")
  kit.unlisted[board] = "bb"
end
`
