import { describe, expect, it } from 'vitest'
import { type ChatChunk, collected, StreamingModel, type StreamRequest, textOfChunks } from './stream-world.ts'
import { activate, type ChatRequest, life, propose, RELEASE, ScriptedModel } from './world.ts'

const PIN = 'pin 4711-0815 of ana'
/** Texts that look like the keys of services. */
const key = (n: number): string => `sk-canary${String(n).padStart(4, '0')}aBcDeFgHiJkLmN0pQ`

const SENSITIVE = {
  ...RELEASE,
  signature: {
    ...RELEASE.signature,
    inputs: [
      { name: 'tag', type: 'string' },
      { name: 'pin', type: 'string', sensitive: true, required: false, default: 'none' },
    ],
  },
}

describe('what a turn of an agent records', () => {
  // proves: skill 142
  it('has no key that a user, a tool, an error or a model has written', async () => {
    const { reflex, host, troubles } = life()
    const model = new ScriptedModel(...Array.from({ length: 50 }, (_, n) => `it is ${key(1000 + n)}`))
    const given: unknown[] = []
    const tools = {
      look: async (args: { readonly key: string }) => (given.push(args), { found: args.key.replace('canary0', 'canary2') }),
      fail: async (args: { readonly key: string }) => Promise.reject(new Error(`401 for ${args.key}`)),
    }
    const agent = reflex.wrap({
      agent: async (text: string, { llm, tools: mine }: { llm: (request: ChatRequest) => Promise<unknown>; tools: typeof tools }) => {
        const keys = text.match(/sk-\w+/g) ?? []
        const found: unknown[] = []
        for (const one of keys) found.push(await mine.look({ key: one }), await mine.fail({ key: one }).catch(String))
        found.push(await llm({ messages: [{ role: 'user', content: `${text} ${JSON.stringify(found)}` }] }))
        return found
      },
      tools,
      llm: model.create,
      name: 'keys',
    })
    const texts: string[] = []
    for (let turn = 0; turn < 10; turn++) {
      const keys = Array.from({ length: 25 }, (_, n) => key(turn * 25 + n))
      let run = ''
      const output = await agent.run(`use ${keys.join(', ')}`, { onStart: (id) => (run = id) })
      expect(JSON.stringify(output)).toContain(keys[24])
      expect(JSON.stringify(model.requests.at(-1))).toContain(keys[24])
      texts.push(JSON.stringify(await reflex.runtime.history(run)))
      for await (const line of reflex.export(run)) texts.push(line)
      expect((await reflex.replay(run)).difference).toBeUndefined()
      await host.advance(1)
    }
    expect(given).toHaveLength(250)
    expect(troubles.map(String)).toEqual([])
    expect(texts.join('\n')).not.toContain('canary')
    expect(texts.join('\n')).toContain('‹secret ')
  })

  it('has no value that a model proposes for a sensitive slot, and the proposal is refused', async () => {
    const { reflex, store, host, troubles } = life()
    await activate({ store, host }, SENSITIVE, ['set_tag'])
    const model = new ScriptedModel(propose({ tag: 'v1', pin: PIN }), 'I cannot.')
    const tagged: unknown[] = []
    const agent = reflex.wrap({
      agent: async (text: string, { llm }: { llm: (request: ChatRequest) => Promise<unknown> }) =>
        llm({ messages: [{ role: 'user', content: text }] }),
      tools: { set_tag: (args: unknown) => void tagged.push(args) },
      llm: model.create,
    })
    let run = ''
    await agent.run('please release v1', { onStart: (id) => (run = id) })
    expect(troubles.map(String)).toEqual([])
    expect(tagged).toEqual([])
    const history = JSON.stringify(await reflex.runtime.history(run))
    expect(history).not.toContain(PIN)
    expect(history).toContain('policy.secret')
  })

  it('has neither where the model streams them in pieces', async () => {
    const { reflex, store, host, troubles } = life()
    await activate({ store, host }, SENSITIVE, ['set_tag'])
    const model = new StreamingModel(`use ${key(1)}\n${propose({ tag: 'v1', pin: PIN })}`, 'I cannot.')
    const tagged: unknown[] = []
    const agent = reflex.wrap({
      agent: async (text: string, { llm }: { llm: (request: StreamRequest) => Promise<AsyncIterable<ChatChunk>> }) =>
        textOfChunks(await collected(await llm({ stream: true, messages: [{ role: 'user', content: text }] }))),
      tools: { set_tag: (args: unknown) => void tagged.push(args) },
      llm: model.create,
    })
    let run = ''
    expect(await agent.run('please release v1', { onStart: (id) => (run = id) })).toContain(key(1))
    expect(troubles.map(String)).toEqual([])
    expect(tagged).toEqual([])
    const history = JSON.stringify(await reflex.runtime.history(run))
    for (const secret of [PIN, key(1)]) expect(history).not.toContain(secret)
    expect(history).toContain('policy.secret')
  })
})
