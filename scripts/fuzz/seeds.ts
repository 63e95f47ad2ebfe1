/** Texts in which every part of a language stands at least once. Cases and examples are taken as well. */

export const WORKFLOWS: readonly string[] = [
  '{ "id": "w", "entry": "a", "nodes": { "a": { "id": "a", "spec": {} } }, "edges": [] }',
  `{
  // Every form of guard, and a call.
  "id": "forms", "entry": "read",
  "board": { "order": { "type": "object", "properties": { "total": { "type": "number" } }, "required": ["total"] }, "n": { "type": "integer" } },
  "metadata": { "agent": "rules" },
  "nodes": {
    "read": { "id": "read", "spec": { "tool": "json.read", "args": { "path": "x.json" }, "writes": "order" }, "outputs": [{ "key": "order", "guaranteed": true }] },
    "call": { "id": "call", "spec": {}, "invokes": { "workflowId": "child", "version": "1", "returnMap": [{ "parentKey": "n", "childKey": "m" }] } },
    "ask": { "id": "ask", "description": "a person", "spec": { "ask": "Pay {{order.total}}?", "options": [{ "event": "YES", "label": "Pay" }], "due": "3d", "otherwise": "NO" } },
    "think": { "id": "think", "spec": { "prompt": ["Say {{n}}"], "show": ["order"] }, "inputs": [{ "key": "order", "required": true, "inherited": true }] },
    "end": { "id": "end", "spec": { "rules": [{ "when": { "cel": "order.total > 3" }, "complete": true }, { "go": "NEXT" }] } }
  },
  "edges": [
    { "id": "e1", "from": "read", "to": "call", "event": "NEXT", "guard": { "type": "exists", "key": "order" } },
    { "id": "e2", "from": "call", "to": "ask", "event": "NEXT", "guard": { "type": "equals", "key": "n", "value": 3 } },
    { "id": "e3", "from": "call", "to": "think", "event": "SKIP", "guard": { "type": "custom", "name": "mine" } },
    { "id": "e4", "from": "ask", "to": "end", "event": "YES", "guard": { "type": "cel", "expression": "order.total > 50.0 && n in [1, 2]" } },
    { "id": "e5", "from": "ask", "to": "read", "event": "NO", "guard": { "type": "not", "guard": { "type": "not_exists", "key": "n" } } },
    { "id": "e6", "from": "think", "to": "end", "event": "NEXT" },
  ],
}`,
]

export const PIPELINES: readonly string[] = [
  'digraph g { start [shape=Mdiamond] end [shape=Msquare] start -> end }',
  `// Everything that a pipeline can be made of.
digraph Everything {
  graph [goal="Ship \\"it\\"\\nnow", label=All; default_max_retry=3 model_stylesheet="* { llm_model: a-b/c:1; } #plan { llm_provider: 'x' } .deep { reasoning_effort: high }"]
  node [shape=box, timeout=900s, type="compute"]
  edge [weight=0.5]
  rankdir = LR;
  retry.target="plan"

  start [shape=Mdiamond]; end [shape=Msquare, "human.default_choice"="hold"]
  plan [prompt="Plan for $goal // not a comment", class="deep,slow", max_retries="2", goal_gate=true, nullable] // tail
  split [shape=component, join_policy=wait_all]
  # a line that Graphviz skips
  subgraph cluster_work {
    label = "Deep Work"
    node [fidelity="summary:low"]
    left [type="tool", tool_command="make -j2 && ./t \\\\d+", data_class=internal]
    right [type=shell, command="echo \${HOME}", sandbox="none", on_error=fail]
    subgraph inner { deep [param.path="a/b", context_keys="a.b, c", output_key="x"] }
  }
  join [shape=tripleoctagon]
  pick [shape=diamond]
  human [shape=hexagon, label="Ship?", human.timeout_seconds=2.5]

  start -> plan -> split [label="go"]
  split -> left; split -> right /* both */ -> join
  left
    -> join
  join -> pick [condition="outcome=success && context.tests.failed<1 && context.name!=\\"\\""]
  pick -> human [condition="outcome=success", weight=2]
  pick -> plan [condition="outcome!=success", loop_restart=true, label="Again"]
  human -> end [label="[Y] Yes"]
  human -> plan [label="[N] No"][fidelity=full]
  deep []
}
// behind`,
  `digraph Data {
  graph [goal="Count"]
  start [type=start]
  load [type="file.read", source="file", path="data.json", output_key="raw"]
  cut [type="json_extract", source_key="raw", expression="$.items[0].name", output_key="name"]
  each [type=map, items_key="raw", handler_type="transform", max_parallel=4, on_item_error="skip"]
  vote [type="consensus.decide", quorum="majority", mode="decision"]
  check [type=gate, predicate="expression", expression="context.name != ''"]
  call [type="graph.invoke", graph_file="child.dot", pass_context="name"]
  change [type=adapt, mutations="[{\\"op\\":\\"add_node\\",\\"id\\":\\"x\\",\\"attrs\\":{\\"type\\":\\"compute\\"}}]", trust_tier="veteran", dry_run=true]
  save [type="file.write", content_key="name", output="out.txt", skip_middleware="taint_check"]
  done [type=exit]
  start -> load -> cut -> each -> vote -> check -> call -> change -> save -> done
  check -> load [condition="outcome=fail"]
}`,
]

export const CONDITIONS: readonly string[] = [
  'outcome=success',
  'outcome!=fail && context.tests.failed=0',
  'preferred_label="Ship it"&&context.a-b_c!=""',
  'context.n >= 2 && context.n<3.5 && 0=1 && context.flag',
  'context.text="a && b = c" && ',
  'a == b || !c contains d',
]

export const STYLESHEETS: readonly string[] = [
  '* { llm_model: claude-x; llm_provider: anthropic }',
  '.fast, .cheap { llm_model: "a/b:c"; } #plan { reasoning_effort: high; } box { llm_model: m }',
  '/* none */ diamond { unknown: 1; }\n#a{llm_model:x}',
]

export const EXPRESSIONS: readonly string[] = [
  'order.total > 50.0 && order.state in ["lost", "late"]',
  'order.items.all(x, x != null) || has(order.name) ? size(name) : -n % 3',
  'order.items.filter(i, type(i) == int).map(i, i * 2).exists(i, i > 1u)',
  'name.matches("^(A|B)+[a-z]{2}$") && name.startsWith("A") && !ok',
  'timestamp(when) - duration("1h30m") < timestamp("2026-02-01T00:00:00Z")',
  '{"a": [1, 2.5e3, 0x1F, true, null, b"x", r\'\\d\', """long"""]}["a"][0] == board["n"]',
  'string(double(int("7"))) + "\\u00e9\\n" == name',
]

/** Conditions of trees: expressions of Lua. */
export const LUA_EXPRESSIONS: readonly string[] = [
  'bb.battery >= 20 and not bb.ok or bb.name == "Ada"',
  'return ctx.event ~= nil and ctx.event.level == [[high]]',
  '(bb.order.items[1] or 0) + #bb.name * -2 ^ 3 // 4 % 5',
  "bb.get('order').total / 3 .. \"\\u{e9}\\x41\\z  end\" ~= 'x'",
  'math.floor(bb.battery) == math.max(1, 0x1F, 2.5e3) and type(bb.a) == "number"',
  'string.sub(bb.name, 1, -2):upper():len() > tonumber("10") -- a comment',
  'bb.has("a") and tostring(bb["order"]["items"]) ~= nil',
  'local x = bb.a; return x > 1',
]

/** Scripts of BehaviorTree.CPP. */
export const XML_SCRIPTS: readonly string[] = [
  "tries := 0; name = 'Ada'; ok := true",
  'tries += 1; left -= 2.5; both *= 2; half /= 2',
  "a > 1 && !b || (c == 'x' ? d : e != -3)",
  'x := (a + b) * c - 1.5e3 / 0x10; y := a < b',
  "text := 'a' .. b",
]

export const REPLIES: readonly string[] = [
  'On it.\n<SKILL_PROPOSE>{"skill_id":"deploy.app","inputs":{"tag":"v1"},"why":"asked"}</SKILL_PROPOSE>\nDone.',
  '<CLARIFY>{"questions":[{"slot":"tag","question":"Which tag?"}]}</CLARIFY>',
  '```xml\n<SKILL_PROPOSE>{"skill_id":"a"}</SKILL_PROPOSE>\n```\n<SKILL_RESULT>{"status":"ok"}</SKILL_RESULT>\n',
  '> quoted\n\n1. `code` <!-- note -->\n   <SKILL_PROPOSE>\n{"skill_id":"a@1.0.0"}\n</SKILL_PROPOSE>\n<SKILL_BULLETIN turn="0a1b2c3d" same="true"/>',
]
