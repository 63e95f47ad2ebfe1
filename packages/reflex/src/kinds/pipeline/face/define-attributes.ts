import type { DurationValue, JsonValue, ListValue } from './define-values.ts'

// Made from the tables of model/attributes*.ts by test/kinds/pipeline/define/attributes.test.ts: run it with -u when a table changes.

/** Attributes of the pipeline itself. */
export interface GraphAttributes<Id extends string> {
  /** What the pipeline is for: `$goal` in texts, the key `graph.goal`, the first line that a model reads. */
  readonly goal?: string | undefined
  /** The name shown; `$label` in texts. */
  readonly label?: string | undefined
  /** The question of a council whose nodes have no prompt of their own. */
  readonly question?: string | undefined
  /** `decision` makes nodes with a `perspective` vote. */
  readonly mode?: string | undefined
  /** Models by selector: `* { llm_model: "…"; } .review { … }`. */
  readonly model_stylesheet?: string | undefined
  /** The model of nodes for which neither they nor the stylesheet name one. */
  readonly llm_model?: string | undefined
  /** The same as `llm_model`. */
  readonly model?: string | undefined
  /** The provider of such nodes. */
  readonly llm_provider?: string | undefined
  /** The same as `llm_provider`. */
  readonly provider?: string | undefined
  /** The effort of nodes that state none. */
  readonly reasoning_effort?: string | undefined
  /** Answers of models are shown as they grow. Otherwise: false. */
  readonly stream?: boolean | undefined
  /** Further attempts of nodes without `max_retries`. Otherwise: 0. */
  readonly default_max_retries?: number | undefined
  /** The same as `default_max_retries`. */
  readonly default_max_retry?: number | undefined
  /** How long nodes rest between attempts, and how often they try where no count is given. Otherwise: none. */
  readonly retry_policy?: 'standard' | 'aggressive' | 'linear' | 'patient' | 'none' | undefined
  /** Where a goal gate that is not met sends the run, if it names no node itself. */
  readonly retry_target?: Id | undefined
  /** The same, if `retry_target` names no node of the pipeline. */
  readonly fallback_retry_target?: Id | undefined
  /** How much of what happened a model is told, where neither edge nor node says. Otherwise: compact. */
  readonly default_fidelity?: string | undefined
  /** The conversation of nodes with full fidelity that name none. */
  readonly thread_id?: string | undefined
  /** The same as `thread_id`. */
  readonly default_thread_id?: string | undefined
  /** Whether nodes pass through the checks; only the operator of a trusted program can switch them off. Otherwise: true. */
  readonly mandatory_middleware?: boolean | undefined
  /** Further checks, after the seven. */
  readonly middleware?: ListValue | undefined
  /** Checks to leave out; see the same attribute of nodes. */
  readonly skip_middleware?: ListValue | undefined
  /** A command before the first node. */
  readonly pre_hook?: string | undefined
  /** A command after the last node. */
  readonly post_hook?: string | undefined
  /** A command before each tool call of a model; a failure skips the call. */
  readonly 'tool_hooks.pre'?: string | undefined
  /** A command after each tool call of a model. */
  readonly 'tool_hooks.post'?: string | undefined
  /** The pipeline that a manager loop watches over. */
  readonly 'stack.child_dotfile'?: string | undefined
  /** Where it works. */
  readonly 'stack.child_workdir'?: string | undefined
  /** Executions of nodes in a run; can only lower what the operator allows, as the five below. Otherwise: 10000. */
  readonly max_steps?: number | undefined
  /** Executions of nodes in one branch, where its parallel node says nothing; 0 for no limit. Otherwise: 100. */
  readonly parallel_branch_max_steps?: number | undefined
  /** How often one node may be entered; 0 for no limit. Otherwise: 1000. */
  readonly max_node_visits?: number | undefined
  /** How long a run may take. */
  readonly max_wall_time?: DurationValue | undefined
  /** Tokens of all models together. */
  readonly max_total_tokens?: number | undefined
  /** US dollars of all models together. */
  readonly max_cost?: number | undefined
  /** Of what was under way when the process died and is not safe to repeat: a person is asked, or it is done again. Otherwise: ask. */
  readonly on_resume?: 'ask' | 'error' | 'repeat' | 'retry' | undefined
  /** Only a value: `$perspective` in texts, the key `graph.perspective`. */
  readonly perspective?: string | undefined
  /** Only a value, as is every other attribute of the graph. */
  readonly briefing_path?: string | undefined
  /** Only a value. */
  readonly skill_path?: string | undefined
  /** Only a value. */
  readonly strategy?: string | undefined
  /** Only a value: the files of the pipelines that this one calls. */
  readonly nested_graphs?: string | undefined
  /** The version of the pipeline, which a call names as `id@version`. */
  readonly version?: string | undefined
}

/** Attributes of nodes, of whatever type. */
export interface NodeAttributes<Id extends string> {
  /** The name shown; prompt or question where no other is written. Otherwise: the id. */
  readonly label?: string | undefined
  /** What the node does, by one of the type names. */
  readonly type?: string | undefined
  /** What the node does, where no type is written. Otherwise: box. */
  readonly shape?: string | undefined
  /** The instruction to a model; `$goal` and `$key` stand for values. */
  readonly prompt?: string | undefined
  /** Classes that the stylesheet can choose by. */
  readonly class?: ListValue | undefined
  /** Further attempts after the first. Otherwise: the graph’s. */
  readonly max_retries?: number | undefined
  /** How long to rest between attempts, and how often to try where no count is given. Otherwise: the graph’s. */
  readonly retry_policy?: 'standard' | 'aggressive' | 'linear' | 'patient' | 'none' | undefined
  /** The rest before the second attempt. Otherwise: 200ms. */
  readonly initial_delay?: DurationValue | undefined
  /** The same as `initial_delay`. */
  readonly retry_initial_delay_ms?: DurationValue | undefined
  /** By how much each rest is longer than the one before. Otherwise: 2. */
  readonly factor?: number | undefined
  /** The same as `factor`. */
  readonly retry_backoff_factor?: number | undefined
  /** The longest rest. Otherwise: 60s. */
  readonly max_delay?: DurationValue | undefined
  /** The same as `max_delay`. */
  readonly retry_max_delay_ms?: DurationValue | undefined
  /** Whether rests vary by half. Otherwise: true. */
  readonly jitter?: boolean | undefined
  /** The same as `jitter`. */
  readonly retry_jitter?: boolean | undefined
  /** The run does not end well before this node has succeeded. Otherwise: false. */
  readonly goal_gate?: boolean | undefined
  /** Where the run goes on when the node has failed. */
  readonly retry_target?: Id | undefined
  /** The same, if `retry_target` names no node of the pipeline. */
  readonly fallback_retry_target?: Id | undefined
  /** How much of what happened a model is told: full, truncate, compact, summary:low, summary:medium, summary:high. Otherwise: the graph’s. */
  readonly fidelity?: string | undefined
  /** The conversation that the node goes on with, at full fidelity. */
  readonly thread_id?: string | undefined
  /** How long one attempt may take. */
  readonly timeout?: DurationValue | undefined
  /** A failure counts as done, unless the stage itself wrote that it failed. Otherwise: false. */
  readonly auto_status?: boolean | undefined
  /** When no attempt is left, the outcome is partial_success. Otherwise: false. */
  readonly allow_partial?: boolean | undefined
  /** All unconditional edges are walked, one after the other; at a parallel node: what the branches wrote is kept. Otherwise: false. */
  readonly fan_out?: boolean | undefined
  /** An outcome without the work: true, fail, retry, fail_once, raise_retryable, raise_terminal. */
  readonly simulate?: string | undefined
  /** A command before each execution. */
  readonly pre_hook?: string | undefined
  /** A command after each execution. */
  readonly post_hook?: string | undefined
  /** Checks to leave out; ignored unless the program is trusted, and never for capability_check and checkpoint. */
  readonly skip_middleware?: ListValue | undefined
  /** Further checks for this node. */
  readonly middleware?: ListValue | undefined
  /** What the node needs beside what its type needs; never a grant. */
  readonly capabilities?: ListValue | undefined
  /** How sensitive what the node handles is. Otherwise: by type. */
  readonly data_class?: 'public' | 'internal' | 'sensitive' | 'secret' | undefined
  /** The same as `data_class="sensitive"`. Otherwise: false. */
  readonly sensitive?: boolean | undefined
  /** The fingerprint of the attributes; computed, never read. Otherwise: computed. */
  readonly content_hash?: string | undefined
  /** Whether the node may be executed again after a crash. Otherwise: by type. */
  readonly idempotent?: boolean | undefined
  /** Of what was under way when the process died and is not safe to repeat: a person is asked, or it is done again. Otherwise: the graph’s. */
  readonly on_resume?: 'ask' | 'error' | 'repeat' | 'retry' | undefined
  /** US dollars that one execution may spend. */
  readonly max_cost?: number | undefined
  /** The trust that the run must have for the node to be executed. */
  readonly trust_tier?: 'untrusted' | 'probationary' | 'trusted' | 'veteran' | 'autonomous' | undefined
  /** Context values that the node is given: parameters of an action, environment of a command. */
  readonly context_keys?: ListValue | undefined
  /** Where the result is written. Otherwise: by type. */
  readonly output_key?: string | undefined
  /** Where the fields of the result are written. */
  readonly output_prefix?: string | undefined
  /** The context value that the node works on. Otherwise: by type. */
  readonly source_key?: string | undefined
  /** What a node of type compute does. Otherwise: llm. */
  readonly purpose?:
    | 'llm'
    | 'transform'
    | 'shell'
    | 'routing'
    | 'ab_test'
    | 'drift_detect'
    | 'retry_escalate'
    | 'eval_run'
    | 'eval_aggregate'
    | undefined
  /** The model that is asked. Otherwise: stylesheet, graph. */
  readonly llm_model?: string | undefined
  /** The same as `llm_model`. */
  readonly model?: string | undefined
  /** Who offers the model. Otherwise: by model. */
  readonly llm_provider?: string | undefined
  /** The same as `llm_provider`. */
  readonly provider?: string | undefined
  /** The effort of the model's reasoning; the model's default if absent. */
  readonly reasoning_effort?: string | undefined
  /** The randomness of the model's answers; the model's default if absent. */
  readonly temperature?: number | undefined
  /** The longest answer, in tokens; an answer that is cut there fails the node. The model's default if absent. */
  readonly max_tokens?: number | undefined
  /** The time limit of one try of one model; then the next one is asked. */
  readonly try_timeout?: DurationValue | undefined
  /** The answer is shown as it grows. Otherwise: the graph’s. */
  readonly stream?: boolean | undefined
  /** The JSON Schema of the answer; `output_key` then holds the value itself. */
  readonly output_schema?: JsonValue | undefined
  /** Who the model is. Otherwise: a line with the goal. */
  readonly system_prompt?: string | undefined
  /** A context value in place of `system_prompt`. */
  readonly system_prompt_context_key?: string | undefined
  /** A context value in place of `prompt`. */
  readonly prompt_context_key?: string | undefined
  /** A context value with the conversation so far. */
  readonly messages_context_key?: string | undefined
  /** The prompt is fenced as text of strangers. Otherwise: false. */
  readonly prompt_is_data?: boolean | undefined
  /** Whether the model may call tools. Otherwise: false. */
  readonly use_tools?: boolean | undefined
  /** The tools that it may call. Otherwise: those of the host. */
  readonly tools?: ListValue | undefined
  /** How often it may answer with tool calls. Otherwise: 15. */
  readonly max_turns?: number | undefined
  /** Tools whose call ends the node. */
  readonly terminal_tools?: ListValue | undefined
  /** The view that the node takes in a council; its answer is also `vote.<perspective>`. */
  readonly perspective?: string | undefined
  /** Copied to the key `score`, by which a fan-in ranks. */
  readonly score?: number | undefined
  /** Passed on to the backend, as are the four below. */
  readonly agent?: string | undefined
  /** Options that the provider alone knows. */
  readonly provider_options?: JsonValue | undefined
  /** The runtime of the backend. */
  readonly llm_runtime?: string | undefined
  /** Permissions of a coding agent. */
  readonly acp_permission_mode?: string | undefined
  /** Tools of a coding agent. */
  readonly acp_allowed_tools?: ListValue | undefined
  /** A command before each tool call; a failure skips the call. Otherwise: the graph’s. */
  readonly 'tool_hooks.pre'?: string | undefined
  /** A command after each tool call. Otherwise: the graph’s. */
  readonly 'tool_hooks.post'?: string | undefined
  /** Files that the model sees with the prompt: images, PDFs, sounds and texts, by their paths. */
  readonly attachments?: ListValue | undefined
  /** A context value with further files: a path, the content as `file.read` gives it in base64, or a list. */
  readonly attachments_context_key?: string | undefined
  /** What the provider keeps in its cache: the system prompt, or that and the prompt. */
  readonly prompt_cache?: 'system' | 'prompt' | undefined
  /** When a block of branches has succeeded. Otherwise: wait_all. */
  readonly join_policy?: 'wait_all' | 'first_success' | 'k_of_n' | 'quorum' | undefined
  /** How many branches must succeed, with `k_of_n`. Otherwise: 1. */
  readonly join_k?: number | undefined
  /** Which part of the branches must succeed, with `quorum`. Otherwise: 0.5. */
  readonly quorum_fraction?: number | undefined
  /** What a branch that fails does to the others. Otherwise: continue. */
  readonly error_policy?: 'continue' | 'fail_fast' | 'ignore' | undefined
  /** How many branches run at once. Otherwise: 4. */
  readonly max_parallel?: number | undefined
  /** The node before which the branches stop. Otherwise: inferred. */
  readonly join_target?: Id | undefined
  /** How long one branch may take. */
  readonly branch_timeout?: DurationValue | undefined
  /** Executions of nodes in one branch; 0 for no limit. Otherwise: 100. */
  readonly parallel_branch_max_steps?: number | undefined
  /** What the branches wrote is kept, in the order of their edges. Otherwise: false. */
  readonly merge_context?: boolean | undefined
  /** How many branches must have succeeded. Otherwise: any. */
  readonly fan_in_policy?: 'any' | 'all' | 'majority' | undefined
  /** The items themselves: a JSON list or words with commas. */
  readonly items?: string | undefined
  /** The context value that holds the items. */
  readonly items_key?: string | undefined
  /** What is done with each item, by a type name. */
  readonly item_type?: string | undefined
  /** The same as `item_type`. */
  readonly handler_type?: string | undefined
  /** The same as `item_type`. */
  readonly item_handler?: string | undefined
  /** The attributes of that node, as an object. */
  readonly handler_attrs?: JsonValue | undefined
  /** Where each finds its item. Otherwise: map.current_item. */
  readonly item_key?: string | undefined
  /** Where each finds its number. Otherwise: map.current_index. */
  readonly index_key?: string | undefined
  /** The value of each that is collected. Where they are written. Where the report is written. Otherwise: last_response, recalled_memories, drift_report. */
  readonly result_key?: string | undefined
  /** Where the results are written, in the order of the items. Otherwise: map.results. */
  readonly collect_key?: string | undefined
  /** How many items are worked on at once. Otherwise: 4. */
  readonly max_concurrency?: number | undefined
  /** What an item that fails does to the result. Otherwise: skip. */
  readonly on_item_error?: 'skip' | 'fail' | 'collect_nil' | undefined
  /** The question. Otherwise: the label. */
  readonly question?: string | undefined
  /** What is asked for: one of the edges, yes or no, or text. From the edges where it is not said. */
  readonly question_type?:
    | 'multiple_choice'
    | 'yes_no'
    | 'confirmation'
    | 'freeform'
    | 'confirm'
    | 'single_select'
    | 'multi_select'
    | 'free_text'
    | undefined
  /** The choice that is made when the time is over. */
  readonly 'human.default_choice'?: string | undefined
  /** How long to wait for an answer. */
  readonly 'human.timeout_seconds'?: number | undefined
  /** Context values that the person has looked at. */
  readonly reviews_keys?: ListValue | undefined
  /** The choice that says they are right. */
  readonly review_on_choice?: string | undefined
  /** How far they are then trusted. Otherwise: trusted. */
  readonly review_target?: 'trusted' | 'derived' | 'untrusted' | undefined
  /** How long to wait. Otherwise: 1000. */
  readonly duration?: DurationValue | undefined
  /** The signal that ends the wait. */
  readonly signal_topic?: string | undefined
  /** What a node of type wait waits for. What a node of type read reads. Where it comes from. The node or key with the results. Otherwise: human, by attributes, the nearest eval.run. */
  readonly source?: string | undefined
  /** What a node of type exec runs. What a node of type write writes to. Otherwise: tool, by attributes. */
  readonly target?: 'tool' | 'shell' | 'action' | 'function' | 'file' | 'context' | 'memory' | 'eval' | 'accumulator' | 'api' | undefined
  /** The command of a tool. */
  readonly tool_command?: string | undefined
  /** The shell text, passed to `sh -c`; values come in as environment. */
  readonly command?: string | undefined
  /** Where the command runs. Otherwise: the work folder. */
  readonly cwd?: string | undefined
  /** What keeps the command in bounds; `none` needs a trusted program. `container` is refused: Reflex has no containers. Otherwise: strict. */
  readonly sandbox?: 'basic' | 'strict' | 'container' | 'none' | undefined
  /** Context values that the command gets as environment. */
  readonly env_keys?: ListValue | undefined
  /** What a failure becomes. Otherwise: fail. */
  readonly on_error?: 'fail' | 'warn' | 'continue' | undefined
  /** The name of the action; `.` and `_` count the same. What happens when it does not pass. What happens when they are not. Otherwise: fail, warn. */
  readonly action?: string | undefined
  /** The context value that says until when; all four or none. */
  readonly 'timeout_budget.deadline_key'?: string | undefined
  /** The context value with the longest time. */
  readonly 'timeout_budget.cap_key'?: string | undefined
  /** The context value with the time to keep back. */
  readonly 'timeout_budget.reserve_key'?: string | undefined
  /** The parameter that gets the time. */
  readonly 'timeout_budget.param'?: string | undefined
  /** The name of a function that the host has registered. */
  readonly function?: string | undefined
  /** How the value is changed. Otherwise: identity. */
  readonly transform?:
    | 'identity'
    | 'constant'
    | 'json_extract'
    | 'template'
    | 'increment'
    | 'format'
    | 'not_equal'
    | 'map'
    | 'filter'
    | 'split'
    | 'join'
    | 'remap'
    | undefined
  /** What the transform goes by: a path, a text, a template, a key, a step, a delimiter. The context value that must be true. */
  readonly expression?: string | undefined
  /** Which service of memory, evaluation, session or council is meant. */
  readonly op?: string | undefined
  /** The file. */
  readonly path?: string | undefined
  /** The file that is written. */
  readonly output?: string | undefined
  /** raw, json or text; of a report: terminal, json, markdown. What the value must be. As what. Otherwise: raw, text. */
  readonly format?: string | undefined
  /** Whether the text is added to what the file holds. Otherwise: false. */
  readonly append?: boolean | undefined
  /** The context value that is written. Otherwise: by type. */
  readonly content_key?: string | undefined
  /** What is written, in place of a context value. */
  readonly value?: string | undefined
  /** The address. */
  readonly url?: string | undefined
  /** The method. Otherwise: GET. */
  readonly method?: string | undefined
  /** Headers, as an object. */
  readonly headers?: JsonValue | undefined
  /** The context value that is sent. */
  readonly body_key?: string | undefined
  /** How the value joins what has been gathered. Otherwise: append. */
  readonly operation?: 'sum' | 'count' | 'min' | 'max' | 'product' | 'avg' | 'append' | 'prepend' | 'merge' | 'concat' | undefined
  /** The value that joins. */
  readonly input_key?: string | undefined
  /** Where it is gathered. Otherwise: accumulator.<id>. */
  readonly accumulator_key?: string | undefined
  /** What is there before the first. */
  readonly init_value?: string | undefined
  /** How much may be gathered. How many at most. Otherwise: 10. */
  readonly limit?: number | undefined
  /** What happens beyond it. Otherwise: warn. */
  readonly limit_action?: 'fail' | 'warn' | 'cap' | undefined
  /** The same as `operation`, where there is none. What a node of type compose does. Whether a deadlock is a failure. Passed on to the service. Otherwise: invoke, decision. */
  readonly mode?: string | undefined
  /** What a gate asks. */
  readonly predicate?: 'output_valid' | 'pipeline_valid' | 'expression' | 'budget_ok' | 'approval' | 'trust' | 'capability' | undefined
  /** The context value that a gate asks, or that a branch goes by. */
  readonly condition_key?: string | undefined
  /** The fewest characters. */
  readonly min_length?: number | undefined
  /** The most characters. */
  readonly max_length?: number | undefined
  /** What must be in it. */
  readonly must_contain?: ListValue | undefined
  /** What must not. */
  readonly must_not_contain?: ListValue | undefined
  /** The schema that it must fit. */
  readonly json_schema?: JsonValue | undefined
  /** The pattern that it must match. */
  readonly pattern?: string | undefined
  /** What a value that passes is safe against. Otherwise: all. */
  readonly sanitizes?: ListValue | undefined
  /** The least trust. */
  readonly min_tier?: string | undefined
  /** The capability that is asked for. */
  readonly resource_uri?: string | undefined
  /** The same. */
  readonly capability?: string | undefined
  /** The changes, a list of objects with `op`. */
  readonly mutations?: JsonValue | undefined
  /** The context value with the changes; goes before `mutations`. */
  readonly mutations_key?: string | undefined
  /** How many at once. Otherwise: 10. */
  readonly max_mutations?: number | undefined
  /** Whether they are only checked. Otherwise: false. */
  readonly dry_run?: boolean | undefined
  /** Whose memory, session or proposal. Otherwise: session.agent_id. */
  readonly agent_id?: string | undefined
  /** The file that holds the memories. */
  readonly memory_store?: string | undefined
  /** Tags to look for, or to give. */
  readonly tags?: ListValue | undefined
  /** The value whose words are looked for. Otherwise: last_response. */
  readonly query_key?: string | undefined
  /** Which memories are best. How memories are consolidated. Otherwise: recent, full. */
  readonly strategy?: 'recent' | 'keyword' | 'tag_match' | 'full' | 'decay_only' | 'prune_only' | undefined
  /** How many. Otherwise: 5. */
  readonly top_k?: number | undefined
  /** Whether those past their time count. Otherwise: false. */
  readonly include_expired?: boolean | undefined
  /** How many days the memory lasts. */
  readonly ttl_days?: number | undefined
  /** Context values to remember with it. */
  readonly metadata_keys?: ListValue | undefined
  /** What to remember with it, as an object. */
  readonly metadata?: JsonValue | undefined
  /** The file with the samples, one JSON object a line. */
  readonly dataset?: string | undefined
  /** Whether they are mixed. Otherwise: false. */
  readonly shuffle?: boolean | undefined
  /** By which number. */
  readonly seed?: number | undefined
  /** Who judges; `composite:any_pass:exact_match*2+contains` joins several to one. */
  readonly graders?: ListValue | undefined
  /** What is judged: `llm` or a function of the host. Otherwise: the input. */
  readonly subject?: string | undefined
  /** What is computed. Otherwise: accuracy,mean_score. */
  readonly metrics?: ListValue | undefined
  /** The k of pass_at_k. Otherwise: 1. */
  readonly k?: number | undefined
  /** The least value of the first metric. How alike they must be. Otherwise: 0.7. */
  readonly threshold?: number | undefined
  /** The node or key with the metrics. Otherwise: auto. */
  readonly metrics_source?: string | undefined
  /** Under which name results are kept. */
  readonly domain?: string | undefined
  /** The results. */
  readonly results_key?: string | undefined
  /** The metrics. */
  readonly metrics_key?: string | undefined
  /** A list of pairs, backend and model. */
  readonly candidates?: JsonValue | undefined
  /** Backends that are out, beside those that the key exclude of the context names. */
  readonly exclude?: ListValue | undefined
  /** The one prompt. */
  readonly variant_a?: string | undefined
  /** The other. */
  readonly variant_b?: string | undefined
  /** How often each is tried. Otherwise: 1. */
  readonly count?: number | undefined
  /** How the judge is asked. */
  readonly judge_prompt?: string | undefined
  /** The file that keeps the results of all runs. */
  readonly persistence?: string | undefined
  /** Whether a clear winner is promoted. Otherwise: false. */
  readonly auto_promote?: boolean | undefined
  /** After how many. Otherwise: 20. */
  readonly min_samples?: number | undefined
  /** How clear. Otherwise: 0.05. */
  readonly significance?: number | undefined
  /** The file to compare with. */
  readonly baseline_path?: string | undefined
  /** The value to compare. Otherwise: last_response. */
  readonly current_key?: string | undefined
  /** What is compared. Otherwise: length,keywords,structure,format. */
  readonly dimensions?: ListValue | undefined
  /** Whether the value becomes the new baseline. Otherwise: false. */
  readonly update_baseline?: boolean | undefined
  /** The models to try, one after the other. Otherwise: those of the host. */
  readonly models?: ListValue | undefined
  /** When the next one is tried. Otherwise: fail,timeout. */
  readonly escalate_on?: ListValue | undefined
  /** How long each may take. Otherwise: 30000. */
  readonly timeout_ms?: DurationValue | undefined
  /** The least score. When it is good enough. Otherwise: 0.7, 0.8. */
  readonly score_threshold?: number | undefined
  /** The context value with the score. */
  readonly score_key?: string | undefined
  /** Where the called pipeline works. Otherwise: the work folder. */
  readonly workdir?: string | undefined
  /** The file of the pipeline. */
  readonly source_file?: string | undefined
  /** The program that is called, as `kind:id` or an id. */
  readonly program?: string | undefined
  /** A pipeline that the host has registered. */
  readonly graph_name?: string | undefined
  /** The file of the pipeline, looked for upwards from this one. */
  readonly graph_file?: string | undefined
  /** The context value with the text of the pipeline. */
  readonly graph_source_key?: string | undefined
  /** Context values that the called pipeline gets. */
  readonly pass_context?: ListValue | undefined
  /** Whether it gets all. Otherwise: false. */
  readonly pass_all_context?: boolean | undefined
  /** Which of its values come back, as `theirs:ours`. */
  readonly result_mapping?: ListValue | undefined
  /** Where all others come back. Otherwise: subgraph.<id>.. */
  readonly result_prefix?: string | undefined
  /** Whether its failure is none of ours. Otherwise: false. */
  readonly ignore_child_failure?: boolean | undefined
  /** How the critic is asked; `{content}` is the text. */
  readonly critique_prompt?: string | undefined
  /** How often the text is revised. Otherwise: 3. */
  readonly max_iterations?: number | undefined
  /** How it is scored. Otherwise: combined. */
  readonly scoring_method?: 'length_ratio' | 'keyword_coverage' | 'structure' | 'combined' | undefined
  /** The text to compare with. */
  readonly reference_key?: string | undefined
  /** Over how many revisions nothing may change. Otherwise: 3. */
  readonly plateau_window?: number | undefined
  /** What counts as nothing. Otherwise: 0.02. */
  readonly plateau_tolerance?: number | undefined
  /** The pipeline that is watched over. Otherwise: the graph’s. */
  readonly 'stack.child_dotfile'?: string | undefined
  /** Where it works. Otherwise: the graph’s. */
  readonly 'stack.child_workdir'?: string | undefined
  /** Whether the loop begins it. Otherwise: true. */
  readonly 'stack.child_autostart'?: boolean | undefined
  /** The rest between two looks. Otherwise: 45s. */
  readonly 'manager.poll_interval'?: DurationValue | undefined
  /** How many looks. Otherwise: 1000. */
  readonly 'manager.max_cycles'?: number | undefined
  /** A condition that ends the loop well. */
  readonly 'manager.stop_condition'?: string | undefined
  /** What is done at each look; `steer` too. Otherwise: observe,wait. */
  readonly 'manager.actions'?: ListValue | undefined
  /** The rest between two words of advice. Otherwise: the poll interval. */
  readonly 'manager.steer_cooldown'?: DurationValue | undefined
  /** The watched pipeline runs on when the loop ends; this pipeline ends once it has ended. Otherwise: false. */
  readonly 'manager.detach'?: boolean | undefined
  /** The proposal that is asked about. */
  readonly proposal_id?: string | undefined
  /** The views from which the council judges; the model is asked for each. Otherwise: correctness, safety, usefulness. */
  readonly evaluators?: ListValue | undefined
  /** majority, supermajority, unanimous or a number. Otherwise: majority. */
  readonly quorum?: string | undefined
  /** What is recalled: goals, intents, beliefs or memories. */
  readonly recall_type?: string | undefined
  /** The mode of the session. Otherwise: session.cognitive_mode. */
  readonly cognitive_mode?: string | undefined
  /** `intent_store` routes what the store of intents holds. */
  readonly intent_source?: string | undefined
}

/** Attributes of edges. */
export interface EdgeAttributes {
  /** Caption, the text of a choice, and what a preferred label is compared with; `fail` is the way of a failure. */
  readonly label?: string | undefined
  /** The edge is open only if this holds; without it, it is open. */
  readonly condition?: string | undefined
  /** Of several open edges the heaviest is taken. Otherwise: 0. */
  readonly weight?: number | undefined
  /** How much a model at the target is told; goes before what the target says. */
  readonly fidelity?: string | undefined
  /** The conversation of the target, if it names none. */
  readonly thread_id?: string | undefined
  /** Taking the edge begins a new lap: what was done and tried is forgotten, the context stays. Otherwise: false. */
  readonly loop_restart?: boolean | undefined
}
