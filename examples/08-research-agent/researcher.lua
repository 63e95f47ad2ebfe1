-- One researcher: searches the documents for its topic and takes notes, with the ids of the passages behind them.
return BT.tree("researcher", {
  description = "Search the documents for one topic, and take notes",
  blackboard = {
    topic = { type = "str" },
    passages = { type = "list", default = {} },
    notes = { type = "any" },
    found = { type = "dict" },
  },
  contract = { inputs = { topic = "str" }, outputs = { found = "dict" } },
  root = BT.sequence({
    BT.tool("library.search", { id = "search", query = "${bb.topic}", limit = 8, output = "passages" }),
    BT.condition("has_passages", { condition = "#bb.passages > 0" }),
    BT.llm_call("take_notes", {
      system = "You take notes for a report. Use only the passages. Write one line for each fact, with the id of its passage in brackets "
        .. "behind it, such as [network:3]. Answer NOTHING if no passage says anything about the topic.",
      prompt = "Topic: ${bb.topic}\n\nPassages:\n${bb.passages}",
      response_key = "notes",
    }),
    BT.condition("has_notes", { condition = "bb.notes.content ~= 'NOTHING'" }),
    BT.script("keep", { code = [[
      bb.set("found", { topic = bb.topic, notes = bb.notes.content, passages = bb.passages })
    ]] }),
  }),
})
