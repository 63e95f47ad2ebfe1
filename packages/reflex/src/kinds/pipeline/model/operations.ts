import { type Attributes, textOf } from '../dot/graph.ts'
import { CONSENSUS_SERVICES } from './aliases.ts'
import { DATA_OPERATIONS } from './operations-data.ts'
import { SESSION_OPERATIONS } from './operations-session.ts'
import {
  authored,
  context,
  environment,
  type Input,
  key,
  keys,
  type OperationFacts,
  type OperationRow,
  type Output,
  prompt,
  template,
  writes,
  writesAt,
} from './operation-facts.ts'

const LLM_INPUTS = [
  prompt('prompt'),
  key('prompt_context_key'),
  prompt('system_prompt'),
  key('system_prompt_context_key'),
  key('messages_context_key'),
  authored('tools'),
  authored('attachments', 'path_traversal'),
  key('attachments_context_key', undefined, 'control', 'path_traversal'),
]
const LLM_OUTPUTS: readonly Output[] = [
  ...writes('model', 'last_response', 'llm.content', 'llm.tool_calls', 'llm.response_type', 'vote.'),
  ...writes('engine', 'llm.', 'session.usage', 'score', 'context.previous_outcome'),
  writesAt('model', 'output_key'),
  { attribute: 'output_prefix', isPrefix: true, origin: 'model' },
]
const SHELL_INPUTS = [keys('context_keys', 'command_injection'), keys('env_keys', 'command_injection'), authored('cwd', 'path_traversal')]
const CALL_OUTPUTS = [writesAt('inputs', 'result_prefix', 'subgraph.<id>.')]

const ROWS: readonly OperationRow[] = [
  ['start', 'idempotent', [], [], []],
  ['exit', 'idempotent', [], [], []],
  ['branch', 'idempotent', [], [key('condition_key')], writes('inputs', 'branch.<id>.value')],
  ['parallel', 'side_effecting', [], [key('items_key')], writes('inputs', 'parallel.')],
  [
    'fan_in',
    'idempotent',
    [],
    [context('parallel.results'), prompt('prompt')],
    writes('inputs', 'parallel.fan_in.best_id', 'parallel.fan_in.best_outcome', 'parallel.fan_in.best_score'),
  ],
  ['codergen', 'idempotent_with_key', [], LLM_INPUTS, LLM_OUTPUTS],
  [
    'routing.select',
    'read_only',
    ['candidates'],
    [context('exclude'), context('tier'), context('budget_status')],
    writes('engine', 'selected_backend', 'selected_model', 'routing_reason'),
  ],
  [
    'prompt.ab_test',
    'idempotent_with_key',
    ['variant_a', 'variant_b'],
    [prompt('variant_a'), prompt('variant_b'), prompt('judge_prompt'), authored('persistence', 'path_traversal')],
    writes('model', 'last_response', 'prompt_ab.<id>.'),
  ],
  [
    'drift_detect',
    'idempotent_with_key',
    ['baseline_path'],
    [key('current_key', 'last_response'), authored('baseline_path', 'path_traversal')],
    [writesAt('derived', 'result_key', 'drift_report'), ...writes('derived', 'drift.<id>.')],
  ],
  [
    'retry.escalate',
    'idempotent_with_key',
    [],
    [key('source_key', 'last_response'), prompt('prompt'), key('score_key')],
    writes('model', 'last_response', 'escalate.<id>.'),
  ],
  [
    'transform',
    'idempotent',
    [],
    [key('source_key', 'last_response'), template('expression')],
    [writesAt('inputs', 'output_key', 'transform.<id>')],
  ],
  [
    'tool',
    'side_effecting',
    ['tool_command'],
    [authored('tool_command', 'command_injection'), environment('tool_command'), ...SHELL_INPUTS],
    writes('derived', 'tool.output', 'tool.stderr', 'tool.exit_code'),
  ],
  [
    'shell',
    'side_effecting',
    ['command'],
    [authored('command', 'command_injection'), environment('command'), ...SHELL_INPUTS],
    writes('derived', 'shell.<id>.'),
  ],
  [
    'action',
    'side_effecting',
    ['action'],
    [authored('action'), keys('context_keys')],
    [
      ...writes('derived', 'exec.<id>.'),
      writesAt('derived', 'output_key'),
      { attribute: 'output_prefix', isPrefix: true, origin: 'derived' },
    ],
  ],
  ['function', 'side_effecting', ['function'], [authored('function'), keys('context_keys')], writes('derived', 'exec.<id>.')],
  [
    'graph.invoke',
    'side_effecting',
    ['graph_file|graph_name|graph_source_key|program'],
    [authored('graph_file', 'path_traversal'), key('graph_source_key', undefined, 'control'), keys('pass_context')],
    CALL_OUTPUTS,
  ],
  [
    'graph.compose',
    'side_effecting',
    [],
    [key('source_key', 'last_response', 'control'), key('graph_source_key', undefined, 'control'), keys('pass_context')],
    CALL_OUTPUTS,
  ],
  [
    'pipeline.run',
    'side_effecting',
    [],
    [key('source_key', 'last_response', 'control'), authored('source_file', 'path_traversal')],
    writes('inputs', 'pipeline.child.<id>.', 'pipeline.child_status.<id>', 'pipeline.child_nodes_completed.<id>', 'pipeline.ran.<id>'),
  ],
  [
    'feedback.loop',
    'side_effecting',
    [],
    [key('source_key', 'last_response'), prompt('prompt'), prompt('critique_prompt'), key('reference_key')],
    writes('model', 'last_response', 'feedback.<id>.'),
  ],
  ['stack.manager_loop', 'side_effecting', [], [prompt('prompt')], writes('derived', 'stack.child.', 'manager.')],
  [
    'map',
    'side_effecting',
    ['items_key|source_key', 'item_type|handler_type'],
    [key('items_key'), key('source_key')],
    [writesAt('model', 'collect_key', 'map.results'), ...writes('engine', 'map.<id>.')],
  ],
  ['adapt', 'side_effecting', ['mutations|mutations_key'], [key('mutations_key', undefined, 'control')], writes('engine', 'adapt.<id>.')],
  [
    'wait.human',
    'side_effecting',
    [],
    [prompt('question')],
    [...writes('engine', 'human.gate.selected', 'human.gate.label', 'approval.status'), ...writes('outside', 'human.gate.text')],
  ],
  ['wait.timer', 'side_effecting', [], [], writes('engine', 'wait.<id>.duration')],
  ['wait.signal', 'side_effecting', ['signal_topic'], [], writes('outside', 'wait.<id>.')],
  [
    'output.validate',
    'read_only',
    [],
    [key('source_key', 'last_response'), authored('pattern'), authored('json_schema')],
    writes('engine', 'validate.<id>.'),
  ],
  [
    'pipeline.validate',
    'read_only',
    [],
    [key('source_key', 'last_response'), authored('source_file', 'path_traversal')],
    [
      ...writes('engine', 'pipeline.valid.<id>', 'pipeline.node_count.<id>'),
      ...writes('inputs', 'pipeline.diagnostics.<id>', 'pipeline.dot_source.<id>', 'validation.errors'),
    ],
  ],
  ['gate.expression', 'read_only', [], [key('expression'), key('condition_key')], writes('engine', 'gate.<id>.passed')],
  ['gate.budget', 'read_only', [], [context('budget_status')], writes('engine', 'gate.<id>.passed')],
  ['gate.approval', 'side_effecting', [], [prompt('question')], [...writes('engine', 'gate.<id>.passed', 'human.gate.')]],
  ['gate.trust', 'read_only', [], [], writes('engine', 'gate.<id>.passed')],
  ['gate.capability', 'read_only', [], [], writes('engine', 'gate.<id>.passed')],
  ['gate', 'read_only', [], [], writes('engine', 'gate.<id>.passed')],
]

const COUNCIL_READERS: ReadonlySet<string> = new Set(['await', 'check'])

const CONSENSUS: readonly OperationRow[] = CONSENSUS_SERVICES.map((service) => [
  `consensus.${service}`,
  COUNCIL_READERS.has(service) ? 'read_only' : 'side_effecting',
  [],
  councilInputs(service),
  writes('derived', 'consensus.', 'council.'),
])

function councilInputs(service: string): readonly Input[] {
  if (service === 'decide') return [context('parallel.results')]
  return COUNCIL_READERS.has(service) ? [context('consensus.proposal_id')] : [key('source_key', 'session.input')]
}

const NO_FACTS: OperationFacts = { idempotency: 'side_effecting', required: [], inputs: [], outputs: [] }

const OPERATIONS: ReadonlyMap<string, OperationFacts> = new Map([
  ...[...ROWS, ...DATA_OPERATIONS, ...CONSENSUS].map(([name, idempotency, required, inputs, outputs]): [string, OperationFacts] => [
    name,
    { idempotency, required, inputs, outputs },
  ]),
  ...SESSION_OPERATIONS,
])

/**
 * What can be said of an operation: whether it may be repeated, what it cannot do without, what it reads and writes. One
 * table for the compiler, for the checks of taint in a run, and for the page of attributes (reference pipeline 4, 5.3,
 * 11.1). Of custom handlers and unknown operations nothing is known: they count as side-effecting.
 */
export function factsOf(operation: string): OperationFacts {
  return OPERATIONS.get(operation) ?? NO_FACTS
}

const NEEDS_EXPRESSION: ReadonlySet<string> = new Set(['json_extract', 'template', 'filter'])

/** The attributes that a node cannot do without (reference pipeline 11.1); of those with a `|` between them, one. */
export function requiredOf(operation: string, attributes: Attributes): readonly string[] {
  const isDependent = operation === 'transform' && NEEDS_EXPRESSION.has(textOf(attributes, 'transform')?.trim() ?? '')
  return isDependent ? ['expression'] : factsOf(operation).required
}
