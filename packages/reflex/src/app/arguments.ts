import type { AnswerOptions } from '../runs/answering.ts'
import type { CancelOptions } from '../runs/cancelling.ts'
import type { CollectOptions } from '../runs/collecting.ts'
import type { AgentChoice } from '../policy/index.ts'
import type { ForkRunOptions } from './forking.ts'
import type { RunFilter } from '../kernel/index.ts'
import type { ReflexOptions, ResumeOptions, RunOptions } from './options.ts'
import { TRUST_LEVELS } from '../policy/index.ts'
import {
  ANYTHING,
  anyOf,
  FLAG,
  type Form,
  FUNCTION,
  objectWith,
  instanceOf,
  listOf,
  NAMED_VALUES,
  NUMBER,
  OBJECT,
  oneOf,
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
const TOOL = shape('a tool', { name: TEXT, run: FUNCTION })
const FUNCTION_OR_OBJECT = anyOf(FUNCTION, OBJECT)

/** What `new Reflex` takes. */
export const REFLEX_OPTIONS = options({
  store: anyOf(TEXT, objectWith('a store', 'create', 'claim', 'read')),
  workdir: TEXT,
  trust: TRUST,
  policy: listOf(POLICY),
  tools: listOf(TOOL),
  agents: recordOf(objectWith('an agent', 'resolve')),
  agent: AGENT,
  model: anyOf(TEXT, OBJECT),
  models: recordOf(OBJECT),
  fallback: TEXTS,
  baseUrl: TEXT,
  record: FUNCTION,
  prices: recordOf(OBJECT),
  secrets: TEXTS,
  handlers: objectWith('a registry of handlers', 'needs', 'facts'),
  operations: listOf(OBJECT),
  actions: recordOf(anyOf(FUNCTION, objectWith('an action', 'run'))),
  hooks: OBJECT,
  toolHooks: OBJECT,
  summarise: FUNCTION,
  allowDisableMiddleware: FLAG,
  services: OBJECT,
  middleware: instanceOf('a Map of middleware', Map),
  alwaysMiddleware: listOf(FUNCTION_OR_OBJECT),
  onUnroutedFailure: oneOf('fail', 'lenient'),
  deadEnd: oneOf('success', 'fail'),
  transforms: listOf(FUNCTION_OR_OBJECT),
  onTrouble: FUNCTION,
  guards: recordOf(FUNCTION),
  programs: TEXTS,
  leaseMs: NUMBER,
  actor: TEXT,
  observe: anyOf(oneOf(false), OBJECT),
  surroundings: shape('surroundings', {
    host: objectWith('a host', 'now', 'at', 'entropy'),
    worker: OBJECT,
    cwd: TEXT,
    environment: OBJECT,
    actor: TEXT,
  }),
} satisfies FormsOf<ReflexOptions>)

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
  // Its names and amounts are checked where they are read.
  limits: NAMED_VALUES,
  simulate: FLAG,
  logs: TEXT,
  hmacSecretFile: TEXT,
  resumeFrom: TEXT,
  force: FLAG,
  onUnroutedFailure: oneOf('fail', 'lenient'),
  deadEnd: oneOf('success', 'fail'),
  persistArtifacts: FLAG,
  validate: FLAG,
  prepare: FUNCTION,
} satisfies FormsOf<RunOptions>

/** What a run can be started from. */
export const PROGRAM = anyOf(TEXT, OBJECT)
export const RUN_OPTIONS = options(RUN)
const { prepare, agent, model, recorded } = RUN
export const RESUME_OPTIONS = options({ prepare, agent, model, recorded } satisfies FormsOf<ResumeOptions>)
export const ANSWER_OPTIONS = options({ prepare, by: TEXT, run: FLAG } satisfies FormsOf<AnswerOptions>)
export const CANCEL_OPTIONS = options({
  prepare,
  by: TEXT,
  reason: TEXT,
  wait: NUMBER,
  requested: FUNCTION,
} satisfies FormsOf<CancelOptions>)
export const RUN_OBJECT = shape('a run', { id: TEXT, state: OBJECT, settings: OBJECT })
export const FORK_OPTIONS = options({
  // Each is checked where it is read, with a code of its own.
  set: ANYTHING,
  decide: ANYTHING,
  id: TEXT,
  trust: ANYTHING,
  simulate: FLAG,
} satisfies FormsOf<ForkRunOptions>)
export const FILTER = options({ status: listOf(TEXT), prefix: TEXT, limit: NUMBER } satisfies FormsOf<RunFilter>)
export const REPLAY_OPTIONS = options({ against: TEXT, kind: TEXT })
export const COLLECT_OPTIONS = options({ keep: NUMBER, dry: FLAG } satisfies FormsOf<CollectOptions>)
export const SECRET_OPTIONS = options({ secret: ANYTHING, id: TEXT })
export const LINES: Form = {
  what: 'lines to go through',
  mismatch: (value) =>
    typeof value === 'object' && value !== null && (Symbol.iterator in value || Symbol.asyncIterator in value)
      ? undefined
      : { path: '', why: 'must be lines to go through', fix: 'give a list or a stream of lines' },
}
