import { describe, expect, it } from 'vitest'
import { memoryStore } from '../../../src/store/index.ts'
import { activate, connection, life, type Life, propose, RELEASE, textOf } from './world.ts'
import { type ChatChunk, collected, StreamingModel, type StreamRequest, textOfChunks } from './stream-world.ts'

type Llm = (request: StreamRequest, options?: { readonly signal?: AbortSignal }) => Promise<AsyncIterable<ChatChunk>>

const asking = (text: string): StreamRequest => ({ stream: true, messages: [{ role: 'user', content: text }] })

/** An agent that reads the stream of one request. */
function reader({ reflex }: Pick<Life, 'reflex'>, model: StreamingModel, tagged: unknown[] = []) {
  return reflex.wrap({
    name: 'reader',
    agent: async (text: string, { llm }: { llm: Llm }) => collected(await llm(asking(text))),
    tools: { set_tag: (args: unknown) => void tagged.push(args) },
    llm: model.create,
  })
}

describe('a model that streams to a wrapped agent', () => {
  it('delivers each chunk when it comes, and records the reply', async () => {
    const one = life()
    const gate = Promise.withResolvers<void>()
    const seen: string[] = []
    const model = new StreamingModel('One two')
    const agent = one.reflex.wrap({
      agent: async (text: string, { llm }: { llm: Llm }) => {
        for await (const chunk of await llm(asking(text))) {
          seen.push(textOfChunks([chunk]))
          if (seen.length === 2) gate.resolve()
        }
      },
      llm: async (request: StreamRequest) => {
        const source = await model.create(request)
        return (async function* () {
          let count = 0
          for await (const chunk of source) {
            yield chunk
            // The rest comes only when the agent has the beginning.
            if (++count === 2) await gate.promise
          }
        })()
      },
    })
    let run = ''
    await agent.run('hi', { onStart: (id) => (run = id) })
    expect(seen.slice(0, 3)).toEqual(['One', ' tw', 'o'])
    expect(one.troubles).toEqual([])
    const trace = JSON.stringify(await one.reflex.trace(run))
    expect(trace).toContain('the model has replied')
    expect((await one.reflex.replay(run)).difference).toBeUndefined()
  })

  it('carries out a proposal within the stream, and gives the text and the usage of all rounds', async () => {
    const one = life()
    await activate(one, RELEASE, ['set_tag'])
    const model = new StreamingModel(`I tag it.\n${propose({ tag: 'v1' })}`, 'It is tagged.')
    const tagged: unknown[] = []
    let run = ''
    const chunks = await reader(one, model, tagged).run('please release v1', { onStart: (id) => (run = id) })
    expect(one.troubles.map(String)).toEqual([])
    expect(textOfChunks(chunks)).toBe('I tag it.\nIt is tagged.')
    expect(chunks.at(-1)?.usage).toEqual({ prompt_tokens: 20, completion_tokens: 10 })
    expect(tagged).toEqual([{ tag: 'v1' }])
    expect(textOf(model.requests[0]?.messages.at(-1)?.content)).toContain('release.tag@1.0.0')
    expect(textOf(model.requests[1]?.messages.at(-1)?.content)).toContain('SKILL_RESULT')
    expect((await one.reflex.replay(run)).difference).toBeUndefined()
  })

  it('begins a line with the text of each round', async () => {
    const one = life()
    await activate(one, RELEASE, ['set_tag'])
    const model = new StreamingModel(`I tag it. <SKILL_PROPOSE>\n${propose({ tag: 'v1' })}`, 'It is tagged.')
    const chunks = await reader(one, model).run('release v1')
    expect(textOfChunks(chunks)).toMatch(/\nIt is tagged\.$/)
  })

  it('expands the hidden rounds when the agent sends the reply back', async () => {
    const one = life()
    await activate(one, RELEASE, ['set_tag'])
    const model = new StreamingModel(`I tag it.\n${propose({ tag: 'v1' })}`, 'It is tagged.', 'Bye.')
    const agent = one.reflex.wrap({
      agent: async (text: string, { llm }: { llm: Llm }) => {
        const first = asking(text)
        const said = textOfChunks(await collected(await llm(first)))
        const messages = [...first.messages, { role: 'assistant', content: said }, { role: 'user', content: 'thanks' }]
        return textOfChunks(await collected(await llm({ stream: true, messages })))
      },
      tools: { set_tag: () => 'ok' },
      llm: model.create,
    })
    expect(await agent.run('release v1')).toBe('Bye.')
    const sent = model.requests[2]?.messages.filter(({ role }) => role !== 'system').map(({ content }) => textOf(content))
    expect(sent?.filter((text) => text.includes('<SKILL_RESULT>'))).toHaveLength(1)
    expect(sent?.filter((text) => text.includes('<SKILL_PROPOSE>'))).toHaveLength(1)
  })

  it('gives the stream of the record to a resumed agent, without a call', async () => {
    const store = memoryStore()
    const first = life({ store: connection(store), closes: false })
    await activate(first, RELEASE, ['set_tag'])
    const model = new StreamingModel(`I tag it.\n${propose({ tag: 'v1' })}`, 'It is tagged.')
    const begun = Promise.withResolvers<ChatChunk[]>()
    const wrapped = (one: Life, llm: StreamingModel, hold: Promise<void>) =>
      one.reflex.wrap({
        name: 'reader',
        agent: async (text: string, context: { llm: Llm }) => {
          const chunks = await collected(await context.llm(asking(text)))
          begun.resolve(chunks)
          await hold
          return chunks
        },
        tools: { set_tag: () => 'ok' },
        llm: llm.create,
      })
    void wrapped(first, model, new Promise(() => undefined)).run('release v1', { id: 'otter' })
    const told = await begun.promise
    for (let i = 0; i < 20; i++) await first.host.advance(20)
    const second = life({ store, at: first.host.now() + 3_600_000 })
    const other = new StreamingModel('never asked')
    const again = await wrapped(second, other, Promise.resolve()).resume('otter')
    expect(other.requests).toEqual([])
    expect(textOfChunks(again)).toBe(textOfChunks(told))
    expect(again.at(-1)?.usage).toEqual(told.at(-1)?.usage)
    expect(second.troubles.map(String)).toEqual([])
  })

  it('cancels the call of the model when the agent stops reading, and carries out nothing of it', async () => {
    const one = life()
    await activate(one, RELEASE, ['set_tag'])
    const model = new StreamingModel({ text: `I tag it.\n<SKILL_PROPOSE>{"skill_id"`, end: 'waits' })
    const agent = one.reflex.wrap({
      agent: async (text: string, { llm }: { llm: Llm }) => {
        for await (const chunk of await llm(asking(text))) if (textOfChunks([chunk]) !== '') break
        return 'left'
      },
      tools: { set_tag: () => 'ok' },
      llm: model.create,
    })
    let run = ''
    expect(await agent.run('release v1', { onStart: (id) => (run = id) })).toBe('left')
    expect(model.signals[0]?.aborted).toBe(true)
    expect(model.requests).toHaveLength(1)
    expect((await one.reflex.find(run)).status).toBe('completed')
    expect((await one.reflex.replay(run)).difference).toBeUndefined()
  })

  it('ends as the model does when the caller aborts its call', async () => {
    const one = life()
    await activate(one, RELEASE, ['set_tag'])
    const control = new AbortController()
    const model = new StreamingModel({ text: 'I tag it.\n<SKILL_PROPOSE>{', end: 'waits' })
    const agent = one.reflex.wrap({
      agent: async (text: string, { llm }: { llm: Llm }) => {
        let said = ''
        for await (const chunk of await llm(asking(text), { signal: control.signal })) {
          said += textOfChunks([chunk])
          if (said !== '') control.abort()
        }
        return said
      },
      // A client that ends its stream in silence when it is aborted, as that of OpenAI does.
      llm: async (request: StreamRequest, options?: { readonly signal?: AbortSignal }) => {
        const source = await model.create(request, options)
        return (async function* () {
          for await (const chunk of source) {
            yield chunk
            if (options?.signal?.aborted === true) return
          }
        })()
      },
    })
    expect(await agent.run('release v1')).toMatch(/^I t/)
    expect(model.requests).toHaveLength(1)
  })

  it('throws in the middle of the stream what the model throws there', async () => {
    const one = life()
    const model = new StreamingModel({ text: 'One two', end: 'breaks' })
    const seen: string[] = []
    const agent = one.reflex.wrap({
      agent: async (text: string, { llm }: { llm: Llm }) => {
        for await (const chunk of await llm(asking(text))) seen.push(textOfChunks([chunk]))
      },
      llm: model.create,
    })
    let run = ''
    await expect(agent.run('hi', { onStart: (id) => (run = id) })).rejects.toThrow(/^the line is dead$/)
    expect(seen.join('')).toBe('One two')
    expect(JSON.stringify(await one.reflex.trace(run))).toContain('broke off')
  })

  it('rejects a call whose stream the model does not open', async () => {
    const { reflex } = life()
    const refused = new Error('401')
    const agent = reflex.wrap({
      agent: async (text: string, { llm }: { llm: Llm }) =>
        llm(asking(text)).then(
          () => 'open',
          (thrown: unknown) => thrown,
        ),
      llm: () => Promise.reject(refused),
    })
    expect(await agent.run('hi')).toBe(refused)
  })

  it('works on when Reflex fails in the middle of a stream, and carries out no skill', async () => {
    let isBroken = false
    const store = connection(memoryStore(), (name, act) =>
      name !== 'commit'
        ? undefined
        : (...args) => {
            if (isBroken) throw new Error('the disk is full')
            return act(...args)
          },
    )
    const one = life({ store })
    await activate(one, RELEASE, ['set_tag'])
    const tagged: unknown[] = []
    const model = new StreamingModel(`I tag it.\n${propose({ tag: 'v1' })}`, 'second')
    const agent = one.reflex.wrap({
      agent: async (text: string, { llm }: { llm: Llm }) => {
        const said: string[] = []
        for (const question of [text, 'again']) {
          let reply = ''
          for await (const chunk of await llm(asking(question))) {
            reply += textOfChunks([chunk])
            isBroken = true
            await one.host.advance(20)
          }
          said.push(reply)
        }
        return said
      },
      tools: { set_tag: (args: unknown) => void tagged.push(args) },
      llm: model.create,
    })
    const [first, second] = await agent.run('release v1')
    expect(first).toMatch(/^I tag it\./)
    expect(second).toBe('second')
    expect(tagged).toEqual([])
    expect(one.troubles.filter(({ code }) => code === 'R2153')).not.toEqual([])
  })

  it('rejects when the host cancels the turn', async () => {
    const { reflex } = life()
    const model = new StreamingModel({ text: 'One', end: 'waits' })
    const control = new AbortController()
    const agent = reflex.wrap({
      agent: async (text: string, { llm }: { llm: Llm }) => {
        for await (const chunk of await llm(asking(text))) if (textOfChunks([chunk]) === 'One') control.abort(new Error('enough'))
      },
      llm: model.create,
    })
    await expect(agent.run('x', { signal: control.signal })).rejects.toThrow('enough')
    expect(model.signals[0]?.aborted).toBe(true)
  })

  it('stores the reply of a model once', async () => {
    let records = ''
    const store = connection(memoryStore(), (name, act) =>
      name !== 'commit'
        ? undefined
        : (...args) => {
            for (const one of args as readonly unknown[]) records += JSON.stringify(one)
            return act(...args)
          },
    )
    const { reflex } = life({ store })
    const model = new StreamingModel('A reply that nobody has written before, of some length')
    const agent = reflex.wrap({
      agent: async (text: string, { llm }: { llm: Llm }) => void (await collected(await llm(asking(text)))),
      llm: model.create,
    })
    await agent.run('hi')
    expect(records.match(/\bchunks\b/g)).toHaveLength(1)
  })
})
