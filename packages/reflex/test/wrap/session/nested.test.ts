import { describe, expect, it } from 'vitest'
import { memoryStore } from '../../../src/store/index.ts'
import type { Wrapped } from '../../../src/wrap/index.ts'
import { activate, type ChatRequest, connection, life, type Life, propose, RELEASE } from './world.ts'

type Llm = (request: ChatRequest) => Promise<string>

const asking = (content: string): ChatRequest => ({ messages: [{ role: 'user', content }] })

/** An agent whose code, or whose tool, runs another one that reads and sends; `hold` keeps it from ending. */
function team({ reflex }: Life, calls: string[], hold: Promise<void>, isTool = false): Wrapped<string, string> {
  const did = async <Value>(name: string, value: Value): Promise<Value> => {
    calls.push(name)
    return value
  }
  const asks = (who: string, reply: string): Llm => {
    return async ({ messages }) => did(`${who} asks ${String(messages[0]?.content)}`, reply)
  }
  const helper = reflex.wrap({
    name: 'helper',
    tools: {
      look: { sideEffects: 'none', execute: ({ at }: { at: string }) => did(`look ${at}`, 'seen') },
      send: ({ to }: { to: string }) => did(`send ${to}`, 'sent'),
    },
    llm: asks('helper', 'helped'),
    agent: async (text: string, { llm, tools }) => {
      const reply = await llm(asking(text))
      await tools.look.execute({ at: text })
      const sent = await tools.send({ to: text })
      await hold
      return `${reply} ${sent}`
    },
  })
  return reflex.wrap({
    name: 'lead',
    tools: { helper, ask: { agent: true, execute: ({ text }: { text: string }) => helper.run(text) } },
    llm: asks('lead', 'led'),
    agent: async (text: string, { llm, tools }) => {
      const own = await llm(asking(text))
      const other = isTool ? await tools.ask.execute({ text }) : await tools.helper.run(text)
      return `${own} ${other}`
    },
  })
}

const NEVER = new Promise<never>(() => undefined)

describe('an agent within another one', () => {
  it.each([
    ['by the code of the agent', false],
    ['as a tool', true],
  ])('is part of its turn: called %s', async (_, isTool) => {
    const one = life()
    let run = ''
    const calls: string[] = []
    expect(await team(one, calls, Promise.resolve(), isTool).run('hello', { onStart: (id) => (run = id) })).toBe('led helped sent')
    expect(calls).toEqual(['lead asks hello', 'helper asks hello', 'look hello', 'send hello'])
    expect(one.troubles.map(String)).toEqual([])
    const { state } = await one.reflex.runtime.peek(run)
    const ids = Object.keys(state.root.reader().snapshot()).filter((key) => key.startsWith('~r.'))
    expect(ids.filter((id) => id.includes('>tool/send'))).toHaveLength(1)
    expect(ids.filter((id) => id.includes('>model/'))).toHaveLength(1)
    expect((await one.reflex.replay(run)).difference).toBeUndefined()
  })

  it('continues within its call after a crash, and does nothing twice', async () => {
    const store = memoryStore()
    const first = life({ store: connection(store), closes: false })
    const before: string[] = []
    void team(first, before, NEVER).run('hello', { id: 'otter' })
    for (let i = 0; i < 60; i++) await first.host.advance(20)
    expect(before).toContain('send hello')
    const second = life({ store, at: first.host.now() + 3_600_000 })
    const after: string[] = []
    expect(await team(second, after, Promise.resolve()).resume('otter')).toBe('led helped sent')
    expect(after).toEqual([])
    expect(second.troubles.map(String)).toEqual([])
  })

  it('is shown the skills, and what it proposes is carried out', async () => {
    const one = life()
    await activate(one, RELEASE, ['set_tag'])
    const tagged: unknown[] = []
    const helper = one.reflex.wrap({
      name: 'helper',
      llm: async ({ messages }: ChatRequest) =>
        JSON.stringify(messages.at(-1)).includes('SKILL_RESULT') ? 'tagged' : propose({ tag: 'v1' }),
      agent: async (text: string, { llm }) => llm(asking(text)),
    })
    const lead = one.reflex.wrap({
      name: 'lead',
      agent: async (text: string) => helper.run(text),
      tools: { set_tag: (args: unknown) => tagged.push(args) },
      llm: async () => 'unused',
    })
    expect(await lead.run('release v1')).toBe('tagged')
    expect(tagged).toEqual([{ tag: 'v1' }])
    expect(one.troubles.map(String)).toEqual([])
  })
})
