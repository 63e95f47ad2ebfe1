-- A citation is right if a researcher found the passage. A draft without citations, or with one that does not exist, is a failure.
local known = {}
for _, found in ipairs(bb.found) do
  for _, passage in ipairs(found.passages) do known[passage.id] = passage end
end

local text, cited, sources = bb.draft.content, {}, {}
for id in string.gmatch(text, "%[([%w%-]+:%d+)%]") do
  if known[id] == nil then
    local problem = "[" .. id .. "] is not among the passages that were found"
    bb.set("problem", problem)
    return { status = "failure", reason = problem }
  end
  if not cited[id] then
    cited[id] = true
    table.insert(sources, known[id])
  end
end
if #sources == 0 then
  bb.set("problem", "it cites no passage")
  return { status = "failure", reason = "the draft cites no passage" }
end
bb.set("sources", sources)
bb.set("report", text)
