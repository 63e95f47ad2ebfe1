import type { AnswerOptions } from '../runs/answering.ts'
import type { CancelOptions } from '../runs/cancelling.ts'
import type { ListenOptions } from '../runs/handle.ts'
import type { SignalOptions } from '../runs/signalling.ts'
import type { ExportOptions } from '../history/archive/export.ts'
import type { ForgetOptions } from '../history/archive/forget.ts'
import type { ImportOptions } from '../history/archive/import.ts'
import type { TraceOptions } from '../history/trace-of.ts'
import type { CollectOptions } from '../runs/collecting.ts'
import type { ProposedServers } from '../mcp/index.ts'
import type { AgentChoice } from '../policy/index.ts'
import type { ForkRunOptions } from './forking.ts'
import type { ReplayOptions } from './replaying.ts'
import { isObject, type RunFilter } from '../kernel/index.ts'
import type { AnyKindModule } from '../programs/kind-module.ts'
import { BODY_FORMS } from '../programs/load-body.ts'
import type { RunOptionTable, RunOptionType } from '../programs/run-options.ts'
import type { ClusterSettings, ResumeOptions, SharedOptions, SharedRunOptions, WorkOptions } from './options.ts'
import { TRUST_LEVELS } from '../policy/index.ts'
import {
  ANYTHING,
  anyOf,
  FLAG,
  type Form,
  FUNCTION,
  objectWith,
  listOf,
  NAMED_VALUES,
  NUMBER,
  OBJECT,
  oneOf,
  optional,
  options,
  recordOf,
  shape,
  TEXT,
} from '../text/index.ts'

/** One form for each option of a type. */
type FormsOf<Options> = Readonly<Record<keyof Options, Form>>

const TEXTS = listOf(TEXT)
const TRUST = oneOf(...TRUST_LEVELS)
const AGENT = options({
  default: TEXT,
  perNode: recordOf(TEXT),
  script: NAMED_VALUES,
  model: TEXT,
  recorded: TEXT,
} satisfies FormsOf<AgentChoice>)
const POLICY = shape('a policy with allow and deny', { allow: TEXTS, deny: TEXTS })
/** The form of a tool. */
export const TOOL = shape('a tool', { name: TEXT, run: FUNCTION })
const COUNT: Form = {
  what: 'a number above 0',
  mismatch: (value) => NUMBER.mismatch(value) ?? (Number(value) > 0 && Number.isFinite(value) ? undefined : NOT_POSITIVE),
}
const NOT_POSITIVE = { path: '', why: 'must be a number above 0', fix: 'give a number above 0, or leave it out' }
const WHOLE: Form = {
  what: 'a whole number above 0',
  mismatch: (value) => COUNT.mismatch(value) ?? (Number.isSafeInteger(value) ? undefined : NOT_WHOLE),
}
const NOT_WHOLE = { path: '', why: 'must be a whole number', fix: 'give a whole number above 0, or leave it out' }

const SHARED = {
  store: anyOf(TEXT, objectWith('a store', 'create', 'claim', 'read')),
  workdir: TEXT,
  trust: TRUST,
  policy: listOf(POLICY),
  tools: listOf(TOOL),
  mcp: options({ file: TEXT, servers: recordOf(OBJECT) } satisfies FormsOf<ProposedServers>),
  agent: AGENT,
  model: anyOf(TEXT, OBJECT),
  models: recordOf(OBJECT),
  fallback: TEXTS,
  baseUrl: TEXT,
  record: FUNCTION,
  prices: recordOf(OBJECT),
  secrets: TEXTS,
  secretOf: FUNCTION,
  onTrouble: FUNCTION,
  programs: TEXTS,
  leaseMs: NUMBER,
  actor: TEXT,
  observe: anyOf(oneOf(false), OBJECT),
  cluster: anyOf(oneOf(true), options({ queues: TEXTS, has: TEXTS, slots: COUNT } satisfies FormsOf<ClusterSettings>)),
  surroundings: shape('surroundings', {
    host: objectWith('a host', 'now', 'at', 'entropy'),
    worker: OBJECT,
    cwd: TEXT,
    environment: OBJECT,
    actor: TEXT,
  }),
} satisfies FormsOf<SharedOptions>

const KIND_HEAD = { name: TEXT, faults: listOf(OBJECT), uses: TEXTS }
const WHOLE_KIND = shape('a kind', { ...KIND_HEAD, ...BODY_FORMS })
const LAZY_KIND = shape('a kind', {
  ...KIND_HEAD,
  language: shape('a language', { endings: TEXTS, owns: FUNCTION }),
  load: FUNCTION,
})
const KIND: Form = {
  what: 'a kind',
  mismatch: (value) => (isObject(value) && 'load' in value && !('make' in value) ? LAZY_KIND : WHOLE_KIND).mismatch(value),
}

/** The form of `kinds`, which is read before all others. */
export const KIND_LIST = optional(listOf(KIND))

/** Returns the form of the options of `new Reflex`, with those of each kind under its name. */
export function reflexForm(modules: readonly AnyKindModule[]): Form {
  const own = modules.map(({ name, hostOptions = options({}) }) => [name, hostOptions] as const)
  return options({ ...SHARED, kinds: KIND_LIST, ...Object.fromEntries(own) })
}

/** Option names that no kind can have. */
export const SHARED_NAMES: readonly string[] = ['kinds', ...Object.keys(SHARED)]

const RUN = {
  agentId: TEXT,
  input: NAMED_VALUES,
  texts: TEXTS,
  id: TEXT,
  kind: TEXT,
  trust: TRUST,
  agent: AGENT,
  model: TEXT,
  recorded: TEXT,
  tools: TEXTS,
  // Names and amounts are checked where they are read.
  limits: NAMED_VALUES,
  simulate: FLAG,
  outside: FLAG,
  by: TEXT,
  prepare: FUNCTION,
  // Their values are checked where they are read.
  queue: TEXT,
  tenant: TEXT,
  priority: NUMBER,
  needs: listOf(TEXT),
} satisfies FormsOf<SharedRunOptions>

/** The form of the first argument of `run`: a path, a program, or a value that can be read as a program. */
export const PROGRAM = anyOf(TEXT, OBJECT)

/** Returns the form of the options of `run`, with those of each kind under its name. */
export function runForm(modules: readonly AnyKindModule[]): Form {
  return withKinds(modules, RUN)
}

/** Returns the form of options, with the run options of each kind under its name. */
export function withKinds(modules: readonly AnyKindModule[], own: Readonly<Record<string, Form>>): Form {
  return options({ ...own, ...Object.fromEntries(modules.map(({ name, runOptions = {} }) => [name, runOptionsForm(runOptions)])) })
}

/** Run option names that no kind can have. */
export const RUN_NAMES: readonly string[] = Object.keys(RUN)

function runOptionsForm(table: RunOptionTable): Form {
  return options(Object.fromEntries(Object.entries(table).map(([name, { type }]) => [name, valueForm(type)])))
}

function valueForm(type: RunOptionType): Form {
  if (typeof type !== 'string') return oneOf(...type)
  return type === 'flag' || type === 'off' ? FLAG : type === 'count' ? COUNT : TEXT
}

const { prepare, agent, model, recorded } = RUN
export const RESUME_OPTIONS = options({ prepare, agent, model, recorded, inspect: FUNCTION } satisfies FormsOf<ResumeOptions>)
export const FOLLOW_OPTIONS = options({ prepare } satisfies FormsOf<ListenOptions>)
export const ANSWER_OPTIONS = options({ prepare, by: TEXT, reason: TEXT, outside: FLAG, run: FLAG } satisfies FormsOf<AnswerOptions>)
export const SIGNAL_OPTIONS = options({ prepare, by: TEXT, id: TEXT, outside: FLAG, run: FLAG } satisfies FormsOf<SignalOptions>)
export const CANCEL_OPTIONS = options({
  prepare,
  by: TEXT,
  reason: TEXT,
  wait: NUMBER,
  requested: FUNCTION,
} satisfies FormsOf<CancelOptions>)
export const WORK_OPTIONS = options({
  signal: objectWith('an abort signal', 'addEventListener'),
  grace: NUMBER,
  maxRuns: WHOLE,
  onEvent: FUNCTION,
} satisfies FormsOf<WorkOptions>)
export const RUN_OBJECT = shape('a run', { id: TEXT, state: OBJECT, settings: OBJECT })
export const FORK_OPTIONS = options({
  // Each is checked where it is read, with its own code.
  set: ANYTHING,
  decide: ANYTHING,
  id: TEXT,
  trust: ANYTHING,
  simulate: FLAG,
} satisfies FormsOf<ForkRunOptions>)
export const FILTER = options({
  status: listOf(TEXT),
  prefix: TEXT,
  kind: TEXT,
  program: TEXT,
  since: NUMBER,
  until: NUMBER,
  after: TEXT,
  limit: NUMBER,
} satisfies FormsOf<RunFilter>)
export const REPLAY_CAPTURE_OPTIONS = { against: TEXT, all: FLAG }
export const IMPORT_CAPTURE_OPTIONS = { against: TEXT, id: TEXT }
export const CAPTURED = anyOf(shape('a run', { run: TEXT }), shape('a file', { file: TEXT }))
export const REPLAY_OPTIONS = options({ against: TEXT, kind: TEXT, segment: NUMBER } satisfies FormsOf<ReplayOptions>)
export const TRACE_OPTIONS = options({ from: NUMBER, tail: NUMBER } satisfies FormsOf<TraceOptions>)
export const COLLECT_OPTIONS = options({ keep: NUMBER, dry: FLAG } satisfies FormsOf<CollectOptions>)
export const EXPORT_OPTIONS = options({ secret: ANYTHING, through: NUMBER } satisfies FormsOf<ExportOptions>)
export const FORGET_OPTIONS = options({ through: NUMBER } satisfies FormsOf<ForgetOptions>)
export const IMPORT_OPTIONS = options({ secret: ANYTHING, id: TEXT } satisfies FormsOf<ImportOptions>)
export const LINES: Form = {
  what: 'lines to go through',
  mismatch: (value) =>
    typeof value === 'object' && value !== null && (Symbol.iterator in value || Symbol.asyncIterator in value)
      ? undefined
      : { path: '', why: 'must be lines to go through', fix: 'give a list or a stream of lines' },
}
