import { attribute } from './attribute.ts'

/** The attributes of pipelines (seed pipeline 2.6; reference pipeline 2.1). */
export const GRAPH_ATTRIBUTES = {
  goal: attribute('text', 'The goal of the pipeline: `$goal` in texts, the key `graph.goal`, and the first line that a model reads.'),
  label: attribute('text', 'The displayed name; `$label` in texts.'),
  question: attribute('text', 'The question of a council whose nodes have no prompt of their own.'),
  mode: attribute('text', '`decision` makes nodes with a `perspective` vote.'),
  model_stylesheet: attribute('text', 'Models by selector: `* { llm_model: "…"; } .review { … }`.'),
  llm_model: attribute('text', 'The model of nodes that name none, if the stylesheet names none either.', { aliases: ['model'] }),
  llm_provider: attribute('text', 'The provider of these nodes.', { aliases: ['provider'] }),
  reasoning_effort: attribute('text', 'The reasoning effort of nodes that state none.'),
  stream: attribute('bool', 'Streams the answers of models.', { usual: 'false' }),
  default_max_retries: attribute('int', 'The number of further attempts of nodes without `max_retries`.', {
    usual: '0',
    aliases: ['default_max_retry'],
  }),
  retry_policy: attribute(
    ['standard', 'aggressive', 'linear', 'patient', 'none'],
    'The delays between attempts, and the number of attempts of nodes that state none.',
    { usual: 'none', lenient: true },
  ),
  retry_target: attribute('node', 'The node to which the run goes if a goal gate is not met and names no target itself.'),
  fallback_retry_target: attribute('node', 'The same, if `retry_target` names no node of the pipeline.'),
  default_fidelity: attribute('text', 'The part of the history that a model gets, if neither the edge nor the node states it.', {
    usual: 'compact',
  }),
  thread_id: attribute('text', 'The conversation of nodes with full fidelity that name none.', { aliases: ['default_thread_id'] }),
  mandatory_middleware: attribute(
    'bool',
    'If false, the seven checks are switched off; ignored unless the operator allows it for a trusted program.',
    { usual: 'true' },
  ),
  middleware: attribute('csv', 'Additional middleware, after the seven checks.'),
  skip_middleware: attribute('csv', 'Checks to skip; see the same attribute of nodes.'),
  pre_hook: attribute('text', 'A command before the first node.'),
  post_hook: attribute('text', 'A command after the last node.'),
  'tool_hooks.pre': attribute('text', 'A command before each tool call of a model; a failure skips the call.'),
  'tool_hooks.post': attribute('text', 'A command after each tool call of a model.'),
  'stack.child_dotfile': attribute('path', 'The pipeline that a manager loop supervises.'),
  'stack.child_workdir': attribute('path', 'The work folder of that pipeline.'),
  max_steps: attribute(
    'int',
    'The limit of executions of nodes in a run. This limit and the five below can only lower those of the operator.',
    {
      usual: '10000',
    },
  ),
  parallel_branch_max_steps: attribute(
    'int',
    'The limit of executions of nodes in one branch, if its parallel node states none; 0 for no limit.',
    {
      usual: '100',
    },
  ),
  max_node_visits: attribute('int', 'The limit of visits of one node; 0 for no limit.', { usual: '1000' }),
  max_wall_time: attribute('duration', 'The time limit of a run.'),
  max_total_tokens: attribute('int', 'The limit of tokens of all models together.'),
  max_cost: attribute('number', 'The limit of the cost of all models together, in US dollars.'),
  on_resume: attribute(
    ['ask', 'error', 'repeat', 'retry'],
    'The treatment of an effect that a crash interrupted and that is not safe to repeat: a person is asked; with `repeat` or `retry` it is performed again.',
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
  label: attribute(
    'text',
    'The caption, the text of a choice, and the text that a preferred label is compared with. An edge with `fail` is taken after a failure.',
  ),
  condition: attribute('text', 'The edge is open only if this condition is true. An edge without a condition is always open.'),
  weight: attribute('number', 'Of several open edges, the one with the greatest weight is taken.', { usual: '0' }),
  fidelity: attribute('text', 'The part of the history that a model at the target gets; replaces the fidelity of the target.'),
  thread_id: attribute('text', 'The conversation of the target, if it names none.'),
  loop_restart: attribute('bool', 'The edge restarts the pipeline: completed stages and attempts are forgotten, the context stays.', {
    usual: 'false',
  }),
}
