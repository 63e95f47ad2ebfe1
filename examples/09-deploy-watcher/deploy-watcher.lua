-- Watches a service after deployments. One measurement is one event: it is healthy, or the tree repairs it.
return BT.tree("deploy-watcher", {
  description = "Watch a service; restart it, roll it back, and call a person, in this order",
  blackboard = {
    limit = { type = "float", default = 0.05 },
    version = { type = "str", default = "" },
    -- The repairs since the service was last healthy.
    repairs = { type = "int", default = 0 },
    action = { type = "str", default = "none" },
    result = { type = "any" },
    incidents = { type = "int", default = 0 },
  },
  contract = { outputs = { action = "str", incidents = "int" } },
  root = BT.selector({
    -- Before the first measurement there is nothing to do.
    BT.condition("is_start", { condition = "ctx.event == nil" }),

    BT.sequence({
      BT.condition("is_healthy", { condition = "ctx.event.errors <= bb.limit" }),
      BT.set("repairs", { value = 0 }),
      BT.set("action", { value = "none" }),
    }),

    -- First restart it.
    BT.sequence({
      BT.condition("is_first", { condition = "bb.repairs == 0" }),
      BT.set("incidents", "bb.incidents + 1"),
      BT.set("repairs", { value = 1 }),
      BT.set("version", "ctx.event.version"),
      BT.tool("service.restart", { id = "restart", version = "${bb.version}", output = "result" }),
      BT.set("action", { value = "restarted" }),
    }),

    -- Then, or if the restart fails, roll it back.
    BT.sequence({
      BT.condition("is_second", { condition = "bb.repairs == 1" }),
      BT.set("repairs", { value = 2 }),
      BT.tool("service.rollback", { id = "rollback", version = "${bb.version}", output = "result" }),
      BT.set("action", { value = "rolled back" }),
    }),

    -- Nothing has helped: a person decides.
    BT.sequence({
      BT.ask("${bb.version} is unhealthy after a restart and a rollback. What now?", { id = "call", options = { "handled", "ignore" } }),
      BT.set("repairs", { value = 0 }),
      BT.set("action", { value = "handled by a person" }),
    }),
  }),
})
