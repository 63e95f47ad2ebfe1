import { authored, context, type Input, type OperationFacts, type Origin, writes } from './operation-facts.ts'
import type { Idempotency } from './typed.ts'

type Row = readonly [service: string, idempotency: Idempotency, reads: readonly Input[], writes: readonly string[], makes: Origin]

const sessionInputs = (...names: readonly string[]): Input[] => names.map((name) => context(`session.${name}`))
/** Whose session it is. */
const AGENT = context('session.agent_id', 'control')
const RECALLED = ['goals', 'intents', 'beliefs', 'recalled_memories']
const RESULTS = [
  'actions',
  'goal_updates',
  'new_goals',
  'decompositions',
  'new_intents',
  'identity_insights',
  'memory_notes',
  'concerns',
  'curiosity',
  'proposal_decisions',
]
/** What the engine tells its own model, where no host calls one. */
const PROMPT_KEYS = [
  'goals',
  'active_intents',
  'working_memory',
  'knowledge_graph',
  'recalled_memories',
  'pending_proposals',
  'recent_thinking',
  'recent_percepts',
]

const ROWS: readonly Row[] = [
  ['classify', 'read_only', sessionInputs('input', 'blocked'), ['session.input_type'], 'engine'],
  [
    'memory_recall',
    'read_only',
    [AGENT, ...sessionInputs('input'), authored('recall_type')],
    RECALLED.map((name) => `session.${name}`),
    'derived',
  ],
  [
    'mode_select',
    'read_only',
    sessionInputs('goals', 'intents', 'active_intents', 'turn_count', 'user_waiting'),
    ['session.cognitive_mode'],
    'engine',
  ],
  [
    'llm_call',
    'side_effecting',
    [AGENT, ...sessionInputs('messages', 'cognitive_mode', 'system_prompt', 'input', 'turn_count', 'tools', ...PROMPT_KEYS)],
    ['llm.content', 'llm.tool_calls', 'llm.response_type', 'last_response'],
    'model',
  ],
  [
    'tool_dispatch',
    'side_effecting',
    [context('llm.tool_calls', 'control'), AGENT, ...sessionInputs('messages', 'tools')],
    ['session.tool_results', 'session.messages'],
    'derived',
  ],
  [
    'format',
    'read_only',
    [context('llm.content'), ...sessionInputs('blocked', 'input_type', 'block_reason')],
    ['session.response'],
    'inputs',
  ],
  ['memory_update', 'side_effecting', [AGENT, ...sessionInputs('turn_data', 'response', 'memory_notes', 'beliefs')], [], 'engine'],
  ['checkpoint', 'side_effecting', [AGENT, ...sessionInputs('id', 'turn_count')], ['session.last_checkpoint'], 'engine'],
  ['background_checks', 'read_only', [AGENT], ['session.background_check_results'], 'derived'],
  ['process_results', 'read_only', [context('llm.content'), context('last_response')], RESULTS.map((name) => `session.${name}`), 'inputs'],
  [
    'route_actions',
    'side_effecting',
    [context('session.actions', 'control'), AGENT, ...sessionInputs('identity_insights'), authored('intent_source')],
    ['session.actions_routed', 'session.intents_routed'],
    'derived',
  ],
  ['update_goals', 'side_effecting', [AGENT, ...sessionInputs('goal_updates', 'new_goals')], ['session.goals_updated'], 'engine'],
  ['store_decompositions', 'side_effecting', [AGENT, ...sessionInputs('decompositions')], ['session.decompositions_stored'], 'engine'],
  [
    'process_proposal_decisions',
    'side_effecting',
    [AGENT, ...sessionInputs('proposal_decisions')],
    ['session.proposals_processed'],
    'engine',
  ],
  [
    'consolidate',
    'side_effecting',
    [AGENT],
    ['session.consolidated', 'session.consolidation_kg', 'session.consolidation_identity'],
    'derived',
  ],
  [
    'update_working_memory',
    'side_effecting',
    [AGENT, ...sessionInputs('concerns', 'curiosity', 'memory_notes')],
    ['session.wm_updated', 'session.working_memory'],
    'derived',
  ],
  [
    'store_identity',
    'side_effecting',
    [AGENT, ...sessionInputs('identity_insights', 'identity_updates')],
    ['session.identity_stored'],
    'engine',
  ],
]

/** The services of a session: what each reads and writes (reference pipeline 4.6.2). */
export const SESSION_OPERATIONS: readonly (readonly [string, OperationFacts])[] = ROWS.map(
  ([service, idempotency, inputs, names, makes]) => [
    `session.${service}`,
    { idempotency, required: [], inputs, outputs: writes(makes, ...names) },
  ],
)
