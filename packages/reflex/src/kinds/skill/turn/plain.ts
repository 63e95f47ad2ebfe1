import { isObject, PLAIN_FAULT, type PlainParts, type PlainShape } from '../../../kernel/index.ts'
import { PLAIN_DECISION, PLAIN_SKILL } from '../plan/plain.ts'
import { TURN_KEYS } from './turn.ts'

const CALL = { id: 'hash', name: 'hash', arguments: 'hash' } as const
const ANSWERED = { ...CALL, result: 'hash' } as const
const ROUND = { assistant: 'hash', calls: [ANSWERED], results: 'hash' } as const
const PROPOSAL = {
  carrier: 'plain',
  skill_ref: 'hash',
  id: 'hash',
  version: 'hash',
  inputs: {},
  why: 'hash',
  callIds: ['hash'],
} as const satisfies PlainShape

/** A reply: how many parts it has, which of them are calls, and what it has cost. */
const REPLY = { parts: [{ text: 'hash', call: CALL }], raw: 'hash', isCut: 'plain', usage: 'plain', model: 'hash' } as const

const DELTA = { base: 'plain', keep: 'plain', add: ['hash'], params: 'hash' } as const

/** A call of the agent's code, without its arguments. */
const CALLED = {
  id: 'plain',
  tool: 'plain',
  name: 'plain',
  facts: 'plain',
  outcome: 'plain',
  args: 'hash',
  via: 'plain',
  round: 'plain',
} as const

const INPUT: PlainShape = (call) => ({
  do: 'plain',
  ...CALLED,
  request: DELTA,
  userText: 'hash',
  diverged: PLAIN_FAULT,
  status: 'plain',
  value: isObject(call) && call['status'] === 'failed' ? PLAIN_FAULT : 'hash',
  note: 'hash',
})

const RESULT = {
  ok: 'plain',
  value: 'hash',
  reply: REPLY,
  effect: 'plain',
  visible: 'hash',
  text: 'hash',
  ownCalls: 'plain',
  hidden: [ROUND],
  usage: 'plain',
  fault: PLAIN_FAULT,
} as const satisfies PlainShape

const BULLETIN = {
  text: 'hash',
  cards: 'plain',
  overflow: 'plain',
  selection: 'hash',
  same: 'plain',
  tokens: 'plain',
  tokenizer: 'plain',
  trouble: PLAIN_FAULT,
} as const satisfies PlainShape

/** What records of turns keep where no contents are kept: with it, what replies mean for skills is decided again. */
export const PLAIN_TURN: PlainParts = {
  args: {
    input: 'hash',
    imported: 'plain',
    conversation: 'hash',
    seed: { '*': { value: 'hash', from: 'plain' } },
    replaced: [{ path: 'plain', value: 'hash', from: 'plain', by: 'plain' }],
    goalLabels: 'plain',
  },
  position: {
    phase: 'plain',
    requests: {
      '*': {
        hidden: [ROUND],
        used: 'plain',
        visible: 'hash',
        round: { assistant: 'hash', calls: [CALL], proposals: [PROPOSAL], results: [{ callIds: ['hash'], text: 'hash' }] },
      },
    },
    flights: 'plain',
    queue: 'plain',
    asked: { '*': INPUT },
    malformed: 'plain',
  },
  note: {
    decision: PLAIN_DECISION,
    replaced: [{ path: 'plain', value: 'hash', from: 'plain', by: 'plain' }],
    warning: 'plain',
    imported: 'plain',
    divergence: 'hash',
  },
  facts: {
    reply: {
      visible: 'hash',
      history: 'hash',
      proposals: [PROPOSAL],
      rejections: [{ reason: 'plain', code: 'plain', detail: 'hash', skill_ref: 'hash', callIds: ['hash'] }],
      clarification: { carrier: 'plain', skill_ref: 'hash', questions: [{ slot: 'hash', question: 'hash' }], callIds: ['hash'] },
      malformed: 'plain',
      ownCalls: 'plain',
      calls: [CALL],
    },
    program: 'plain',
    unknown: PLAIN_DECISION,
  },
  host: INPUT,
  requests: {
    'skills.cards': { user_text: 'hash' },
    'wrap.model': CALLED,
    'wrap.agent': CALLED,
    'wrap.tool': CALLED,
    'wrap.once': CALLED,
  },
  results: { 'skills.cards': BULLETIN, 'wrap.model': REPLY },
  waits: { divergence: { text: 'hash', type: 'plain', options: 'plain', fault: PLAIN_FAULT } },
  writes(key) {
    if (key === TURN_KEYS.bulletin) return BULLETIN
    if (key.startsWith(TURN_KEYS.request(''))) return DELTA
    return key.startsWith(TURN_KEYS.result('')) ? RESULT : (PLAIN_SKILL.writes?.(key) ?? 'hash')
  },
}
