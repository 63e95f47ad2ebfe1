import { fileUri, uri } from './capability-uris.ts'
import type { ActionFacts } from './action-needs.ts'
import { plainAction } from './action-names.ts'
import { EVALUATION_FACTS } from './evaluation-facts.ts'
import type { Parameters } from './action-parameters.ts'

const SHELL = uri('shell/exec')
const runsCommand = (): readonly string[] => [SHELL]
const PATH = { kind: 'text', control: 'path_traversal', also: ['workdir', 'cwd', 'repo_path'] } as const
const FILE = { kind: 'text', required: true, control: 'path_traversal', also: ['file', 'file_path'] } as const
const text = { kind: 'text' } as const
const number = { kind: 'number' } as const
const flag = { kind: 'flag' } as const
const json = { kind: 'json' } as const

const SEARCH: ActionFacts = {
  parameters: {
    query: { kind: 'text', required: true, also: ['q'] },
    count: { kind: 'number', also: ['limit', 'num_results', 'max_results'] },
    freshness: { kind: 'text', also: ['start_crawl_date'] },
    mode: text,
  },
  origin: 'outside',
}

const TESTS: ActionFacts = {
  parameters: {
    path: PATH,
    command: { kind: 'json', control: true, also: ['test_command'] },
    tags: { kind: 'text', also: ['only'] },
    test_file: { kind: 'text', control: 'path_traversal', also: ['test_path'] },
    timeout: number,
  },
  needs: runsCommand,
}

const GENERIC: Readonly<Record<string, ActionFacts>> = {
  file_write: {
    parameters: { path: FILE, content: { kind: 'json', required: true, also: ['text'] }, append: flag, create_dirs: flag },
    needs: (written) => [fileUri('write', written('path'))],
  },
  file_read: { parameters: { path: FILE, limit: number }, needs: (written) => [fileUri('read', written('path'))] },
  file_search: {
    parameters: {
      pattern: { kind: 'text', required: true, also: ['query', 'search'] },
      path: PATH,
      glob: { kind: 'text', also: ['file_pattern', 'include'] },
      ignore_case: flag,
      limit: { kind: 'number', also: ['max_results'] },
    },
    needs: (written) => [fileUri('read', written('path'))],
  },
  file_glob: {
    parameters: { pattern: { kind: 'text', required: true, also: ['glob'] }, path: PATH, limit: { kind: 'number', also: ['max_results'] } },
    needs: (written) => [fileUri('read', written('path'))],
  },
  file_list: { parameters: { path: PATH, depth: number }, needs: (written) => [fileUri('read', written('path'))] },
  shell_run: {
    parameters: {
      command: { kind: 'text', required: true, control: true, authored: true },
      cwd: { ...PATH, also: ['workdir', 'path'] },
      timeout: number,
    },
    needs: runsCommand,
  },
  apply_changes: {
    parameters: { changes: { kind: 'json', required: true, also: ['changes_json', 'edits'] }, path: PATH },
    needs: () => [fileUri('read', undefined), fileUri('write', undefined)],
  },
  git_branch: {
    parameters: {
      branch: { kind: 'text', required: true, control: true, also: ['branch_name', 'name'] },
      base: { kind: 'text', control: true },
      path: PATH,
    },
    needs: runsCommand,
  },
  git_commit: {
    parameters: {
      message: { kind: 'text', required: true, also: ['commit_message'] },
      all: flag,
      files: { kind: 'list', control: 'path_traversal' },
      path: PATH,
    },
    needs: runsCommand,
  },
  git_pr: {
    parameters: {
      title: { kind: 'text', required: true, also: ['pr_title'] },
      body: { kind: 'text', also: ['pr_body', 'pr_body_final', 'description'] },
      branch: { kind: 'text', control: true, also: ['branch_name', 'head'] },
      base: { kind: 'text', control: true, also: ['base_branch'] },
      draft: flag,
      push: flag,
      path: PATH,
    },
    needs: runsCommand,
    origin: 'outside',
  },
  web_search: SEARCH,
  exa_search: SEARCH,
  tinyfish_search: SEARCH,
  brave_search: SEARCH,
  mix_test: TESTS,
  run_tests: TESTS,
  tdd_build_impl_prompt: {
    parameters: {
      module_name: { kind: 'text', also: ['name'] },
      signature: text,
      description: { kind: 'text', also: ['spec'] },
      test_code: { kind: 'text', also: ['tests'] },
      iteration: number,
      last_impl: text,
      last_failure: text,
    },
  },
  tdd_record_attempt: { parameters: { iteration: number, max_iterations: number, current_impl: json, test_output: json } },
  consensus_decide: {
    parameters: {
      results: json,
      quorum: text,
      mode: text,
      question: text,
    },
    reads: ['parallel.results'],
  },
  review_synthesize: { parameters: { results: { kind: 'json', required: true, also: ['reviews'] } } },
  pipeline_validate: { parameters: { source: { kind: 'text', required: true, also: ['dot', 'dot_source', 'last_response'] } } },
  pipeline_run: {
    parameters: {
      source: { kind: 'text', required: true, control: true, also: ['dot', 'dot_source', 'last_response'] },
      inputs: { kind: 'json', also: ['initial_values', 'context'] },
    },
    needs: () => [uri('orchestrator/invoke')],
  },
}

const AGENT = { agent_id: text } as const
const memory =
  (...ops: readonly string[]): (() => readonly string[]) =>
  () =>
    ops.map((op) => uri('memory', op))

/** Returns the facts of a session action. Parameters that a node does not pass are read from the context. */
function session(names: readonly string[], needs?: () => readonly string[]): ActionFacts {
  const parameters: Parameters = { ...AGENT, ...Object.fromEntries(names.map((name) => [name.split('.').at(-1) ?? name, json])) }
  const reads = ['session.agent_id', ...names.map((name) => (name.includes('.') || name === 'last_response' ? name : `session.${name}`))]
  return { parameters, reads, ...(needs === undefined ? {} : { needs }) }
}

const RECALLS = ['recall_goals', 'recall_intents', 'recall_beliefs', 'memory_recall']

/** The services of a session as actions, by the names that pipelines use (reference pipeline 4.6.2 and 13). */
const SESSION: Readonly<Record<string, ActionFacts>> = {
  session_classify: session(['input', 'blocked']),
  session_mode_select: session(['goals', 'intents', 'active_intents', 'turn_count', 'user_waiting']),
  session_memory_recall: session(['input', 'recall_type'], memory(...RECALLS)),
  session_llm_call: session(['messages', 'cognitive_mode'], () => [uri('orchestrator/execute/llm_query')]),
  session_tool_dispatch: session(['llm.tool_calls', 'messages'], () => [uri('tool')]),
  session_format: session(['llm.content', 'blocked', 'block_reason']),
  session_memory_update: session(['turn_data', 'response', 'memory_notes', 'beliefs'], memory('memory_update')),
  session_checkpoint: session(['id', 'turn_count'], memory('checkpoint')),
  session_background_checks: session([], memory('background_checks')),
  session_process_results: session(['llm.content', 'last_response']),
  session_route_actions: session(['actions', 'intent_source'], memory('route_actions', 'route_intents', 'apply_identity_insights')),
  session_update_goals: session(['goal_updates', 'new_goals'], memory('update_goals')),
  session_store_decompositions: session(['decompositions'], memory('store_decompositions')),
  session_process_proposal_decisions: session(['proposal_decisions'], memory('process_proposal_decisions')),
  session_consolidate: session([], memory('consolidate')),
  session_update_working_memory: session(['concerns', 'curiosity', 'memory_notes'], memory('update_working_memory')),
  session_store_identity: session(['identity_insights', 'identity_updates'], memory('apply_identity_insights')),
  session_prune_stale_intents: session([], memory('prune_stale_intents')),
  session_build_prompt: session([
    'mode',
    'input',
    'goals',
    'working_memory',
    'knowledge_graph',
    'pending_proposals',
    'active_intents',
    'recent_thinking',
    'recent_percepts',
    'recalled_memories',
    'cognitive_mode',
    'turn_count',
    'percepts',
    'messages',
    'last_response',
  ]),
  session_execute_actions: {
    ...session(['tool_turn'], () => [uri('tool'), uri('action')]),
    parameters: { ...AGENT, actions: { kind: 'json', control: true }, tool_turn: number },
  },
}

/** The built-in actions by canonical name. */
export const ACTION_FACTS: ReadonlyMap<string, ActionFacts> = new Map(Object.entries({ ...GENERIC, ...SESSION, ...EVALUATION_FACTS }))

const ALIASES: readonly (readonly [name: string, own: string])[] = [
  ['github_pr', 'git_pr'],
  ['consensus_decide_review', 'consensus_decide'],
  ['shell_execute', 'shell_run'],
  ['session_memory_update_wm', 'session_update_working_memory'],
  ['session_memory_update_working_memory', 'session_update_working_memory'],
  ['session_memory_checkpoint', 'session_checkpoint'],
  ['session_memory_consolidate', 'session_consolidate'],
  ['session_memory_background_checks', 'session_background_checks'],
  ['background_checks_run', 'session_background_checks'],
  ['session_goals_update', 'session_update_goals'],
  ['session_goals_update_goals', 'session_update_goals'],
  ['session_goals_store_decompositions', 'session_store_decompositions'],
  ['session_goals_store_decomps', 'session_store_decompositions'],
  ['session_goals_process_proposal_decisions', 'session_process_proposal_decisions'],
  ['session_goals_process_proposals', 'session_process_proposal_decisions'],
  ['session_goals_store_identity', 'session_store_identity'],
  ['session_goals_prune_stale_intents', 'session_prune_stale_intents'],
  ['session_llm_build_prompt', 'session_build_prompt'],
  ['session_execution_route_actions', 'session_route_actions'],
  ['session_exec_route_actions', 'session_route_actions'],
  ['session_execution_execute_actions', 'session_execute_actions'],
  ['session_exec_execute_actions', 'session_execute_actions'],
]

const CANONICAL_NAMES: ReadonlyMap<string, string> = new Map(ALIASES)

/** All names of built-in actions, canonical names and aliases. */
export const ACTION_NAMES: readonly string[] = [...ACTION_FACTS.keys(), ...CANONICAL_NAMES.keys()]

/** Returns the canonical name of a built-in action, and the plain name of any other action. */
export function canonicalAction(name: string): string {
  const plain = plainAction(name)
  return CANONICAL_NAMES.get(plain) ?? plain
}
