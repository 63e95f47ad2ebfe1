import { isObject, type PlainParts, type PlainShape } from '../../../kernel/index.ts'
import { KEYS } from './question.ts'

/** Values by names that a manifest has declared. */
const NAMED = { '*': 'hash' } as const
/** What a template gives, or why it gives nothing. */
const RENDERED = { value: 'hash', problem: 'hash' } as const
/** A call of the host: which function, and that it was answered. */
const ANSWERS = [{ fn: 'plain', args_hash: 'hash', result: 'hash', error: 'hash' }] as const
const ROLLOUT = 'plain'

/** The name of an input that the skill does not have comes from the model. */
const SLOT_CHECK: PlainShape = (check) => {
  const isInvented = isObject(check) && check['source'] === 'proposal' && check['valid'] === false
  return { name: isInvented ? 'hash' : 'plain', source: 'plain', valid: 'plain', reason: 'hash' }
}

/** The record of a decision: every verdict, score and count, and no text. */
export const PLAIN_DECISION: PlainShape = {
  v: 'plain',
  proposal: { carrier: 'plain', skill_ref: 'hash', inputs_hash: 'hash', why: 'hash' },
  skill: 'plain',
  now: 'plain',
  compat: 'plain',
  preconditions: stage({
    ok: 'plain',
    state: 'plain',
    tools: 'plain',
    slots: [SLOT_CHECK],
    invariants: stage([{ expr: 'plain', value: 'plain', error: 'hash' }]),
  }),
  score: 'plain',
  policy: stage({
    ok: 'plain',
    mode: 'plain',
    enforced: 'plain',
    rules: [{ rule: 'plain', verdict: 'plain', detail: 'hash' }],
    remote: { verdict: 'plain', reason: 'hash', cached: 'plain', age_s: 'plain' },
  }),
  admission: { verdict: 'plain', retry_after_ms: 'plain', key_hash: 'hash' },
  rollout: ROLLOUT,
  shadow: 'plain',
  warning: 'plain',
  fn_results: ANSWERS,
  verdict: 'plain',
  reason: 'plain',
  missing: 'plain',
  nearest: 'plain',
}

/** A stage that was not reached is a word of ours. */
function stage(done: PlainShape): PlainShape {
  return (value) => (typeof value === 'string' ? 'plain' : done)
}

const STATUSES: readonly unknown[] = ['ok', 'noop', 'partial_failure', 'failed', 'denied', 'clarify']

/** The outcome of an execution: a wrapped agent gets it, other callers get the outputs alone. */
export const PLAIN_OUTCOME: PlainShape = (value) =>
  isObject(value) && STATUSES.includes(value['status']) && typeof value['version'] === 'string'
    ? {
        skill_id: 'plain',
        version: 'plain',
        status: 'plain',
        reason: 'plain',
        compensated: 'plain',
        missing: 'plain',
        detail: 'hash',
        outputs: NAMED,
      }
    : NAMED

/** What the gate has found outside: facts of the host and of the registry. */
const LOOK: PlainShape = {
  become: 'plain',
  env: 'plain',
  project: 'plain',
  now: 'plain',
  facts: 'plain',
  principal: 'plain',
  state: 'plain',
  rollout: ROLLOUT,
  tools: 'plain',
  hostFacts: {},
  stats: 'plain',
  tau: 'plain',
  policyMode: 'plain',
  mode: 'plain',
  functionResults: ANSWERS,
  asks_control_plane: 'plain',
  asks_confirmation: 'plain',
  confirmed: ['hash'],
  prompts: {},
  seed: {},
  parserModel: 'plain',
}

const REMOTE = { verdict: 'plain', reason: 'hash', cached: 'plain', age_s: 'plain' } as const

/** What records of skills keep where no contents are kept: with it, the gate and the plan are decided again. */
export const PLAIN_SKILL: PlainParts = {
  args: {
    _draft: 'plain',
    _proposal: { carrier: 'plain', why: 'hash', user_text: 'hash', goal_labels: 'plain', conversation: 'hash' },
  },
  position: {
    phase: 'plain',
    i: 'plain',
    at: 'plain',
    cost: 'plain',
    time: 'plain',
    tries: 'plain',
    ended: 'plain',
    undoAt: 'plain',
    undoTime: 'plain',
    parsing: NAMED,
    looksAgain: 'plain',
    isLeaving: 'plain',
    cause: 'plain',
    detail: 'hash',
    notUndone: 'plain',
    undone: 'plain',
  },
  note: { decision: PLAIN_DECISION },
  facts: {
    gate: {
      slots: { values: NAMED, checks: [SLOT_CHECK] },
      rules: { '*': { value: 'plain', error: 'hash' } },
      cues: 'plain',
      secrets: 'plain',
      fingerprint: 'hash',
      policy: 'plain',
      results: ANSWERS,
      lacks: 'plain',
    },
    parsers: [{ key: 'hash', model: 'plain', prompt: 'hash', inputs: {} }],
    guard: 'hash',
    args: { ...RENDERED, value: {} },
    capture: NAMED,
    outputs: { ...RENDERED, value: NAMED },
    key: RENDERED,
  },
  requests: {
    'skills.look': { inputs: {}, exact: 'plain', chosen: 'plain', parsed: [NAMED] },
    'skills.confirm': { inputs: {} },
    'skills.policy': { slots: NAMED },
    'skills.admit': {
      skill: 'plain',
      version: 'plain',
      major: 'plain',
      frame: 'plain',
      key_hash: 'hash',
      fingerprint: 'hash',
      key_lasts: 'plain',
      cooldown: 'plain',
      most: 'plain',
      verifies: 'plain',
      verified: 'plain',
    },
    'skills.settle': {
      skill: 'plain',
      version: 'plain',
      major: 'plain',
      key_hash: 'hash',
      frame: 'plain',
      status: 'plain',
      outputs: NAMED,
      rollback_incomplete: 'plain',
    },
    model: { model: 'plain', messages: 'hash', temperature: 'plain', timeout: 'plain', retries: 'plain', partial: 'plain' },
    tool: { tool: 'plain', via: 'plain', args: {}, secrets: 'plain', sealed: 'plain', seals: 'plain' },
  },
  results: {
    'skills.look': LOOK,
    'skills.confirm': 'plain',
    'skills.policy': REMOTE,
    'skills.admit': { result: { verdict: 'plain', retry_after_ms: 'plain', key_hash: 'hash' }, outputs: NAMED, verify: 'plain' },
    'skills.settle': { state: 'plain' },
    model: { model: 'hash', text: 'hash', usage: 'plain' },
  },
  waits: {
    slots: 'plain',
    confirm: { text: 'hash', options: 'plain', about: { skill: 'plain', version: 'plain', effects: 'plain', inputs: {} } },
  },
  writes: (key) => WRITES.get(key) ?? 'hash',
  result: PLAIN_OUTCOME,
}

const WRITES: ReadonlyMap<string, PlainShape> = new Map<string, PlainShape>([
  [KEYS.look, LOOK],
  [KEYS.remote, REMOTE],
  [KEYS.unconfirmed, { fingerprint: 'hash', decision: PLAIN_DECISION }],
  [KEYS.confirmed, ['hash']],
  [KEYS.parsed, [NAMED]],
  [KEYS.slots, NAMED],
  [KEYS.outputs, NAMED],
  [KEYS.decision, PLAIN_DECISION],
  [KEYS.answers, {}],
])
