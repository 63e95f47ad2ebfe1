import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { LlmBackend } from '../../../../src/kinds/pipeline/index.ts'
import { memoryStore } from '../../../../src/store/index.ts'
import { virtualHost } from '../../../../src/testing/index.ts'
import { act, runNodes, workFolder } from './session-world.ts'

const action = (id: string, name: string, keys: string, more = ''): string =>
  `${id} [type=exec, target=action, action="${name}", context_keys="${keys}", output_prefix=session${more}]`

/** A turn of an agent's own in the newer dialect: ask, do, look at what came of it, ask again. */
const HEARTBEAT = `
  ${action('checks', 'session_memory.background_checks', 'session.agent_id')}
  ${action('mode', 'session.mode_select', 'session.goals,session.turn_count')}
  ${action('build', 'session_llm.build_prompt', 'session.goals,session.cognitive_mode', ', param.mode=heartbeat')}
  ask [type=compute, prompt_context_key="session.heartbeat_prompt"]
  ${action('take', 'session.process_results', 'last_response')}
  ${action('perform', 'session_exec.execute_actions', 'session.actions,session.agent_id')}
  ${action('goals', 'session_goals.update', 'session.goal_updates,session.new_goals,session.agent_id')}
  more [shape=diamond]
  ${action('again', 'session_llm.build_prompt', 'session.percepts,session.messages', ', param.mode=followup')}
  ask_again [type=compute, prompt_context_key="session.followup_prompt", messages_context_key="session.messages"]
  start -> checks -> mode -> build -> ask -> take -> perform -> goals -> more
  more -> again [condition="context.session.has_action_results=true && context.session.tool_turn<10"]
  more -> done
  again -> ask_again -> take`

const decides = (actions: readonly object[], more: object = {}): string => JSON.stringify({ actions, ...more })

// proves: pipeline 4.6.2i, pipeline 13j
it('an agent acts, sees what came of it, and stops when it has nothing more to do', async () => {
  const workdir = workFolder()
  writeFileSync(join(workdir, 'notes.txt'), 'feed the bees')
  const prompts: string[] = []
  const backend: LlmBackend = (_node, prompt, _context, { messages }) => {
    prompts.push(prompt)
    if (prompts.length === 1)
      return decides([{ type: 'file_read', params: { path: 'notes.txt' } }], { new_goals: [{ description: 'care for the bees' }] })
    expect(messages.map(({ role }) => role)).toContain('assistant')
    return decides([])
  }
  const store = memoryStore()
  const went = await runNodes(HEARTBEAT, { workdir, store, llm_backend: backend, initial_values: { 'session.agent_id': 'ada' } })
  expect(went.failure_reason).toBeNull()
  expect(prompts).toHaveLength(2)
  expect(prompts[1]).toContain('feed the bees')
  expect(went.context).toMatchObject({ 'session.tool_turn': 1, 'session.has_action_results': false, 'session.percepts': [] })
  const recalled = await runNodes(act('session_memory.recall', 'output_prefix=session, param.recall_type=goals'), {
    store,
    initial_values: { 'session.agent_id': 'ada' },
  })
  expect(recalled.context['session.goals']).toMatchObject([{ description: 'care for the bees', status: 'active' }])
})

it('an agent that never stops is stopped by the bound of the loop', async () => {
  const backend: LlmBackend = () => decides([{ type: 'file_list', params: {} }])
  const went = await runNodes(HEARTBEAT, { llm_backend: backend })
  expect(went.failure_reason).toBeNull()
  expect(went.context['session.tool_turn']).toBe(10)
  expect(went.completed_nodes.filter((id) => id === 'perform')).toHaveLength(10)
})

it('an agent is told what it may not do, and what there is not', async () => {
  const workdir = workFolder()
  const tried = ['pipeline_run', 'session_consolidate', 'web_search', 'shell_run', 'git_branch', 'no_such']
  const actions = tried.map((type) => ({ type, params: { command: 'touch pwned', branch: 'x', source: 'digraph {}' } }))
  const went = await runNodes(act('session_execution.execute_actions', 'context_keys="session.actions"'), {
    workdir,
    initial_values: { 'session.actions': [...actions, { type: 'file_read', params: { path: '/etc/passwd' } }] },
  })
  expect(went.status).toBe('success')
  const percepts = went.context['exec.a.percepts'] as { type: string; status: string; result: string }[]
  expect(percepts.map(({ status }) => status)).toEqual(['refused', 'refused', 'refused', 'failed', 'failed', 'failed', 'failed'])
  expect(percepts[3]?.result).toContain('only the author')
  expect(JSON.stringify(percepts)).not.toContain('root:')
})

it('intents that nobody took up are given up after half an hour', async () => {
  const store = memoryStore()
  const clock = virtualHost()
  const options = { initial_values: { 'session.agent_id': 'ada', 'session.decompositions': [{ steps: ['look', 'listen'] }] }, store }
  await runNodes(act('session_goals.store_decompositions', 'output_prefix=session'), { ...options, host: clock })
  const prune = async () =>
    (await runNodes(act('session_goals.prune_stale_intents', 'output_prefix=session'), { ...options, host: clock })).context[
      'session.intents_pruned'
    ]
  expect(await prune()).toEqual({ pruned: 0, remaining: 2 })
  await clock.advance(1_800_001)
  expect(await prune()).toEqual({ pruned: 2, remaining: 0 })
})
