import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../src/kernel/index.ts'
import { activate, type ChatRequest, life, type Life, propose, RELEASE, ScriptedModel } from './world.ts'

type Llm = (request: ChatRequest) => Promise<{ readonly choices: readonly { readonly message: { readonly content: string } }[] }>

const { irreversible_reason: _, ...plan } = RELEASE.plan

/** A skill that sets a tag and pushes it, and drops it again if that fails. */
const PUSHED = {
  ...RELEASE,
  preconditions: { tools_available: ['set_tag', 'push', 'drop_tag'], data_present: ['tag'] },
  plan: {
    ...plan,
    steps: [...plan.steps, { id: 'push', tool: 'push', args: { tag: '{{tag}}' } }],
    compensation: [{ when: 'partial_failure', tool: 'drop_tag', args: { tag: '{{tag}}' } }],
  },
}

/** The ways in which an execution ends, and the tag of each. */
const ENDS = ['v1', 'v1', 'broken', 'v2', ''] as const

const pushed = (args: object): string | Promise<string> =>
  'tag' in args && args.tag === 'broken' ? Promise.reject(new Error('no network')) : 'ok'

async function world(): Promise<Life> {
  const one = life()
  await activate(one, PUSHED, ['set_tag', 'push', 'drop_tag'])
  return one
}

function agentOf({ reflex }: Life, model: ScriptedModel) {
  return reflex.wrap({
    name: 'releaser',
    agent: async (text: string, { llm }: { llm: Llm }) => {
      const { choices } = await llm({ messages: [{ role: 'user', content: text }] })
      return choices[0]?.message.content
    },
    tools: {
      set_tag: () => 'ok',
      push: {
        redact: ['/password'],
        execute: pushed,
      },
      drop_tag: () => 'ok',
    },
    llm: model.create,
  })
}

describe('the records of many turns', () => {
  // proves: skill 100-turn
  it('have one application and one result of each execution', async () => {
    const one = await world()
    const turns = Array.from({ length: 20 }, (__, i) => ENDS[i % ENDS.length] ?? '')
    let executions = 0
    for (const tag of turns) {
      const model = new ScriptedModel(propose(tag === '' ? {} : { tag }), 'done')
      let run = ''
      await agentOf(one, model).run('release it', { onStart: (id) => (run = id) })
      const trace = JSON.stringify(await one.reflex.trace(run))
      const [applied, ended] = [trace.split('the model proposes it').length - 1, trace.split('it ends: ').length - 1]
      expect([applied, ended], tag).toEqual([1, 1])
      executions += applied
      const { state } = await one.reflex.runtime.peek(run)
      const board = state.root.reader().snapshot()
      const results = Object.entries(board).flatMap(([key, value]) =>
        key.startsWith('~r.') ? ((value as JsonObject)['hidden'] as JsonObject[]) : [],
      )
      expect(results.map(({ results: told }) => JSON.stringify(told).split(/<SKILL_RESULT>|<CLARIFY>/).length - 1)).toEqual([1])
      const told = model.requests.map((request) => JSON.stringify(request.messages.filter(({ role }) => role !== 'system')))
      expect(told.map((text) => text.split(/<SKILL_RESULT>|<CLARIFY>/).length - 1)).toEqual([0, 1])
    }
    expect(executions).toBe(turns.length)
  })

  // proves: skill 114
  it('say of each call of a tool what issued it, without secrets', async () => {
    const one = await world()
    const model = new ScriptedModel(propose({ tag: 'broken' }), 'It has failed.')
    let run = ''
    const agent = one.reflex.wrap({
      name: 'caller',
      agent: async (text: string, { llm, tools }: { llm: Llm; tools: { push: { execute: typeof pushed } } }) => {
        await tools.push.execute({ tag: 'v0', password: 'hunter3' })
        await llm({ messages: [{ role: 'user', content: text }] })
      },
      tools: {
        set_tag: () => 'ok',
        push: { redact: ['/password'], execute: pushed },
        drop_tag: () => 'ok',
      },
      llm: model.create,
    })
    await agent.run('release it', { onStart: (id) => (run = id) })
    const { lines } = await one.reflex.trace(run)
    const calls = lines.map(({ event }) => event).filter(({ mark, facts }) => mark === 'enter' && facts?.['via'] !== undefined)
    expect(calls.map(({ node, facts }) => [node, facts?.['via']])).toEqual([
      ['push', 'agent'],
      ['model', 'agent'],
      ['set', 'skill'],
      ['push', 'skill'],
      ['undo0', 'compensation'],
    ])
    let archive = ''
    for await (const line of one.reflex.export(run)) archive += line
    expect(archive).not.toContain('hunter3')
  })
})
