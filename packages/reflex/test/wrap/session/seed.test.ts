import { writeFileSync } from 'node:fs'
import { Socket } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { isObject, type Json, type JsonObject } from '../../../src/kernel/index.ts'
import { memoryStore } from '../../../src/store/index.ts'
import type { Wrapped } from '../../../src/wrap/index.ts'
import { activate, type ChatRequest, connection, life, type Life, propose, RELEASE, ScriptedModel } from './world.ts'

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
it('begins a turn with skills.yaml, its project, the framework, the environment, the caller and the conversation, in this order', async () => {
  const board = { ctx: { tag: 'project', team: 'a' }, env: { region: 'project' } }
  const { reflex, store, host, troubles } = life({ skill: { board, goalLabels: ['ship'] } })
  writeFileSync(
    join(reflex.workdir, 'skills.yaml'),
    'ctx: { tag: file, repo: { name: site, main: trunk } }\nenv: { region: file, ci: file }\ngoal_labels: [file]\n',
  )
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
      state: { ctx: { tag: 'framework', branch: 'main', repo: { name: 'shop' } } },
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
    'ctx.repo.name': { value: 'shop', from: 'state' },
    'ctx.repo.main': { value: 'trunk', from: 'skills.yaml' },
    'env.region': { value: 'project', from: 'project' },
    'env.ci': { value: 'caller', from: 'caller' },
  })
  expect(first['replaced']).toEqual([
    { path: 'ctx.tag', value: 'file', from: 'skills.yaml', by: 'project' },
    { path: 'env.region', value: 'file', from: 'skills.yaml', by: 'project' },
    { path: 'ctx.tag', value: 'project', from: 'project', by: 'state' },
    { path: 'ctx.repo.name', value: 'site', from: 'skills.yaml', by: 'state' },
    { path: 'env.ci', value: 'file', from: 'skills.yaml', by: 'env' },
    { path: 'ctx.tag', value: 'framework', from: 'state', by: 'caller' },
    { path: 'env.ci', value: 'yes', from: 'env', by: 'caller' },
  ])
  const second = await turn('release it again')
  expect((second['seed'] as Record<string, Json>)['work.url']).toEqual({ value: 'https://x.test/caller', from: 'conversation' })
  expect(troubles.map(String)).toEqual([])
  expect(opened()).toBe(0)
})

it('takes a value in place of those above and below it', async () => {
  const { reflex } = life({ skill: { board: { ctx: { repo: { name: 'site', main: 'trunk' }, team: 'a' }, env: {} } } })
  const agent = reflex.wrap({ agent: agentOf, llm: new ScriptedModel().create })
  const seeded = async (blackboard: object): Promise<unknown> => {
    let run = ''
    await agent.run('hello', { blackboard, onStart: (id) => (run = id) })
    const { args } = (await reflex.runtime.history(run)).records[0]?.more?.start ?? {}
    return (args as JsonObject)['seed']
  }
  expect(await seeded({ ctx: { repo: 'none', team: { name: 'b' } } })).toEqual({
    'ctx.repo': { value: 'none', from: 'caller' },
    'ctx.team.name': { value: 'b', from: 'caller' },
  })
})

describe('a turn beside skills.yaml', () => {
  it('takes its goal labels, unless somebody else states some', async () => {
    const { reflex } = life()
    writeFileSync(join(reflex.workdir, 'skills.yaml'), 'goal_labels: [ship]\n')
    const agent = reflex.wrap({ agent: agentOf, llm: new ScriptedModel().create })
    const labels = async (goalLabels?: readonly string[]): Promise<unknown> => {
      let run = ''
      await agent.run('hello', { ...(goalLabels === undefined ? {} : { goalLabels }), onStart: (id) => (run = id) })
      const { args } = (await reflex.runtime.history(run)).records[0]?.more?.start ?? {}
      return (args as JsonObject)['goalLabels']
    }
    expect(await labels()).toEqual(['ship'])
    expect(await labels(['own'])).toEqual(['own'])
  })

  it('is resumed and replayed with the values that it began with', async () => {
    const store = memoryStore()
    const first = life({ store: connection(store), closes: false })
    writeFileSync(join(first.reflex.workdir, 'skills.yaml'), 'ctx: { tag: v1 }\n')
    await activate(first, RELEASE, ['set_tag'])
    const tags: unknown[] = []
    const begun: string[] = []
    const wrapped = ({ reflex }: Life, isHeld: boolean): Wrapped<string> =>
      reflex.wrap({
        name: 'releaser',
        tools: {
          wait: { sideEffects: 'none', execute: async () => (begun.push('wait'), isHeld ? new Promise(() => undefined) : 'on') },
          set_tag: ({ tag }: { tag: string }) => void tags.push(tag),
        },
        llm: new ScriptedModel(propose({}), 'done').create,
        agent: async (text: string, { llm, tools }) => {
          await tools.wait.execute()
          return llm({ messages: [{ role: 'user', content: text }] })
        },
      })
    void wrapped(first, true).run('release it', { id: 'otter' })
    while (begun.length === 0) await first.host.advance(20)
    for (let i = 0; i < 30; i++) await first.host.advance(20)
    const second = life({ store, at: first.host.now() + 3_600_000 })
    writeFileSync(join(second.reflex.workdir, 'skills.yaml'), 'ctx: { tag: v2 }\n')
    const resumed = wrapped(second, false).resume('otter')
    while (tags.length === 0) await second.host.advance(20)
    for (let i = 0; i < 30; i++) await second.host.advance(20)
    await resumed
    expect(tags).toEqual(['v1'])
    expect((await second.reflex.replay('otter')).difference).toBeUndefined()
  })

  it('goes on without skills while the file has a mistake, which is reported once', async () => {
    const { reflex, store, host, troubles } = life()
    writeFileSync(join(reflex.workdir, 'skills.yaml'), 'ctx:\n  tag: &one v1\n')
    await activate({ store, host }, RELEASE, ['set_tag'])
    const model = new ScriptedModel('one', 'two', 'three')
    const agent = reflex.wrap({ agent: agentOf, tools: { set_tag: () => 'ok' }, llm: model.create })
    const shown = (): boolean => JSON.stringify(model.requests.at(-1)).includes('release.tag')
    await agent.run('release it', { blackboard: { ctx: { tag: 'v2' } } })
    await agent.run('release it', { blackboard: { ctx: { tag: 'v2' } } })
    expect([shown(), troubles.map(({ code, line, column }) => [code, line, column])]).toEqual([false, [['R1475', 2, 8]]])
    writeFileSync(join(reflex.workdir, 'skills.yaml'), 'ctx: { tag: v1 }\n')
    await agent.run('release it')
    expect([shown(), troubles.length]).toEqual([true, 1])
  })
})
