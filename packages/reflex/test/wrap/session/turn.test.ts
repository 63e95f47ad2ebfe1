import { describe, expect, it } from 'vitest'
import { activate, type ChatRequest, life, propose, RELEASE, ScriptedModel, textOf } from './world.ts'

describe('a turn of a wrapped agent', () => {
  it('records its calls and gives their results', async () => {
    const { reflex, troubles } = life()
    const model = new ScriptedModel('the sum is 3')
    const tools = { add: async ({ a, b }: { a: number; b: number }) => a + b }
    const llm = model.client
    const agent = reflex.wrap({
      agent: async (question: string) => {
        const sum = await tools.add({ a: 1, b: 2 })
        const { choices } = await llm.chat.completions.create({ messages: [{ role: 'user', content: `${question} ${sum}` }] })
        return choices[0]?.message.content
      },
      tools,
      llm,
      name: 'adder',
    })
    let run = ''
    expect(await agent.run('add', { onStart: (id) => (run = id) })).toBe('the sum is 3')
    expect(troubles.map(String)).toEqual([])
    const row = await reflex.find(run)
    expect([row.status, row.program[0]]).toEqual(['completed', 'turn:adder'])
    expect(model.requests).toHaveLength(1)
    expect((await reflex.replay(run)).difference).toBeUndefined()
  })

  it('shows the skills, carries out a proposal, and tells the model, past the agent', async () => {
    const { reflex, store, host, troubles } = life()
    await activate({ store, host }, RELEASE, ['set_tag'])
    const model = new ScriptedModel(`I tag it.\n${propose({ tag: 'v1' })}`, 'It is tagged.')
    const tagged: unknown[] = []
    const tools = { set_tag: (args: unknown) => void tagged.push(args) }
    const agent = reflex.wrap({
      agent: async (text: string, { llm }: { llm: (request: ChatRequest) => Promise<unknown> }) =>
        llm({ messages: [{ role: 'user', content: text }] }),
      tools,
      llm: model.create,
    })
    let run = ''
    const reply = await agent.run('please release v1', { onStart: (id) => (run = id), blackboard: { ctx: { tag: 'v1' } } })
    expect(troubles.map(String)).toEqual([])
    const trace = await reflex.trace(run)
    expect(model.requests, JSON.stringify(trace, undefined, 1)).toHaveLength(2)
    expect(textOf(model.requests[0]?.messages.at(-1)?.content)).toContain('release.tag@1.0.0')
    expect(textOf(model.requests[1]?.messages.at(-1)?.content)).toContain('SKILL_RESULT')
    expect(tagged).toEqual([{ tag: 'v1' }])
    expect(reply).toMatchObject({
      choices: [{ message: { content: 'I tag it.\nIt is tagged.' } }],
      usage: { prompt_tokens: 20, completion_tokens: 10 },
    })
  })
})
