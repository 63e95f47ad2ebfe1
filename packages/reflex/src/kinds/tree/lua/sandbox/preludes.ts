/** The globals of a prelude, which are its own: what a file assigns to its globals does not reach the functions of BT. */
export const PRELUDES = String.raw`
local host, kit = ...
local G, type, next = kit.globals, type, next

function kit.environment()
  local environment = {}
  for name, value in next, G do environment[name] = value end
  environment._G = nil
  return environment
end

function kit.publish(environment)
  if type(environment.BT) == "table" then G.BT = kit.seal(environment.BT, "BT") end
end
`
