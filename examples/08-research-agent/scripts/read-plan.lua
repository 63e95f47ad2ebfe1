-- One topic for each line of the plan. A plan of fewer than three lines is a failure: the model did not do what it was asked.
local topics = {}
for line in string.gmatch(bb.plan.content, "[^\n]+") do
  local topic = string.match(line, "^[%s%d%.%-%*]*(.-)%s*$")
  if topic ~= "" then table.insert(topics, topic) end
end
if #topics < 3 then return { status = "failure", reason = "the plan has " .. #topics .. " topics, and three are needed" } end
bb.set("topics", topics)
