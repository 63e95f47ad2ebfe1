import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DEED, GATE, GATE_ADAPTER, GATE_HOST } from './gate.ts'
import type { Plan } from './plan.ts'

/** A program whose runs do known steps. */
export interface Subject {
  readonly kind: 'workflow' | 'pipeline' | 'tree' | 'dataflow' | 'skill'
  /** Its file below the folder of `writePrograms`. */
  readonly file: string
  readonly plan: Plan
  /** The answer to its questions. Its runs have no questions without one. */
  readonly answer?: string
  /** The messages that a run gets, each when the run rests. */
  readonly messages?: readonly { readonly topic: string; readonly body: object | null }[]
  /** Further options of `Reflex.start`. */
  readonly options?: (run: string) => object
}

/** Milliseconds: a short sleep stays with its worker, a long one leaves it. */
const SHORT_MS = 400
const LONG_MS = 7000

const note = (step: unknown) => ({ tool: 'note', args: { step } })

/** A workflow whose nodes follow each other. */
function inOrder(id: string, nodes: Readonly<Record<string, object>>): object {
  const names = Object.keys(nodes)
  const edges = names.slice(1).map((to, i) => ({ id: `to-${to}`, from: names[i], to, event: names[i] === 'ask' ? 'YES' : 'NEXT' }))
  return {
    id,
    entry: names[0],
    nodes: Object.fromEntries(Object.entries(nodes).map(([name, node]) => [name, { id: name, ...node }])),
    edges,
  }
}

const ERRAND = inOrder('errand', {
  one: { spec: note('one') },
  parcel: { spec: {}, invokes: { workflowId: 'pipeline:parcel', returnMap: [] } },
  ask: { spec: { ask: 'Go on?', options: [{ event: 'YES' }] } },
  walk: { spec: {}, invokes: { workflowId: 'tree:walk', returnMap: [] } },
  two: { spec: note('two') },
})

const PARCEL = `digraph parcel {
  start [shape=Mdiamond]
  p1 [type="graph.invoke", program="workflow:note-p1"]
  pause [type="wait.timer", duration="${SHORT_MS}ms"]
  fork [shape=component, max_parallel=2]
  left [type="graph.invoke", program="workflow:note-left"]
  left2 [type="graph.invoke", program="workflow:note-left2"]
  right [type="graph.invoke", program="workflow:note-right"]
  join [shape=tripleoctagon]
  p2 [type="graph.invoke", program="workflow:note-p2"]
  done [shape=Msquare]
  start -> p1 -> pause -> fork
  fork -> left -> left2 -> join
  fork -> right -> join
  join -> p2 -> done
}
`
const PARCEL_PLAN: Plan = ['p1', { beside: [['left', 'left2'], 'right'] }, 'p2']

const JOURNEY = `digraph journey {
  start [shape=Mdiamond]
  j1 [type="graph.invoke", program="workflow:note-j1"]
  sleep [type="wait.timer", duration="${LONG_MS}ms"]
  j2 [type="graph.invoke", program="workflow:note-j2"]
  ask [shape=hexagon, label="Go on?"]
  walk [type="graph.invoke", program="tree:walk"]
  j3 [type="graph.invoke", program="workflow:note-j3"]
  done [shape=Msquare]
  start -> j1 -> sleep -> j2 -> ask
  ask -> walk [label="YES"]
  walk -> j3 -> done
}
`

/** Writes a step. Its time limit is long: it counts while the run has no worker. */
const NOTE = 'local function note(step) return BT.tool("note", { step = step, timeout = 600000 }) end\n'

const WALK = `${NOTE}return BT.tree("walk", {
  root = BT.sequence({
    note("w1"),
    BT.parallel({ policy = "require_all" }, {
      BT.sequence({ note("wa1"), note("wa2") }),
      BT.sequence({ BT.wait(${SHORT_MS}), note("wb1") }),
    }),
    note("w2"),
  }),
})
`
const WALK_PLAN: Plan = ['w1', { beside: [['wa1', 'wa2'], 'wb1'] }, 'w2']

const PATROL = `${NOTE}return BT.tree("patrol", {
  blackboard = { answer = { type = "str" } },
  root = BT.sequence({
    note("t1"),
    BT.wait(${LONG_MS}),
    BT.call("workflow:note-t2"),
    BT.ask("Go on?", { options = { "YES", "NO" }, output = "answer" }),
    BT.call("pipeline:parcel"),
    note("t3"),
  }),
})
`

const ROUND = {
  schema: 'reflex.capability/1',
  id: 'round',
  version: '1.0.0',
  owner: 'writers',
  description: 'Notes steps, by itself and by programs.',
  compat: {},
  signature: { inputs: [{ name: 'name', type: 'string', description: 'The name of its run' }], outputs: [] },
  preconditions: { tools_available: ['note'] },
  plan: {
    idempotence_key: 'round:{{name}}',
    budget: { max_latency_ms: 600_000 },
    steps: [
      { id: 's1', tool: 'note', args: { step: 's1' }, timeout_ms: 600_000 },
      { id: 's2', tool: 'workflow:note-s2', timeout_ms: 600_000 },
      { id: 'walk', tool: 'tree:walk', timeout_ms: 600_000 },
      { id: 's3', tool: 'note', args: { step: 's3' }, timeout_ms: 600_000 },
    ],
    compensation: 'none',
    irreversible_reason: 'A note does no harm.',
  },
  effects: { writes: [], external: ['created:note'] },
  activation: { keywords_any: ['round'], score_weights: { keyword_hit: 1 }, tau: 1, max_concurrency: 64 },
}

const PRESSES = [1, 2, 3]
const press = (n: number) => ({ topic: 'event', body: { event_id: `e${n}`, semantic_kind: 'press', payload: { n } } })

const NOTED = ['p1', 'left', 'left2', 'right', 'p2', 'j1', 'j2', 'j3', 't2', 's2']
const FILES: Readonly<Record<string, object | string>> = {
  'errand.workflow.json': ERRAND,
  'parcel.dot': PARCEL,
  'journey.dot': JOURNEY,
  'walk.lua': WALK,
  'patrol.lua': PATROL,
  'round.skill.json': ROUND,
  'gate.dataflow.json': GATE,
  'gate.adapter.json': GATE_ADAPTER,
  'gate.host.json': GATE_HOST,
  'deed.primitive.json': DEED,
  'deed.workflow.json': inOrder('deed', { note: { spec: note({ from: 'n' }), inputs: [{ key: 'n', required: true, inherited: true }] } }),
  ...Object.fromEntries(NOTED.map((step) => [`note-${step}.workflow.json`, inOrder(`note-${step}`, { note: { spec: note(step) } })])),
}

/** Writes the programs into a folder. */
export function writePrograms(folder: string): void {
  mkdirSync(folder, { recursive: true })
  for (const [name, text] of Object.entries(FILES))
    writeFileSync(join(folder, name), typeof text === 'string' ? text : JSON.stringify(text))
}

/** A program of each kind. Each has effects and sleeps, all but the graph and the skill ask, and each calls programs of other kinds. */
export const SUBJECTS: readonly Subject[] = [
  { kind: 'workflow', file: 'errand.workflow.json', plan: ['one', PARCEL_PLAN, WALK_PLAN, 'two'], answer: 'YES' },
  { kind: 'pipeline', file: 'journey.dot', plan: ['j1', 'j2', WALK_PLAN, 'j3'], answer: 'YES' },
  { kind: 'tree', file: 'patrol.lua', plan: ['t1', 't2', PARCEL_PLAN, 't3'], answer: 'YES' },
  {
    kind: 'dataflow',
    file: 'gate.dataflow.json',
    plan: PRESSES.map(String),
    messages: [...PRESSES.map(press), { topic: 'event', body: null }],
    options: () => ({ dataflow: { stays: true } }),
  },
  {
    kind: 'skill',
    file: 'round.skill.json',
    plan: ['s1', 's2', WALK_PLAN, 's3'],
    options: (name) => ({ input: { name }, skill: { draft: true } }),
  },
]
