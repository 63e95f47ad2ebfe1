import { Socket } from 'node:net'
import { expect, it, onTestFinished, vi } from 'vitest'
import { isObject, type Json, type JsonObject } from '../../../src/kernel/index.ts'
import { activate, type ChatRequest, life, propose, RELEASE, ScriptedModel } from './world.ts'

/** Counts the connections that a test makes. */
function connections(): () => number {
  const connect = vi.spyOn(Socket.prototype, 'connect').mockImplementation(() => {
    throw new Error('no network here')
  })
  onTestFinished(() => connect.mockRestore())
  return () => connect.mock.calls.length
}

const agentOf = async (text: string, { llm }: { llm: (request: ChatRequest) => Promise<unknown> }): Promise<unknown> =>
  llm({ messages: [{ role: 'user', content: text }] })

// proves: skill 137, skill 138
it('begins a turn with the values of its project, the framework, the environment, the caller and the conversation, in this order', async () => {
  const board = { ctx: { tag: 'project', team: 'a' }, env: { region: 'project' } }
  const { reflex, store, host, troubles } = life({ skill: { board, goalLabels: ['ship'] } })
  const opened = connections()
  await activate({ store, host }, RELEASE, ['set_tag'])
  const model = new ScriptedModel(propose({}), 'done', propose({ tag: 'v2' }), 'done')
  const agent = reflex.wrap({
    agent: agentOf,
    tools: { set_tag: () => 'ok' },
    llm: model.create,
    env: ['CI'],
    carryWork: true,
  })
  const turn = async (text: string): Promise<JsonObject> => {
    let run = ''
    await agent.run(text, {
      onStart: (id) => (run = id),
      conversation: 'one',
      state: { ctx: { tag: 'framework', branch: 'main' } },
      blackboard: { ctx: { tag: 'caller' }, env: { ci: 'caller' } },
    })
    const { records } = await reflex.runtime.history(run)
    const { args } = records[0]?.more?.start ?? {}
    const notes = records.map(({ more }) => more?.note).filter((note) => isObject(note) && note['replaced'] !== undefined)
    expect(notes).toEqual([{ replaced: (args as JsonObject)['replaced'] }])
    return args as JsonObject
  }
  const first = await turn('release it')
  expect(first['goalLabels']).toEqual(['ship'])
  expect(first['seed']).toEqual({
    'ctx.tag': { value: 'caller', from: 'caller' },
    'ctx.team': { value: 'a', from: 'project' },
    'ctx.branch': { value: 'main', from: 'state' },
    'env.region': { value: 'project', from: 'project' },
    'env.ci': { value: 'caller', from: 'caller' },
  })
  expect(first['replaced']).toEqual([
    { path: 'ctx.tag', value: 'project', from: 'project', by: 'state' },
    { path: 'ctx.tag', value: 'framework', from: 'state', by: 'caller' },
    { path: 'env.ci', value: 'yes', from: 'env', by: 'caller' },
  ])
  const second = await turn('release it again')
  expect((second['seed'] as Record<string, Json>)['work.url']).toEqual({ value: 'https://x.test/caller', from: 'conversation' })
  expect(troubles.map(String)).toEqual([])
  expect(opened()).toBe(0)
})
