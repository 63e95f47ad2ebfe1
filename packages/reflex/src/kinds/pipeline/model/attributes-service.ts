import { type AttributeRow, rowsOf } from './attribute-row.ts'

const CALLS = ['graph.invoke', 'graph.compose', 'pipeline.run']

/** Attributes of memory and of evaluations (reference pipeline 4.3.6, 4.7, 4.8). */
const MEMORY_AND_EVALUATION = [
  ...rowsOf('node', [['agent_id', 'text', 'session.agent_id', 'Whose memory, session or proposal.']]),
  ...rowsOf('node', [['limit', 'int', '10', 'How many at most.']], ['memory.recall', 'eval.dataset']),
  ...rowsOf(
    'node',
    [
      ['memory_store', 'path', '', 'The file that holds the memories.'],
      ['tags', 'csv', '', 'Tags to look for, or to give.'],
    ],
    ['memory.recall_store', 'memory.store_file'],
  ),
  ...rowsOf(
    'node',
    [
      ['query_key', 'key', 'last_response', 'The value whose words are looked for.'],
      ['strategy', ['recent', 'keyword', 'tag_match'], 'recent', 'Which memories are best.'],
      ['top_k', 'int', '5', 'How many.'],
      ['result_key', 'key', 'recalled_memories', 'Where they are written.'],
      ['format', ['text', 'json'], 'text', 'As what.'],
      ['include_expired', 'bool', 'false', 'Whether those past their time count.'],
    ],
    ['memory.recall_store'],
  ),
  ...rowsOf(
    'node',
    [
      ['ttl_days', 'number', '', 'How many days the memory lasts.'],
      ['source', 'text', '', 'Where it comes from.'],
      ['metadata_keys', 'keys', '', 'Context values to remember with it.'],
    ],
    ['memory.store_file'],
  ),
  ...rowsOf('node', [['metadata', 'json', '', 'What to remember with it, as an object.']], ['memory.index']),
  ...rowsOf('node', [['strategy', ['full', 'decay_only', 'prune_only'], 'full', 'How memories are consolidated.']], ['memory.consolidate']),
  ...rowsOf(
    'node',
    [
      ['dataset', 'path', '', 'The file with the samples, one JSON object a line.'],
      ['shuffle', 'bool', 'false', 'Whether they are mixed.'],
      ['seed', 'int', '', 'By which number.'],
    ],
    ['eval.dataset'],
  ),
  ...rowsOf(
    'node',
    [
      ['graders', 'csv', '', 'Who judges; `composite:any_pass:exact_match*2+contains` joins several to one.'],
      ['subject', 'text', 'the input', 'What is judged: `llm` or a function of the host.'],
    ],
    ['eval.run'],
  ),
  ...rowsOf(
    'node',
    [
      ['source', 'text', 'the nearest eval.run', 'The node or key with the results.'],
      ['metrics', { list: ['accuracy', 'mean_score', 'pass_at_k'] }, 'accuracy,mean_score', 'What is computed.'],
      ['k', 'int', '1', 'The k of pass_at_k.'],
      ['threshold', 'number', '', 'The least value of the first metric.'],
    ],
    ['eval.aggregate', 'eval.report'],
  ),
  ...rowsOf('node', [['metrics_source', 'text', 'auto', 'The node or key with the metrics.']], ['eval.report']),
  ...rowsOf(
    'node',
    [
      ['domain', 'text', '', 'Under which name results are kept.'],
      ['results_key', 'key', '', 'The results.'],
      ['metrics_key', 'key', '', 'The metrics.'],
    ],
    ['eval.persist'],
  ),
]

/** Attributes of the further computations (reference pipeline 4.3.2 to 4.3.5). */
const COMPUTATIONS = [
  ...rowsOf(
    'node',
    [
      ['candidates', 'json', '', 'A list of pairs, backend and model.'],
      ['exclude', 'csv', '', 'Backends that are out, beside those that the key exclude of the context names.'],
    ],
    ['routing.select'],
  ),
  ...rowsOf(
    'node',
    [
      ['variant_a', 'text', '', 'The one prompt.'],
      ['variant_b', 'text', '', 'The other.'],
      ['count', 'int', '1', 'How often each is tried.'],
      ['judge_prompt', 'text', '', 'How the judge is asked.'],
      ['persistence', 'path', '', 'The file that keeps the results of all runs.'],
      ['auto_promote', 'bool', 'false', 'Whether a clear winner is promoted.'],
      ['min_samples', 'int', '20', 'After how many.'],
      ['significance', 'number', '0.05', 'How clear.'],
    ],
    ['prompt.ab_test'],
  ),
  ...rowsOf(
    'node',
    [
      ['baseline_path', 'path', '', 'The file to compare with.'],
      ['current_key', 'key', 'last_response', 'The value to compare.'],
      ['dimensions', { list: ['length', 'keywords', 'structure', 'format'] }, 'length,keywords,structure,format', 'What is compared.'],
      ['threshold', 'number', '0.7', 'How alike they must be.'],
      ['action', ['warn', 'fail', 'log'], 'warn', 'What happens when they are not.'],
      ['update_baseline', 'bool', 'false', 'Whether the value becomes the new baseline.'],
      ['result_key', 'key', 'drift_report', 'Where the report is written.'],
    ],
    ['drift_detect'],
  ),
  ...rowsOf(
    'node',
    [
      ['models', 'csv', 'those of the host', 'The models to try, one after the other.'],
      ['escalate_on', { list: ['fail', 'timeout', 'low_score'] }, 'fail,timeout', 'When the next one is tried.'],
      ['timeout_ms', 'duration', '30000', 'How long each may take.'],
      ['score_threshold', 'number', '0.7', 'The least score.'],
      ['score_key', 'key', '', 'The context value with the score.'],
    ],
    ['retry.escalate'],
  ),
]

/** Attributes of nodes that call other pipelines, sessions and councils (reference pipeline 4.6). */
const COMPOSITION = [
  ...rowsOf(
    'node',
    [
      [
        'mode',
        ['invoke', 'compose', 'pipeline', 'feedback', 'manager_loop', 'session', 'consensus'],
        'invoke',
        'What a node of type compose does.',
      ],
    ],
    [...CALLS, 'feedback.loop', 'stack.manager_loop'],
  ),
  ...rowsOf(
    'node',
    [
      ['workdir', 'path', 'the work folder', 'Where the called pipeline works.'],
      ['source_file', 'path', '', 'The file of the pipeline.'],
    ],
    [...CALLS, 'pipeline.validate'],
  ),
  ...rowsOf(
    'node',
    [
      ['program', 'text', '', 'The program that is called, as `kind:id` or an id.'],
      ['graph_name', 'text', '', 'A pipeline that the host has registered.'],
      ['graph_file', 'path', '', 'The file of the pipeline, looked for upwards from this one.'],
      ['graph_source_key', 'key', '', 'The context value with the text of the pipeline.'],
      ['pass_context', 'keys', '', 'Context values that the called pipeline gets.'],
      ['pass_all_context', 'bool', 'false', 'Whether it gets all.'],
      ['result_mapping', 'csv', '', 'Which of its values come back, as `theirs:ours`.'],
      ['result_prefix', 'text', 'subgraph.<id>.', 'Where all others come back.'],
      ['ignore_child_failure', 'bool', 'false', 'Whether its failure is none of ours.'],
    ],
    CALLS,
  ),
  ...rowsOf(
    'node',
    [
      ['critique_prompt', 'text', '', 'How the critic is asked; `{content}` is the text.'],
      ['max_iterations', 'int', '3', 'How often the text is revised.'],
      ['score_threshold', 'number', '0.8', 'When it is good enough.'],
      ['scoring_method', ['length_ratio', 'keyword_coverage', 'structure', 'combined'], 'combined', 'How it is scored.'],
      ['reference_key', 'key', '', 'The text to compare with.'],
      ['plateau_window', 'int', '3', 'Over how many revisions nothing may change.'],
      ['plateau_tolerance', 'number', '0.02', 'What counts as nothing.'],
    ],
    ['feedback.loop'],
  ),
  ...rowsOf(
    'node',
    [
      ['stack.child_dotfile', 'path', 'the graph’s', 'The pipeline that is watched over.'],
      ['stack.child_workdir', 'path', 'the graph’s', 'Where it works.'],
      ['stack.child_autostart', 'bool', 'true', 'Whether the loop begins it.'],
      ['manager.poll_interval', 'duration', '45s', 'The rest between two looks.'],
      ['manager.max_cycles', 'int', '1000', 'How many looks.'],
      ['manager.stop_condition', 'text', '', 'A condition that ends the loop well.'],
      ['manager.actions', 'csv', 'observe,wait', 'What is done at each look; `steer` too.'],
      ['manager.steer_cooldown', 'duration', 'the poll interval', 'The rest between two words of advice.'],
      ['manager.detach', 'bool', 'false', 'The watched pipeline runs on when the loop ends; this pipeline ends once it has ended.'],
    ],
    ['stack.manager_loop'],
  ),
  ...rowsOf(
    'node',
    [
      ['proposal_id', 'text', '', 'The proposal that is asked about.'],
      ['evaluators', 'csv', 'correctness, safety, usefulness', 'The views from which the council judges; the model is asked for each.'],
      ['quorum', 'text', 'majority', 'majority, supermajority, unanimous or a number.'],
      ['mode', ['decision', 'advisory'], 'decision', 'Whether a deadlock is a failure.'],
    ],
    ['consensus.propose', 'consensus.ask', 'consensus.await', 'consensus.check', 'consensus.decide'],
  ),
  ...rowsOf('node', [['recall_type', 'text', '', 'What is recalled: goals, intents, beliefs or memories.']], ['session.memory_recall']),
  ...rowsOf(
    'node',
    [['cognitive_mode', 'text', 'session.cognitive_mode', 'The mode of the session.']],
    ['session.llm_call', 'session.mode_select'],
  ),
  ...rowsOf('node', [['intent_source', 'text', '', '`intent_store` routes what the store of intents holds.']], ['session.route_actions']),
  ...rowsOf('node', [['mode', 'text', '', 'Passed on to the service.']], ['session.memory_update']),
]

/** Attributes of memory, evaluations, further computations, and calls of other programs. */
export const SERVICE_ATTRIBUTES: readonly AttributeRow[] = [...MEMORY_AND_EVALUATION, ...COMPUTATIONS, ...COMPOSITION]
