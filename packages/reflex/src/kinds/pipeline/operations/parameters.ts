import { attribute } from '../model/attribute.ts'

// Attributes that several operations share.

/** The attributes of a request to a model (reference pipeline 2.3). */
export const MODEL_REQUEST = {
  llm_model: attribute('text', 'The model.', { usual: 'stylesheet, graph', aliases: ['model'] }),
  llm_provider: attribute('text', 'The provider of the model.', { usual: 'by model', aliases: ['provider'] }),
  reasoning_effort: attribute('text', "The effort of the model's reasoning; the model's default if absent."),
  temperature: attribute('number', "The randomness of the model's answers; the model's default if absent."),
  max_tokens: attribute('int', "The longest answer, in tokens; an answer that is cut there fails the node. The model's default if absent."),
  try_timeout: attribute('duration', 'The time limit of one attempt with one model; after it the next model is tried.'),
  stream: attribute('bool', 'Streams the answer.', { usual: 'the graph’s' }),
  output_schema: attribute('json', 'The JSON Schema of the answer; `output_key` then has the structured value.'),
  system_prompt: attribute('text', 'The system prompt.', { usual: 'a line with the goal' }),
  system_prompt_context_key: attribute('key', 'A context value that replaces `system_prompt`.'),
  prompt_context_key: attribute('key', 'A context value that replaces `prompt`.'),
  messages_context_key: attribute('key', 'A context value with the conversation so far.'),
  prompt_is_data: attribute('bool', 'Marks the prompt as untrusted data for the model.', { usual: 'false' }),
  use_tools: attribute('bool', 'Allows the model to call tools.', { usual: 'false' }),
  tools: attribute('csv', 'The tools that the model may call.', { usual: 'those of the host' }),
  max_turns: attribute('int', 'The limit of answers with tool calls.', { usual: '15' }),
  terminal_tools: attribute('csv', 'Tools whose call ends the node.'),
  perspective: attribute('text', 'The point of view of the node in a council; its answer is also `vote.<perspective>`.'),
  score: attribute('number', 'Copied to the key `score`, which a fan-in uses for ranking.'),
  agent: attribute('text', 'Passed to the backend, like the next four attributes.'),
  provider_options: attribute('json', 'Provider-specific options.'),
  llm_runtime: attribute('text', 'The runtime of the backend.'),
  acp_permission_mode: attribute('text', 'Permissions of a coding agent.'),
  acp_allowed_tools: attribute('csv', 'Tools of a coding agent.'),
  'tool_hooks.pre': attribute('text', 'A command before each tool call; a failure skips the call.', { usual: 'the graph’s' }),
  'tool_hooks.post': attribute('text', 'A command after each tool call.', { usual: 'the graph’s' }),
}

/** The attributes of an operation for each item of a collection (reference pipeline 4.9). */
export const ITEMS = {
  items: attribute('text', 'The items: a JSON list or words with commas.'),
  items_key: attribute('key', 'The context value with the items.'),
  item_type: attribute('text', 'The type of the node that is executed for each item.', { aliases: ['handler_type', 'item_handler'] }),
  handler_attrs: attribute('json', 'The attributes of that node, as an object.'),
  item_key: attribute('key', 'The key with the current item.', { usual: 'map.current_item' }),
  index_key: attribute('key', 'The key with the index of the current item.', { usual: 'map.current_index' }),
  result_key: attribute('key', 'The key of the value to collect from each item.', { usual: 'last_response' }),
  collect_key: attribute('key', 'The key for the results, in item order.', { usual: 'map.results' }),
  max_concurrency: attribute('int', 'The limit of items that are processed in parallel.', { usual: '4' }),
  on_item_error: attribute(['skip', 'fail', 'collect_nil'], 'The effect of a failed item on the result.', {
    usual: 'skip',
    lenient: true,
  }),
}

/** The attributes of a question to a person (reference pipeline 4.11, 7.3). */
export const QUESTION = {
  question: attribute('text', 'The question.', { usual: 'the label' }),
  question_type: attribute(
    ['multiple_choice', 'yes_no', 'confirmation', 'freeform', 'confirm', 'single_select', 'multi_select', 'free_text'],
    'The type of answer: one of the edges, yes or no, or text. Default: depends on the edges.',
    { lenient: true },
  ),
  'human.default_choice': attribute('text', 'The choice after a timeout.'),
  'human.timeout_seconds': attribute('seconds', 'The time limit for an answer.'),
  reviews_keys: attribute('keys', 'Context values that the person reviews.'),
  review_on_choice: attribute('text', 'The choice that confirms them.'),
  review_target: attribute(['trusted', 'derived', 'untrusted'], 'Their trust level after the review.', { usual: 'trusted', lenient: true }),
}

/** The attributes of a command in the sandbox. */
export const COMMAND = {
  cwd: attribute('path', 'The working directory of the command.', { usual: 'the work folder' }),
  sandbox: attribute(
    ['basic', 'strict', 'container', 'none'],
    'The sandbox of the command; `none` needs a trusted program. `container` is refused: Reflex has no containers.',
    { usual: 'strict' },
  ),
  env_keys: attribute('keys', 'Context values for environment variables of the command.'),
}

/** The attribute for the result of a failure. */
export const ON_ERROR = {
  on_error: attribute(['fail', 'warn', 'continue'], 'The result of a failure.', { usual: 'fail', lenient: true }),
}

/** The attribute for a file. */
export const FILE_PATH = {
  path: attribute('path', 'The file.'),
}

/** The attributes for a written file. */
export const OUTPUT = {
  output: attribute('path', 'The file to write.'),
  format: attribute('text', 'raw, json or text; of a report: terminal, json, markdown.', { usual: 'raw' }),
}

/** The attribute for a written value. */
export const CONTENT = {
  content_key: attribute('key', 'The context value to write.', { usual: 'by type' }),
}

/** The attributes of a request to an address. */
export const REQUEST = {
  url: attribute('text', 'The address.', { required: true }),
  method: attribute('text', 'The method.', { usual: 'GET' }),
  headers: attribute('json', 'Headers, as an object.'),
  body_key: attribute('key', 'The context value to send.'),
}

/** The attribute for the value of a gate. */
export const GATE = {
  expression: attribute('key', 'The context value that must be true.'),
}

/** The attribute for a deciding value. */
export const CONDITION = {
  condition_key: attribute('key', 'The context value that a gate or a branch checks.'),
}

/** The attribute for the number of entries. */
export const LIMIT = {
  limit: attribute('int', 'The limit of entries.', { usual: '10' }),
}

/** The attributes for a file of memories. */
export const STORE_FILE = {
  memory_store: attribute('path', 'The file with the memories.', { required: true }),
  tags: attribute('csv', 'Tags to search for, or to store.'),
}

/** The attributes for the metrics of an evaluation. */
export const MEASURED = {
  source: attribute('text', 'The node or key with the results.', { usual: 'the nearest eval.run' }),
  metrics: attribute({ list: ['accuracy', 'mean_score', 'pass_at_k'] }, 'The metrics to compute.', { usual: 'accuracy,mean_score' }),
  k: attribute('int', 'The k of pass_at_k.', { usual: '1' }),
  threshold: attribute('number', 'The lowest value of the first metric that passes.'),
}

/** The attributes for the file of a pipeline. */
export const SOURCE_FILE = {
  workdir: attribute('path', 'The work folder of the called pipeline.', { usual: 'the work folder' }),
  source_file: attribute('path', 'The file of the pipeline.'),
}

/** The attributes of a call of another program (reference pipeline 4.6). */
export const CALL = {
  program: attribute('text', 'The program to call, as `kind:id` or an id.'),
  graph_name: attribute('text', 'A pipeline that the host has registered.'),
  graph_file: attribute('path', 'The file of the pipeline; searched for in the folder of this one and above.'),
  graph_source_key: attribute('key', 'The context value with the text of the pipeline.'),
  pass_context: attribute('keys', 'Context values for the called pipeline.'),
  pass_all_context: attribute('bool', 'Passes all context values.', { usual: 'false' }),
  result_mapping: attribute('csv', 'The values to return, as `theirs:ours`.'),
  result_prefix: attribute('text', 'The prefix of the keys for returned values without a mapping.', { usual: 'subgraph.<id>.' }),
  ignore_child_failure: attribute('bool', 'Succeeds even if the called pipeline fails.', { usual: 'false' }),
}

/** The attributes of a proposal and its council (reference pipeline 4.6.1). */
export const COUNCIL = {
  proposal_id: attribute('text', 'The id of the proposal.'),
  evaluators: attribute('csv', 'The points of view of the council; the model is called for each.', {
    usual: 'correctness, safety, usefulness',
  }),
  quorum: attribute('text', 'majority, supermajority, unanimous or a number.', { usual: 'majority' }),
  mode: attribute(['decision', 'advisory'], '`decision`: a deadlock is a failure.', { usual: 'decision', lenient: true }),
}

/** The attribute for the mode of a session. */
export const THINKING = {
  cognitive_mode: attribute('text', 'The mode of the session.', { usual: 'session.cognitive_mode' }),
}
