-- Plans, lets three researchers work at the same time, merges what they found, and writes a report in which every citation is checked.
local function researcher(number)
  return BT.subtree_ref("researcher", {
    id = "researcher_" .. number,
    bind = { topic = "topics." .. (number - 1) },
    export = { "found" },
  })
end

return BT.tree("research", {
  description = "Answer a question from the documents of this folder",
  blackboard = {
    question = { type = "str", default = "Should we move our backups from tape to object storage?" },
    plan = { type = "any" },
    topics = { type = "list", default = {} },
    found = { type = "any", default = {} },
    draft = { type = "any" },
    problem = { type = "str", default = "none" },
    sources = { type = "list", default = {} },
    report = { type = "str" },
    written = { type = "any" },
  },
  contract = { outputs = { report = "str", written = "any" } },
  root = BT.sequence({
    BT.llm_call("plan", {
      system = "You plan research. Answer with exactly three lines and nothing else. Each line is a topic to search for, in a few words.",
      prompt = "Question: ${bb.question}",
      response_key = "plan",
    }),
    BT.script("read_plan", { file = "scripts/read-plan.lua" }),

    -- Each researcher has a board of its own. Two of three are enough, and the third may finish.
    BT.parallel({ id = "researchers", policy = "require_n", n = 2, on_child_fail = "continue", merge = { found = "collect" } }, {
      researcher(1),
      researcher(2),
      researcher(3),
    }),

    BT.retry(1, BT.sequence({
      BT.llm_call("write", {
        system = "You write short reports. Use only the notes. Put the id of the passage behind every statement, such as [network:3].",
        prompt = "Question: ${bb.question}\n\nNotes:\n${bb.found}\n\nProblem of the last draft: ${bb.problem}",
        response_key = "draft",
      }),
      BT.script("check_citations", { file = "scripts/check-citations.lua" }),
    })),

    BT.tool("report.write", {
      id = "save",
      question = "${bb.question}",
      text = "${bb.report}",
      sources = "${bb.sources}",
      output = "written",
    }),
  }),
})
