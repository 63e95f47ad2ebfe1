import { describe, expect, it } from 'vitest'
import { memoryStore } from '../../../src/store/index.ts'
import type { SkillOptions } from '../../../src/wrap/index.ts'
import { whatIf } from '../../../src/learn/registry/what-if.ts'
import { decisionsOf } from '../../learn/registry/world.ts'
import { NEVER } from './mortal.ts'
import { activate, life, type Life, propose, RELEASE, ScriptedModel, textOf } from './world.ts'

const CONFIRMED = { ...RELEASE, policy: { require_confirmation: true } }
type Confirm = NonNullable<SkillOptions['confirm']>

/** An agent whose model proposes the skill once for each tag. */
function agentOf({ reflex }: Life, tags: readonly string[], tagged: unknown[], isSending = false) {
  const model = new ScriptedModel(...tags.map((tag) => propose({ tag })), 'done')
  const agent = reflex.wrap({
    name: 'releaser',
    tools: {
      send: { sideEffects: 'external', idempotent: true, execute: async (_: unknown) => null },
      set_tag: { sideEffects: 'external', idempotent: true, execute: (args: unknown) => void tagged.push(args) },
    },
    agent: async (text: string, { llm, tools }) => {
      if (isSending) await tools.send.execute({ to: 'bob' })
      return llm({ messages: [{ role: 'user', content: text }] })
    },
    llm: model.create,
  })
  return { agent, model }
}

async function turn(confirm: Confirm | undefined, tags: readonly string[] = ['v1']) {
  const one = life(confirm === undefined ? {} : { skill: { confirm } })
  await activate(one, CONFIRMED, ['set_tag'])
  const tagged: unknown[] = []
  const { agent, model } = agentOf(one, tags, tagged)
  let run = ''
  await agent.run('please release it', { onStart: (id) => (run = id) })
  expect(one.troubles.map(String)).toEqual([])
  expect((await one.reflex.replay(run)).difference).toBeUndefined()
  const reasons = (await decisionsOf(one, run)).map(({ reason }) => reason)
  return { one, run, tagged, reasons, told: model.requests.map(({ messages }) => textOf(messages.at(-1)?.content)).join('\n') }
}

describe('a skill that has to be confirmed, proposed by a model', () => {
  // proves: skill 57
  it('is carried out after the host has confirmed exactly this execution', async () => {
    const asked: unknown[] = []
    const { tagged, reasons, one, run } = await turn(async (request) => (asked.push(request), true))
    expect(asked).toEqual([
      {
        skill: 'release.tag',
        version: '1.0.0',
        inputs: { tag: 'v1' },
        effects: ['work.url', 'created:tag'],
        user: 'please release it',
      },
    ])
    expect([tagged, reasons]).toEqual([[{ tag: 'v1' }], ['approved']])
    expect((await whatIf(one.reflex, run, { tau: 0.5 })).changed).toEqual([])
  })

  // proves: skill 57
  it.each<[string, Confirm | undefined, string]>([
    ['says no', () => false, 'the host has not confirmed it'],
    ['says something else', () => 'yes' as never, 'the host has not confirmed it'],
    ['throws', () => Promise.reject(new Error(`no terminal for sk-canary0001aBcDeFgHiJkLmN0pQ`)), 'no terminal for ‹secret'],
    ['has no function for it', undefined, 'policy.confirmation'],
  ])('is denied if the host %s', async (_, confirm, detail) => {
    const { tagged, reasons, told, one, run } = await turn(confirm)
    expect([tagged, reasons]).toEqual([[], ['policy.confirmation']])
    expect(told).toContain('policy.confirmation')
    const history = JSON.stringify(await one.reflex.runtime.history(run))
    expect(history).toContain(detail)
    expect(history).not.toContain('canary')
  })

  it('is asked about again for other arguments', async () => {
    const asked: string[] = []
    const { tagged, reasons } = await turn(
      ({ inputs }) => (asked.push(JSON.stringify(inputs['tag'])), inputs['tag'] === 'v2'),
      ['v1', 'v2'],
    )
    expect([asked, tagged, reasons]).toEqual([['"v1"', '"v2"'], [{ tag: 'v2' }], ['policy.confirmation', 'approved']])
  })

  it('is asked about again after a crash, and once its answer is recorded no more', async () => {
    const under = memoryStore()
    const asked: string[] = []
    const first = life({ store: under, closes: false, skill: { confirm: () => (asked.push('first'), NEVER) } })
    await activate(first, CONFIRMED, ['set_tag'])
    const tagged: unknown[] = []
    // Before something leaves, the records before it are written.
    void agentOf(first, ['v1'], tagged, true).agent.run('please release it', { id: 'otter' })
    for (let i = 0; i < 10_000 && asked.length === 0; i++) await new Promise(setImmediate)
    const second = life({ store: under, at: first.host.now() + 3_600_000, skill: { confirm: () => (asked.push('second'), true) } })
    await agentOf(second, ['v1'], tagged, true).agent.resume('otter')
    expect([asked, tagged]).toEqual([['first', 'second'], [{ tag: 'v1' }]])
    expect((await second.reflex.replay('otter')).difference).toBeUndefined()
    expect(asked).toHaveLength(2)
  })
})
