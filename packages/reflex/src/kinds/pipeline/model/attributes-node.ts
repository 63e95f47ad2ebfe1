import { type AttributeRow, rowsOf } from './attribute-row.ts'

/** Attributes that every node can have (seed pipeline 2.7; reference pipeline 2.2). */
const CORE = rowsOf('node', [
  ['label', 'text', 'the id', 'The name shown; prompt or question where no other is written.'],
  ['type', 'text', '', 'What the node does, by one of the type names.'],
  ['shape', 'text', 'box', 'What the node does, where no type is written.'],
  ['prompt', 'text', '', 'The instruction to a model; `$goal` and `$key` stand for values.'],
  ['class', 'csv', '', 'Classes that the stylesheet can choose by.'],
  ['max_retries', 'int', 'the graph’s', 'Further attempts after the first.'],
  [
    'retry_policy',
    ['standard', 'aggressive', 'linear', 'patient', 'none'],
    'the graph’s',
    'How long to rest between attempts, and how often to try where no count is given.',
  ],
  ['initial_delay, retry_initial_delay_ms', 'duration', '200ms', 'The rest before the second attempt.'],
  ['factor, retry_backoff_factor', 'number', '2', 'By how much each rest is longer than the one before.'],
  ['max_delay, retry_max_delay_ms', 'duration', '60s', 'The longest rest.'],
  ['jitter, retry_jitter', 'bool', 'true', 'Whether rests vary by half.'],
  ['goal_gate', 'bool', 'false', 'The run does not end well before this node has succeeded.'],
  ['retry_target', 'node', '', 'Where the run goes on when the node has failed.'],
  ['fallback_retry_target', 'node', '', 'The same, if `retry_target` names no node of the pipeline.'],
  [
    'fidelity',
    'text',
    'the graph’s',
    'How much of what happened a model is told: full, truncate, compact, summary:low, summary:medium, summary:high.',
  ],
  ['thread_id', 'text', '', 'The conversation that the node goes on with, at full fidelity.'],
  ['timeout', 'duration', '', 'How long one attempt may take.'],
  ['auto_status', 'bool', 'false', 'A failure counts as done, unless the stage itself wrote that it failed.'],
  ['allow_partial', 'bool', 'false', 'When no attempt is left, the outcome is partial_success.'],
  [
    'fan_out',
    'bool',
    'false',
    'All unconditional edges are walked, one after the other; at a parallel node: what the branches wrote is kept.',
  ],
  ['simulate', 'text', '', 'An outcome without the work: true, fail, retry, fail_once, raise_retryable, raise_terminal.'],
  ['pre_hook', 'text', '', 'A command before each execution.'],
  ['post_hook', 'text', '', 'A command after each execution.'],
  [
    'skip_middleware',
    'csv',
    '',
    'Checks to leave out; ignored unless the program is trusted, and never for capability_check and checkpoint.',
  ],
  ['middleware', 'csv', '', 'Further checks for this node.'],
  ['capabilities', 'csv', '', 'What the node needs beside what its type needs; never a grant.'],
  ['data_class', ['public', 'internal', 'sensitive', 'secret'], 'by type', 'How sensitive what the node handles is.'],
  ['sensitive', 'bool', 'false', 'The same as `data_class="sensitive"`.'],
  ['content_hash', 'text', 'computed', 'The fingerprint of the attributes; computed, never read.'],
  ['idempotent', 'bool', 'by type', 'Whether the node may be executed again after a crash.'],
  [
    'on_resume',
    ['ask', 'error', 'repeat', 'retry'],
    'the graph’s',
    'Of what was under way when the process died and is not safe to repeat: a person is asked, or it is done again.',
  ],
  ['max_cost', 'number', '', 'US dollars that one execution may spend.'],
  [
    'trust_tier',
    ['untrusted', 'probationary', 'trusted', 'veteran', 'autonomous'],
    '',
    'The trust that the run must have for the node to be executed.',
  ],
  ['context_keys', 'keys', '', 'Context values that the node is given: parameters of an action, environment of a command.'],
  ['output_key', 'key', 'by type', 'Where the result is written.'],
  ['output_prefix', 'text', '', 'Where the fields of the result are written.'],
  ['source_key', 'key', 'by type', 'The context value that the node works on.'],
  [
    'purpose',
    ['llm', 'transform', 'shell', 'routing', 'ab_test', 'drift_detect', 'retry_escalate', 'eval_run', 'eval_aggregate'],
    'llm',
    'What a node of type compute does.',
  ],
  ['context.*', 'text', '', 'At the start node: a value of the context from the beginning.'],
  ['init.*', 'text', '', 'The same.'],
])

/** Attributes of nodes that ask a model (reference pipeline 2.3). */
const MODEL = rowsOf(
  'node',
  [
    ['llm_model, model', 'text', 'stylesheet, graph', 'The model that is asked.'],
    ['llm_provider, provider', 'text', 'by model', 'Who offers the model.'],
    ['reasoning_effort', 'text', '', "The effort of the model's reasoning; the model's default if absent."],
    ['temperature', 'number', '', "The randomness of the model's answers; the model's default if absent."],
    ['max_tokens', 'int', '', "The longest answer, in tokens; an answer that is cut there fails the node. The model's default if absent."],
    ['try_timeout', 'duration', '', 'The time limit of one try of one model; then the next one is asked.'],
    ['stream', 'bool', 'the graph’s', 'The answer is shown as it grows.'],
    ['output_schema', 'json', '', 'The JSON Schema of the answer; `output_key` then holds the value itself.'],
    ['system_prompt', 'text', 'a line with the goal', 'Who the model is.'],
    ['system_prompt_context_key', 'key', '', 'A context value in place of `system_prompt`.'],
    ['prompt_context_key', 'key', '', 'A context value in place of `prompt`.'],
    ['messages_context_key', 'key', '', 'A context value with the conversation so far.'],
    ['prompt_is_data', 'bool', 'false', 'The prompt is fenced as text of strangers.'],
    ['use_tools', 'bool', 'false', 'Whether the model may call tools.'],
    ['tools', 'csv', 'those of the host', 'The tools that it may call.'],
    ['max_turns', 'int', '15', 'How often it may answer with tool calls.'],
    ['terminal_tools', 'csv', '', 'Tools whose call ends the node.'],
    ['perspective', 'text', '', 'The view that the node takes in a council; its answer is also `vote.<perspective>`.'],
    ['score', 'number', '', 'Copied to the key `score`, by which a fan-in ranks.'],
    ['agent', 'text', '', 'Passed on to the backend, as are the four below.'],
    ['provider_options', 'json', '', 'Options that the provider alone knows.'],
    ['llm_runtime', 'text', '', 'The runtime of the backend.'],
    ['acp_permission_mode', 'text', '', 'Permissions of a coding agent.'],
    ['acp_allowed_tools', 'csv', '', 'Tools of a coding agent.'],
    ['tool_hooks.pre', 'text', 'the graph’s', 'A command before each tool call; a failure skips the call.'],
    ['tool_hooks.post', 'text', 'the graph’s', 'A command after each tool call.'],
  ],
  ['codergen', 'fan_in', 'prompt.ab_test', 'retry.escalate', 'eval.run', 'feedback.loop', 'session.llm_call', 'tool'],
)

/** Attributes of the nodes whose model is shown files and given marks of a cache. */
const CONTENT = rowsOf(
  'node',
  [
    ['attachments', 'csv', '', 'Files that the model sees with the prompt: images, PDFs, sounds and texts, by their paths.'],
    [
      'attachments_context_key',
      'key',
      '',
      'A context value with further files: a path, the content as `file.read` gives it in base64, or a list.',
    ],
    ['prompt_cache', ['system', 'prompt'], '', 'What the provider keeps in its cache: the system prompt, or that and the prompt.'],
  ],
  ['codergen'],
)

/** Attributes that say where branches begin and end, and how their outcomes count (reference pipeline 3.9). */
const BRANCHES = [
  ...rowsOf(
    'node',
    [
      ['join_policy', ['wait_all', 'first_success', 'k_of_n', 'quorum'], 'wait_all', 'When a block of branches has succeeded.'],
      ['join_k', 'int', '1', 'How many branches must succeed, with `k_of_n`.'],
      ['quorum_fraction', 'number', '0.5', 'Which part of the branches must succeed, with `quorum`.'],
      ['error_policy', ['continue', 'fail_fast', 'ignore'], 'continue', 'What a branch that fails does to the others.'],
      ['max_parallel', 'int', '4', 'How many branches run at once.'],
      ['join_target', 'node', 'inferred', 'The node before which the branches stop.'],
      ['branch_timeout', 'duration', '', 'How long one branch may take.'],
      ['parallel_branch_max_steps', 'int', '100', 'Executions of nodes in one branch; 0 for no limit.'],
      ['merge_context', 'bool', 'false', 'What the branches wrote is kept, in the order of their edges.'],
    ],
    ['parallel'],
  ),
  ...rowsOf('node', [['fan_in_policy', ['any', 'all', 'majority'], 'any', 'How many branches must have succeeded.']], ['fan_in']),
  ...rowsOf(
    'node',
    [
      ['items', 'text', '', 'The items themselves: a JSON list or words with commas.'],
      ['items_key', 'key', '', 'The context value that holds the items.'],
      ['item_type, handler_type, item_handler', 'text', '', 'What is done with each item, by a type name.'],
      ['handler_attrs', 'json', '', 'The attributes of that node, as an object.'],
      ['item_key', 'key', 'map.current_item', 'Where each finds its item.'],
      ['index_key', 'key', 'map.current_index', 'Where each finds its number.'],
      ['result_key', 'key', 'last_response', 'The value of each that is collected.'],
      ['collect_key', 'key', 'map.results', 'Where the results are written, in the order of the items.'],
      ['max_concurrency', 'int', '4', 'How many items are worked on at once.'],
      ['on_item_error', ['skip', 'fail', 'collect_nil'], 'skip', 'What an item that fails does to the result.'],
    ],
    ['map', 'parallel'],
  ),
]

/** Attributes of nodes that ask people or wait (reference pipeline 4.11, 7.3). */
const PEOPLE = [
  ...rowsOf(
    'node',
    [
      ['question', 'text', 'the label', 'The question.'],
      [
        'question_type',
        ['multiple_choice', 'yes_no', 'confirmation', 'freeform', 'confirm', 'single_select', 'multi_select', 'free_text'],
        '',
        'What is asked for: one of the edges, yes or no, or text. From the edges where it is not said.',
      ],
      ['human.default_choice', 'text', '', 'The choice that is made when the time is over.'],
      ['human.timeout_seconds', 'seconds', '', 'How long to wait for an answer.'],
      ['reviews_keys', 'keys', '', 'Context values that the person has looked at.'],
      ['review_on_choice', 'text', '', 'The choice that says they are right.'],
      ['review_target', ['trusted', 'derived', 'untrusted'], 'trusted', 'How far they are then trusted.'],
    ],
    ['wait.human', 'gate.approval'],
  ),
  ...rowsOf('node', [['duration', 'duration', '1000', 'How long to wait.']], ['wait.timer']),
  ...rowsOf('node', [['signal_topic', 'text', '', 'The signal that ends the wait.']], ['wait.signal']),
  ...rowsOf(
    'node',
    [['source', ['human', 'timer', 'signal'], 'human', 'What a node of type wait waits for.']],
    ['wait.human', 'wait.timer', 'wait.signal'],
  ),
]

/** Attributes of nodes, but for those of single handlers. */
export const NODE_ATTRIBUTES: readonly AttributeRow[] = [...CORE, ...MODEL, ...CONTENT, ...BRANCHES, ...PEOPLE]
