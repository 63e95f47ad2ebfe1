import type { CanonicalType } from './typed.ts'

/** What a type name stands for (seed pipeline appendix B). */
export interface Alias {
  readonly canonical: CanonicalType
  /** What it says for dispatch; authored attributes never change it (reference pipeline 2.6, 34). */
  readonly injected: Readonly<Record<string, string>>
}

/** The fifteen canonical types, in the order of seed pipeline 4.2. */
export const CANONICAL_TYPES: readonly CanonicalType[] = [
  'start',
  'exit',
  'branch',
  'parallel',
  'fan_in',
  'compute',
  'transform',
  'exec',
  'read',
  'write',
  'compose',
  'map',
  'adapt',
  'wait',
  'gate',
]

type Rows = readonly (readonly [name: string, canonical: CanonicalType, injected?: Readonly<Record<string, string>>])[]

const NAMES: Rows = [
  ['conditional', 'branch'],
  ['parallel.fan_in', 'fan_in'],
  ['codergen', 'compute', { purpose: 'llm' }],
  ['routing.select', 'compute', { purpose: 'routing' }],
  ['prompt.ab_test', 'compute', { purpose: 'ab_test' }],
  ['drift_detect', 'compute', { purpose: 'drift_detect' }],
  ['retry.escalate', 'compute', { purpose: 'retry_escalate' }],
  ['eval.run', 'compute', { purpose: 'eval_run' }],
  ['eval.aggregate', 'compute', { purpose: 'eval_aggregate' }],
  ['tool', 'exec', { target: 'tool' }],
  ['shell', 'exec', { target: 'shell' }],
  ['memory.recall', 'read', { source: 'memory', op: 'recall' }],
  ['memory.working_load', 'read', { source: 'memory', op: 'working_load' }],
  ['memory.stats', 'read', { source: 'memory', op: 'stats' }],
  ['memory.recall_store', 'read', { source: 'memory', op: 'recall_store' }],
  ['eval.dataset', 'read', { source: 'eval_dataset' }],
  ['file.write', 'write', { target: 'file' }],
  ['memory.consolidate', 'write', { target: 'memory', op: 'consolidate' }],
  ['memory.index', 'write', { target: 'memory', op: 'index' }],
  ['memory.working_save', 'write', { target: 'memory', op: 'working_save' }],
  ['memory.store_file', 'write', { target: 'memory', op: 'store_file' }],
  ['accumulator', 'write', { target: 'accumulator', mode: 'append' }],
  ['eval.persist', 'write', { target: 'eval', op: 'persist' }],
  ['eval.report', 'write', { target: 'eval', op: 'report' }],
  ['graph.invoke', 'compose', { mode: 'invoke' }],
  ['graph.compose', 'compose', { mode: 'compose' }],
  ['pipeline.run', 'compose', { mode: 'pipeline' }],
  ['feedback.loop', 'compose', { mode: 'feedback' }],
  ['stack.manager_loop', 'compose', { mode: 'manager_loop' }],
  ['graph.adapt', 'adapt'],
  ['wait.human', 'wait', { source: 'human' }],
  ['output.validate', 'gate', { predicate: 'output_valid' }],
  ['pipeline.validate', 'gate', { predicate: 'pipeline_valid' }],
]

/** The seventeen services of a session (seed pipeline B.7; reference pipeline 2.6, 35). */
export const SESSION_SERVICES: readonly string[] = [
  'classify',
  'memory_recall',
  'mode_select',
  'llm_call',
  'tool_dispatch',
  'format',
  'memory_update',
  'checkpoint',
  'background_checks',
  'process_results',
  'route_actions',
  'update_goals',
  'store_decompositions',
  'process_proposal_decisions',
  'consolidate',
  'update_working_memory',
  'store_identity',
]

/** The five services of a council (seed pipeline B.8). */
export const CONSENSUS_SERVICES: readonly string[] = ['propose', 'ask', 'await', 'check', 'decide']

/** Names that the body of the seed uses and its appendix B leaves out (reference pipeline 4.1). */
const EXTENSION_NAMES: Rows = [
  ['wait.timer', 'wait', { source: 'timer' }],
  ['wait.signal', 'wait', { source: 'signal' }],
  ['gate.approval', 'gate', { predicate: 'approval' }],
  ['gate.trust', 'gate', { predicate: 'trust' }],
  ['gate.capability', 'gate', { predicate: 'capability' }],
  ['compose.pipeline', 'compose', { mode: 'pipeline' }],
]

/** The 70 entries of appendix B: 55 aliases, and the fifteen types as names for themselves. */
export const STANDARD_NAMES: ReadonlyMap<string, Alias> = tableOf([
  ...NAMES,
  ...SESSION_SERVICES.map((service) => [`session.${service}`, 'compose', { mode: 'session' }] as const),
  ...CONSENSUS_SERVICES.map((service) => [`consensus.${service}`, 'compose', { mode: 'consensus' }] as const),
  ...CANONICAL_TYPES.map((type) => [type, type] as const),
])

/** Every type name: appendix B, and the six outside it. */
export const TYPE_NAMES: ReadonlyMap<string, Alias> = new Map([...STANDARD_NAMES, ...tableOf(EXTENSION_NAMES)])

/** The type that a shape stands for, where no type is written (seed pipeline 4.4); `box` stands for none. */
export const SHAPES: ReadonlyMap<string, string> = new Map([
  ['Mdiamond', 'start'],
  ['Msquare', 'exit'],
  ['diamond', 'conditional'],
  ['parallelogram', 'tool'],
  ['hexagon', 'wait.human'],
  ['component', 'parallel'],
  ['tripleoctagon', 'parallel.fan_in'],
  ['house', 'stack.manager_loop'],
  ['octagon', 'graph.adapt'],
])

function tableOf(rows: Rows): ReadonlyMap<string, Alias> {
  return new Map(rows.map(([name, canonical, injected = {}]) => [name, { canonical, injected }]))
}
