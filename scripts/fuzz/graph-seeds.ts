/** Host files in which every part stands at least once. No command of them is run. */
export const HOST_FILES: readonly string[] = [
  `{
  // Every sort of channel.
  "kind": "host",
  "dedupe": "run",
  "default_ack_timeout": "5s",
  "constraints": { "max_in_flight": 1, "max_per_window": 5, "rate_window": "1m", "deadline": "10s", "max_retries": 2 },
  "channels": {
    "pager": { "type": "process", "command": ["none", "--quiet"] },
    "web": { "type": "http", "url": "https://example.org/x", "headers": { "Authorization": { "env": "TOKEN" }, "X-A": "b" } },
    "desk": { "type": "program", "start": "workflow:approve", "map": { "amount": "quantity" }, "ends_as": "review" },
    "log": { "type": "ledger", "ledger": "orders" }
  },
  "routes": {
    "notify": { "channel": "pager", "ack_timeout": "10s", "keyed": true, "on_failure": "ask" },
    "post": { "channel": "web" },
    "review": { "channel": "desk" },
    "order": { "channel": "log" }
  },
  "ingress": { "type": "timer", "every": "30s", "semantic_kind": "tick", "field": "ts" }
}`,
  '{ "kind": "host", "ingress": { "type": "process", "command": ["none"] } }',
  '{ "kind": "host", "ingress": { "type": "route" }, "dedupe": "segment" }',
]

/** Files of events of the counter, in every form that an event can have. */
export const EVENT_LINES: readonly string[] = [
  `{"event_id":"a","kind":"Command","at":{"secs":1,"nanos":500000000},"semantic_kind":"press","payload":{"by":1}}
{"event_id":"b","kind":"Pump","at":2.5,"semantic_kind":"press","payload":{"by":2,"n":7}}
{"event_id":"c","kind":"Tick","at":"2026-01-01T00:00:00Z","semantic_kind":"press","payload":{"by":-0}}

{"event_id":"d","at":8640000000000,"semantic_kind":"press","payload":{"by":1e308}}
{"event_id":"a","at":1,"semantic_kind":"press","payload":{"by":5e-324}}
`,
  `{"kind":"episode_start","label":"one"}
{"kind":"event","event":{"type":"Command","id":"f1","payload":{"by":1},"semantic_kind":"press"}}
{"kind":"event","event":{"type":"Pump","id":"f2","payload":{"by":9007199254740993}}}
{"semantic_kind":"press","payload":{"by":1,"__proto__":2}}
{"semantic_kind":"press","payload":{"by":1e999}}
{"semantic_kind":"press","payload":{"by":"1"},"constructor":1}
{"event_id":"~ids/0","semantic_kind":"press","at":{"secs":9007199254740991,"nanos":999999999},"payload":{"by":1.7976931348623157e308}}
null
[]
"x"
`,
]
