import { describe, expect, it } from 'vitest'
import { memoryStore } from '../../../../src/store/index.ts'
import type { LlmBackend, SessionAdapter } from '../../../../src/kinds/pipeline/index.ts'
import { runDot } from '../engine/harness.ts'
import { renderText } from '../../../../src/kinds/pipeline/language/render.ts'
import { runNodes, saying } from './session-world.ts'

const one = (type: string, more = ''): string => `n [type="session.${type}"${more === '' ? '' : `, ${more}`}] start -> n -> done`
const context = async (type: string, values: Record<string, unknown>, more = '') =>
  (await runNodes(one(type, more), { initial_values: values as never })).context

describe('session.classify', () => {
  // proves: pipeline 4.6.2b
  it('tells commands, results of tools and questions apart', async () => {
    const typed = async (input: unknown, more = {}) =>
      (await context('classify', { 'session.input': input, ...more }))['session.input_type']
    expect(await typed('/help')).toBe('command')
    expect(await typed({ tool_result: 4 })).toBe('tool_result')
    expect(await typed('what is it?')).toBe('query')
  })

  // proves: pipeline 4.6.2b, pipeline 4.6.2f
  it('lets nothing past a block, however it is written', async () => {
    expect((await context('classify', { 'session.input': '/help', 'session.blocked': true }))['session.input_type']).toBe('blocked')
    expect((await context('format', { 'llm.content': 'the secret', 'session.blocked': true }))['session.response']).not.toContain('secret')
  })
})

// proves: pipeline 4.6.2c
it('a session chooses what it is at: somebody who waits, order, plans, goals, looking back', async () => {
  const mode = async (values: Record<string, unknown>) => (await context('mode_select', values))['session.cognitive_mode']
  expect(await mode({ 'session.user_waiting': true, 'session.turn_count': 5 })).toBe('conversation')
  expect(await mode({ 'session.turn_count': 10, 'session.goals': [{ id: 'g' }] })).toBe('consolidation')
  expect(await mode({ 'session.turn_count': 3, 'session.goals': [{ id: 'g' }] })).toBe('plan_execution')
  expect(await mode({ 'session.goals': [{ id: 'g' }], 'session.intents': [{ id: 'i' }] })).toBe('goal_pursuit')
  expect(await mode({ 'session.turn_count': 0 })).toBe('reflection')
})

describe('session.process_results', () => {
  // proves: pipeline 4.6.2d
  it('takes ten lists out of an answer and leaves out what does not belong', async () => {
    const answer = {
      actions: [{ type: 'file_read' }, { kind: 'no type' }, 'no object'],
      concerns: ['rain', 4],
      proposal_decisions: [
        { proposal_id: 'p1', decision: 'accept' },
        { proposal_id: 'p2', decision: 'perhaps' },
      ],
    }
    const after = await context('process_results', { 'llm.content': `Here it is:\n\`\`\`json\n${JSON.stringify(answer)}\n\`\`\`` })
    expect(after['session.actions']).toEqual([{ type: 'file_read' }])
    expect(after['session.concerns']).toEqual(['rain'])
    expect(after['session.proposal_decisions']).toEqual([{ proposal_id: 'p1', decision: 'accept' }])
    expect(after['session.goal_updates']).toEqual([])
  })

  // proves: pipeline 4.6.2d
  it('takes what nobody can parse for ten empty lists and no failure', async () => {
    const after = await context('process_results', { last_response: 'no JSON here' })
    expect(Object.keys(after).filter((key) => key.startsWith('session.'))).toHaveLength(10)
    expect(after['session.actions']).toEqual([])
  })
})

describe('the services of a host', () => {
  const body = `
    r [type="session.memory_recall", recall_type=goals]
    m [type="session.llm_call", cognitive_mode=reflection]
    c [type="session.checkpoint"]
    start -> r -> m -> c -> done`

  // proves: pipeline 4.6.2g
  it('are asked with the agent, and what they answer is written', async () => {
    const asked: unknown[] = []
    const session: SessionAdapter = {
      recall_goals: (_args, { agent }) => {
        asked.push(agent)
        return [{ id: 'g1' }]
      },
      llm_call: ({ mode = '' }) => ({ content: `thinking by ${renderText(mode)}` }),
    }
    const went = await runNodes(body, { services: { session }, initial_values: { 'session.agent_id': 'ada' } })
    expect(went.status).toBe('success')
    expect(asked).toEqual(['ada'])
    expect(went.context).toMatchObject({
      'session.goals': [{ id: 'g1' }],
      'llm.content': 'thinking by reflection',
      last_response: 'thinking by reflection',
      'llm.response_type': 'text',
    })
    expect(went.context).not.toHaveProperty(['session.last_checkpoint'])
  })

  // proves: pipeline 4.6.2a
  it('do nothing where a function is missing, also where there are none at all', async () => {
    const empty = await runNodes(body, { services: { session: {} } })
    expect(empty.status).toBe('success')
    expect(Object.keys(empty.context).some((key) => key.startsWith('session.') || key.startsWith('llm.'))).toBe(false)
    const bare = await runDot(`digraph g { start [shape=Mdiamond] done [shape=Msquare] ${body} }`)
    expect(bare.status).toBe('success')
  })

  // proves: pipeline 4.6.2a
  it('fail their node when they throw or answer with an error, and the failure can be routed', async () => {
    const routed = `${one('update_goals').replace('-> done', '')} n -> done [condition="outcome=success"] n -> lost [condition="outcome=fail"] lost [type=transform, transform=constant, expression=1, output_key=was_lost] lost -> done`
    for (const update_goals of [
      () => {
        throw new Error('the shop is closed')
      },
      () => ({ error: 'the shop is closed' }),
    ]) {
      const went = await runNodes(routed, { services: { session: { update_goals } } })
      expect(went.completed_nodes).toContain('lost')
      expect(went.node_outcomes['n']?.failure_reason).toContain('the shop is closed')
    }
  })
})

describe('without services of a host', () => {
  // proves: pipeline 4.6.2g
  it('an agent keeps goals, intents, beliefs and memories from run to run, and others have their own', async () => {
    const store = memoryStore()
    const keep = `
      g [type="session.update_goals"]
      d [type="session.store_decompositions"]
      u [type="session.memory_update"]
      w [type="session.update_working_memory"]
      start -> g -> d -> u -> w -> done`
    await runNodes(keep, {
      store,
      initial_values: {
        'session.agent_id': 'ada',
        'session.new_goals': [
          { id: 'g1', description: 'learn to fly', priority: 0.2 },
          { id: 'g2', description: 'eat', priority: 0.9 },
        ],
        'session.decompositions': [{ goal_id: 'g1', intentions: [{ action: 'buy wings' }] }],
        'session.turn_data': { user: 'the parrot is called Rosa', assistant: 'noted', beliefs: ['parrots talk'] },
        'session.concerns': ['height'],
      },
    })
    const look = `
      g [type="session.memory_recall", recall_type=goals]
      i [type="session.memory_recall", recall_type=intents]
      b [type="session.memory_recall", recall_type=beliefs]
      m [type="session.memory_recall"]
      start -> g -> i -> b -> m -> done`
    const recall = (agent: string) =>
      runNodes(look, { store, initial_values: { 'session.agent_id': agent, 'session.input': 'how is the parrot called?' } })
    const { context: ada } = await recall('ada')
    expect(ada['session.goals']).toMatchObject([{ id: 'g2' }, { id: 'g1' }])
    expect(ada['session.intents']).toMatchObject([{ goal_id: 'g1', action: 'buy wings', status: 'pending' }])
    expect(ada['session.beliefs']).toEqual(['parrots talk'])
    expect(ada['session.recalled_memories']).toMatchObject([{ content: saying('Rosa') }])
    const { context: bob } = await recall('bob')
    expect(bob).toMatchObject({ 'session.goals': [], 'session.intents': [], 'session.recalled_memories': [] })
  })

  it('a run that may not read an agent’s memory is refused before it does', async () => {
    const went = await runNodes(one('memory_recall'), { trust: 'probationary' })
    expect(went).toMatchObject({ status: 'fail', failure_reason: saying('arbor://memory/memory_recall') })
    const granted = await runNodes(one('memory_recall'), {
      trust: 'probationary',
      policy: [{ file: 'p', allow: ['arbor://memory/**'], deny: [] }],
    })
    expect(granted.status).toBe('success')
    const other = await runNodes(one('memory_recall', 'agent_id=bob'), {
      policy: [{ file: 'p', allow: [], deny: ['arbor://memory/*/bob'] }],
    })
    expect(other).toMatchObject({ status: 'fail', failure_reason: saying('bob') })
  })

  // proves: pipeline 4.6.2e
  it('tools that the model calls are called until it answers, and what is refused is told it', async () => {
    const turns: number[] = []
    const backend: LlmBackend = (_node, _prompt, _context, { messages }) => {
      turns.push(messages.length)
      const results = messages.filter(({ role }) => role === 'tool')
      if (results.length < 4) {
        return {
          text: '',
          tool_calls: [
            { id: `a${results.length}`, name: 'file_list', args: {} },
            { id: `b${results.length}`, name: 'no.such', args: {} },
          ],
        }
      }
      return JSON.stringify(results.map((message) => (message.role === 'tool' ? message.result : null)))
    }
    const went = await runNodes(
      `call [type="session.llm_call"] tools [type="session.tool_dispatch"] say [type="session.format"]
       start -> call
       call -> tools [condition="context.llm.response_type=tool_call"]
       call -> say [condition="context.llm.response_type=text"]
       tools -> call  say -> done`,
      {
        llm_backend: backend,
        initial_values: { 'session.input': 'look around', 'session.messages': [{ role: 'user', content: 'look around' }] },
      },
    )
    expect(went.completed_nodes).toEqual(['start', 'call', 'tools', 'call', 'tools', 'call', 'say', 'done'])
    expect(turns[1]).toBeGreaterThan(turns[0] ?? 0)
    expect(went.context['session.tool_results']).toMatchObject([
      { id: 'a2', ok: true },
      { id: 'b2', ok: false, content: saying('no tool') },
    ])
    expect(went.context['session.response']).toContain('entries')
  })
})
