import { attribute } from './attribute.ts'

/** The attributes of pipelines (seed pipeline 2.6; reference pipeline 2.1). */
export const GRAPH_ATTRIBUTES = {
  goal: attribute('text', 'What the pipeline is for: `$goal` in texts, the key `graph.goal`, the first line that a model reads.'),
  label: attribute('text', 'The name shown; `$label` in texts.'),
  question: attribute('text', 'The question of a council whose nodes have no prompt of their own.'),
  mode: attribute('text', '`decision` makes nodes with a `perspective` vote.'),
  model_stylesheet: attribute('text', 'Models by selector: `* { llm_model: "…"; } .review { … }`.'),
  llm_model: attribute('text', 'The model of nodes for which neither they nor the stylesheet name one.', { aliases: ['model'] }),
  llm_provider: attribute('text', 'The provider of such nodes.', { aliases: ['provider'] }),
  reasoning_effort: attribute('text', 'The effort of nodes that state none.'),
  stream: attribute('bool', 'Answers of models are shown as they grow.', { usual: 'false' }),
  default_max_retries: attribute('int', 'Further attempts of nodes without `max_retries`.', { usual: '0', aliases: ['default_max_retry'] }),
  retry_policy: attribute(
    ['standard', 'aggressive', 'linear', 'patient', 'none'],
    'How long nodes rest between attempts, and how often they try where no count is given.',
    { usual: 'none', lenient: true },
  ),
  retry_target: attribute('node', 'Where a goal gate that is not met sends the run, if it names no node itself.'),
  fallback_retry_target: attribute('node', 'The same, if `retry_target` names no node of the pipeline.'),
  default_fidelity: attribute('text', 'How much of what happened a model is told, where neither edge nor node says.', { usual: 'compact' }),
  thread_id: attribute('text', 'The conversation of nodes with full fidelity that name none.', { aliases: ['default_thread_id'] }),
  mandatory_middleware: attribute(
    'bool',
    'Whether nodes pass through the checks; only the operator of a trusted program can switch them off.',
    { usual: 'true' },
  ),
  middleware: attribute('csv', 'Further checks, after the seven.'),
  skip_middleware: attribute('csv', 'Checks to leave out; see the same attribute of nodes.'),
  pre_hook: attribute('text', 'A command before the first node.'),
  post_hook: attribute('text', 'A command after the last node.'),
  'tool_hooks.pre': attribute('text', 'A command before each tool call of a model; a failure skips the call.'),
  'tool_hooks.post': attribute('text', 'A command after each tool call of a model.'),
  'stack.child_dotfile': attribute('path', 'The pipeline that a manager loop watches over.'),
  'stack.child_workdir': attribute('path', 'Where it works.'),
  max_steps: attribute('int', 'Executions of nodes in a run; can only lower what the operator allows, as the five below.', {
    usual: '10000',
  }),
  parallel_branch_max_steps: attribute('int', 'Executions of nodes in one branch, where its parallel node says nothing; 0 for no limit.', {
    usual: '100',
  }),
  max_node_visits: attribute('int', 'How often one node may be entered; 0 for no limit.', { usual: '1000' }),
  max_wall_time: attribute('duration', 'How long a run may take.'),
  max_total_tokens: attribute('int', 'Tokens of all models together.'),
  max_cost: attribute('number', 'US dollars of all models together.'),
  on_resume: attribute(
    ['ask', 'error', 'repeat', 'retry'],
    'Of what was under way when the process died and is not safe to repeat: a person is asked, or it is done again.',
    { usual: 'ask', lenient: true },
  ),
  perspective: attribute('text', 'Only a value: `$perspective` in texts, the key `graph.perspective`.'),
  briefing_path: attribute('text', 'Only a value, as is every other attribute of the graph.'),
  skill_path: attribute('text', 'Only a value.'),
  strategy: attribute('text', 'Only a value.'),
  nested_graphs: attribute('text', 'Only a value: the files of the pipelines that this one calls.'),
  version: attribute('text', 'The version of the pipeline, which a call names as `id@version`.'),
}

/** The attributes of edges (seed pipeline 2.8; reference pipeline 2.5). */
export const EDGE_ATTRIBUTES = {
  label: attribute('text', 'Caption, the text of a choice, and what a preferred label is compared with; `fail` is the way of a failure.'),
  condition: attribute('text', 'The edge is open only if this holds; without it, it is open.'),
  weight: attribute('number', 'Of several open edges the heaviest is taken.', { usual: '0' }),
  fidelity: attribute('text', 'How much a model at the target is told; goes before what the target says.'),
  thread_id: attribute('text', 'The conversation of the target, if it names none.'),
  loop_restart: attribute('bool', 'Taking the edge begins a new lap: what was done and tried is forgotten, the context stays.', {
    usual: 'false',
  }),
}
