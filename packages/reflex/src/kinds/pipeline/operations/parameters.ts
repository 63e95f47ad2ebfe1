import { attribute } from '../model/attribute.ts'

// Attributes that several operations read alike.

/** A request to a model (reference pipeline 2.3). */
export const MODEL_REQUEST = {
  llm_model: attribute('text', 'The model that is asked.', { usual: 'stylesheet, graph', aliases: ['model'] }),
  llm_provider: attribute('text', 'Who offers the model.', { usual: 'by model', aliases: ['provider'] }),
  reasoning_effort: attribute('text', "The effort of the model's reasoning; the model's default if absent."),
  temperature: attribute('number', "The randomness of the model's answers; the model's default if absent."),
  max_tokens: attribute('int', "The longest answer, in tokens; an answer that is cut there fails the node. The model's default if absent."),
  try_timeout: attribute('duration', 'The time limit of one try of one model; then the next one is asked.'),
  stream: attribute('bool', 'The answer is shown as it grows.', { usual: 'the graph’s' }),
  output_schema: attribute('json', 'The JSON Schema of the answer; `output_key` then holds the value itself.'),
  system_prompt: attribute('text', 'Who the model is.', { usual: 'a line with the goal' }),
  system_prompt_context_key: attribute('key', 'A context value in place of `system_prompt`.'),
  prompt_context_key: attribute('key', 'A context value in place of `prompt`.'),
  messages_context_key: attribute('key', 'A context value with the conversation so far.'),
  prompt_is_data: attribute('bool', 'The prompt is fenced as text of strangers.', { usual: 'false' }),
  use_tools: attribute('bool', 'Whether the model may call tools.', { usual: 'false' }),
  tools: attribute('csv', 'The tools that it may call.', { usual: 'those of the host' }),
  max_turns: attribute('int', 'How often it may answer with tool calls.', { usual: '15' }),
  terminal_tools: attribute('csv', 'Tools whose call ends the node.'),
  perspective: attribute('text', 'The view that the node takes in a council; its answer is also `vote.<perspective>`.'),
  score: attribute('number', 'Copied to the key `score`, by which a fan-in ranks.'),
  agent: attribute('text', 'Passed on to the backend, as are the four below.'),
  provider_options: attribute('json', 'Options that the provider alone knows.'),
  llm_runtime: attribute('text', 'The runtime of the backend.'),
  acp_permission_mode: attribute('text', 'Permissions of a coding agent.'),
  acp_allowed_tools: attribute('csv', 'Tools of a coding agent.'),
  'tool_hooks.pre': attribute('text', 'A command before each tool call; a failure skips the call.', { usual: 'the graph’s' }),
  'tool_hooks.post': attribute('text', 'A command after each tool call.', { usual: 'the graph’s' }),
}

/** An operation for each item of a collection (reference pipeline 4.9). */
export const ITEMS = {
  items: attribute('text', 'The items themselves: a JSON list or words with commas.'),
  items_key: attribute('key', 'The context value that holds the items.'),
  item_type: attribute('text', 'What is done with each item, by a type name.', { aliases: ['handler_type', 'item_handler'] }),
  handler_attrs: attribute('json', 'The attributes of that node, as an object.'),
  item_key: attribute('key', 'Where each finds its item.', { usual: 'map.current_item' }),
  index_key: attribute('key', 'Where each finds its number.', { usual: 'map.current_index' }),
  result_key: attribute('key', 'The value of each that is collected.', { usual: 'last_response' }),
  collect_key: attribute('key', 'Where the results are written, in the order of the items.', { usual: 'map.results' }),
  max_concurrency: attribute('int', 'How many items are worked on at once.', { usual: '4' }),
  on_item_error: attribute(['skip', 'fail', 'collect_nil'], 'What an item that fails does to the result.', {
    usual: 'skip',
    lenient: true,
  }),
}

/** A question to a person (reference pipeline 4.11, 7.3). */
export const QUESTION = {
  question: attribute('text', 'The question.', { usual: 'the label' }),
  question_type: attribute(
    ['multiple_choice', 'yes_no', 'confirmation', 'freeform', 'confirm', 'single_select', 'multi_select', 'free_text'],
    'What is asked for: one of the edges, yes or no, or text. From the edges where it is not said.',
    { lenient: true },
  ),
  'human.default_choice': attribute('text', 'The choice that is made when the time is over.'),
  'human.timeout_seconds': attribute('seconds', 'How long to wait for an answer.'),
  reviews_keys: attribute('keys', 'Context values that the person has looked at.'),
  review_on_choice: attribute('text', 'The choice that says they are right.'),
  review_target: attribute(['trusted', 'derived', 'untrusted'], 'How far they are then trusted.', { usual: 'trusted', lenient: true }),
}

/** A command in the sandbox. */
export const COMMAND = {
  cwd: attribute('path', 'Where the command runs.', { usual: 'the work folder' }),
  sandbox: attribute(
    ['basic', 'strict', 'container', 'none'],
    'What keeps the command in bounds; `none` needs a trusted program. `container` is refused: Reflex has no containers.',
    { usual: 'strict' },
  ),
  env_keys: attribute('keys', 'Context values that the command gets as environment.'),
}

/** The result of a failure. */
export const ON_ERROR = {
  on_error: attribute(['fail', 'warn', 'continue'], 'What a failure becomes.', { usual: 'fail', lenient: true }),
}

/** A file. */
export const FILE_PATH = {
  path: attribute('path', 'The file.'),
}

/** A file that is written. */
export const OUTPUT = {
  output: attribute('path', 'The file that is written.'),
  format: attribute('text', 'raw, json or text; of a report: terminal, json, markdown.', { usual: 'raw' }),
}

/** The value that is written. */
export const CONTENT = {
  content_key: attribute('key', 'The context value that is written.', { usual: 'by type' }),
}

/** A request to an address. */
export const REQUEST = {
  url: attribute('text', 'The address.', { required: true }),
  method: attribute('text', 'The method.', { usual: 'GET' }),
  headers: attribute('json', 'Headers, as an object.'),
  body_key: attribute('key', 'The context value that is sent.'),
}

/** The value that a gate reads. */
export const GATE = {
  expression: attribute('key', 'The context value that must be true.'),
}

/** A value that decides. */
export const CONDITION = {
  condition_key: attribute('key', 'The context value that a gate asks, or that a branch goes by.'),
}

/** The most entries. */
export const LIMIT = {
  limit: attribute('int', 'How many at most.', { usual: '10' }),
}

/** A file with memories. */
export const STORE_FILE = {
  memory_store: attribute('path', 'The file that holds the memories.', { required: true }),
  tags: attribute('csv', 'Tags to look for, or to give.'),
}

/** The metrics of an evaluation. */
export const MEASURED = {
  source: attribute('text', 'The node or key with the results.', { usual: 'the nearest eval.run' }),
  metrics: attribute({ list: ['accuracy', 'mean_score', 'pass_at_k'] }, 'What is computed.', { usual: 'accuracy,mean_score' }),
  k: attribute('int', 'The k of pass_at_k.', { usual: '1' }),
  threshold: attribute('number', 'The least value of the first metric.'),
}

/** The file of a pipeline. */
export const SOURCE_FILE = {
  workdir: attribute('path', 'Where the called pipeline works.', { usual: 'the work folder' }),
  source_file: attribute('path', 'The file of the pipeline.'),
}

/** A call of another program (reference pipeline 4.6). */
export const CALL = {
  program: attribute('text', 'The program that is called, as `kind:id` or an id.'),
  graph_name: attribute('text', 'A pipeline that the host has registered.'),
  graph_file: attribute('path', 'The file of the pipeline, looked for upwards from this one.'),
  graph_source_key: attribute('key', 'The context value with the text of the pipeline.'),
  pass_context: attribute('keys', 'Context values that the called pipeline gets.'),
  pass_all_context: attribute('bool', 'Whether it gets all.', { usual: 'false' }),
  result_mapping: attribute('csv', 'Which of its values come back, as `theirs:ours`.'),
  result_prefix: attribute('text', 'Where all others come back.', { usual: 'subgraph.<id>.' }),
  ignore_child_failure: attribute('bool', 'Whether its failure is none of ours.', { usual: 'false' }),
}

/** A proposal and its council (reference pipeline 4.6.1). */
export const COUNCIL = {
  proposal_id: attribute('text', 'The proposal that is asked about.'),
  evaluators: attribute('csv', 'The views from which the council judges; the model is asked for each.', {
    usual: 'correctness, safety, usefulness',
  }),
  quorum: attribute('text', 'majority, supermajority, unanimous or a number.', { usual: 'majority' }),
  mode: attribute(['decision', 'advisory'], 'Whether a deadlock is a failure.', { usual: 'decision', lenient: true }),
}

/** The mode of a session. */
export const THINKING = {
  cognitive_mode: attribute('text', 'The mode of the session.', { usual: 'session.cognitive_mode' }),
}
