import { type AttributeRow, rowsOf } from './attribute-row.ts'

const PRESET_NAMES = ['standard', 'aggressive', 'linear', 'patient', 'none']

/** Attributes of the pipeline itself (seed pipeline 2.6; reference pipeline 2.1). */
export const GRAPH_ATTRIBUTES: readonly AttributeRow[] = rowsOf('graph', [
  ['goal', 'text', '', 'What the pipeline is for: `$goal` in texts, the key `graph.goal`, the first line that a model reads.'],
  ['label', 'text', '', 'The name shown; `$label` in texts.'],
  ['question', 'text', '', 'The question of a council whose nodes have no prompt of their own.'],
  ['mode', 'text', '', '`decision` makes nodes with a `perspective` vote.'],
  ['model_stylesheet', 'text', '', 'Models by selector: `* { llm_model: "…"; } .review { … }`.'],
  ['llm_model, model', 'text', '', 'The model of nodes for which neither they nor the stylesheet name one.'],
  ['llm_provider, provider', 'text', '', 'The provider of such nodes.'],
  ['reasoning_effort', 'text', '', 'The effort of nodes that state none.'],
  ['stream', 'bool', 'false', 'Answers of models are shown as they grow.'],
  ['default_max_retries, default_max_retry', 'int', '0', 'Further attempts of nodes without `max_retries`.'],
  ['retry_policy', PRESET_NAMES, 'none', 'How long nodes rest between attempts, and how often they try where no count is given.'],
  ['retry_target', 'node', '', 'Where a goal gate that is not met sends the run, if it names no node itself.'],
  ['fallback_retry_target', 'node', '', 'The same, if `retry_target` names no node of the pipeline.'],
  ['default_fidelity', 'text', 'compact', 'How much of what happened a model is told, where neither edge nor node says.'],
  ['thread_id, default_thread_id', 'text', '', 'The conversation of nodes with full fidelity that name none.'],
  [
    'mandatory_middleware',
    'bool',
    'true',
    'Whether nodes pass through the checks; only the operator of a trusted program can switch them off.',
  ],
  ['middleware', 'csv', '', 'Further checks, after the seven.'],
  ['skip_middleware', 'csv', '', 'Checks to leave out; see the same attribute of nodes.'],
  ['pre_hook', 'text', '', 'A command before the first node.'],
  ['post_hook', 'text', '', 'A command after the last node.'],
  ['tool_hooks.pre', 'text', '', 'A command before each tool call of a model; a failure skips the call.'],
  ['tool_hooks.post', 'text', '', 'A command after each tool call of a model.'],
  ['stack.child_dotfile', 'path', '', 'The pipeline that a manager loop watches over.'],
  ['stack.child_workdir', 'path', '', 'Where it works.'],
  ['max_steps', 'int', '10000', 'Executions of nodes in a run; can only lower what the operator allows, as the five below.'],
  ['parallel_branch_max_steps', 'int', '100', 'Executions of nodes in one branch, where its parallel node says nothing; 0 for no limit.'],
  ['max_node_visits', 'int', '1000', 'How often one node may be entered; 0 for no limit.'],
  ['max_wall_time', 'duration', '', 'How long a run may take.'],
  ['max_total_tokens', 'int', '', 'Tokens of all models together.'],
  ['max_cost', 'number', '', 'US dollars of all models together.'],
  [
    'on_resume',
    ['ask', 'error', 'repeat', 'retry'],
    'ask',
    'Of what was under way when the process died and is not safe to repeat: a person is asked, or it is done again.',
  ],
  ['perspective', 'text', '', 'Only a value: `$perspective` in texts, the key `graph.perspective`.'],
  ['briefing_path', 'text', '', 'Only a value, as is every other attribute of the graph.'],
  ['skill_path', 'text', '', 'Only a value.'],
  ['strategy', 'text', '', 'Only a value.'],
  ['nested_graphs', 'text', '', 'Only a value: the files of the pipelines that this one calls.'],
  ['version', 'text', '', 'The version of the pipeline, which a call names as `id@version`.'],
])

/** Attributes of edges (seed pipeline 2.8; reference pipeline 2.5). */
export const EDGE_ATTRIBUTES: readonly AttributeRow[] = rowsOf('edge', [
  ['label', 'text', '', 'Caption, the text of a choice, and what a preferred label is compared with; `fail` is the way of a failure.'],
  ['condition', 'text', '', 'The edge is open only if this holds; without it, it is open.'],
  ['weight', 'number', '0', 'Of several open edges the heaviest is taken.'],
  ['fidelity', 'text', '', 'How much a model at the target is told; goes before what the target says.'],
  ['thread_id', 'text', '', 'The conversation of the target, if it names none.'],
  ['loop_restart', 'bool', 'false', 'Taking the edge begins a new lap: what was done and tried is forgotten, the context stays.'],
])
