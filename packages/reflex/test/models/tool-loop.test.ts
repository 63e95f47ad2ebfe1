import { describe, expect, test } from 'vitest'
import { Fault, type JsonObject } from '../../src/kernel/index.ts'
import { createModels, type ModelMessage, type ModelRequest, type ScriptedReply, scriptedModel, toolLoop } from '../../src/models/index.ts'
import { virtualHost } from '../../src/testing/index.ts'
import { faultOf, modelsOf, saying, server, watched } from './workshop.ts'

const schema = { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] }
const asking = saying('What is 2 + 3?', {
  tools: [
    { name: 'add', schema },
    { name: 'done', schema: { type: 'object' } },
  ],
})
const add = async ({ args: { a, b } }: { readonly args: JsonObject }): Promise<number> => Number(a) + Number(b)
const call = (name: string, args: JsonObject, id = 'c1') => ({ id, name, args })

function models(replies: readonly ScriptedReply[] | ((request: ModelRequest) => ScriptedReply)) {
  return createModels({ host: virtualHost(), model: scriptedModel(replies, 'openai:gpt-5-mini') })
}

describe('a tool loop', () => {
  test('performs calls in their order until the model answers, and sums the usage', async () => {
    const performed: string[] = []
    const usage = { input: 1000, output: 100 }
    const all = models([
      { calls: [call('add', { a: 2, b: 3 }, 'c1'), call('add', { a: 1, b: 1 }, 'c2')], usage },
      { text: '5', usage },
    ])
    const perform = async (made: ReturnType<typeof call>) => {
      performed.push(made.id)
      return add(made)
    }
    expect(await toolLoop(all, asking, { perform }, watched())).toEqual({
      reply: { model: 'openai:gpt-5-mini', text: '5', finish: 'stop', tries: 1, usage, cost: 0.00045 },
      turns: 2,
      usage: { input: 2000, output: 200 },
      cost: 0.0009,
      messages: [
        { role: 'user', content: 'What is 2 + 3?' },
        { role: 'assistant', calls: [call('add', { a: 2, b: 3 }, 'c1'), call('add', { a: 1, b: 1 }, 'c2')] },
        { role: 'tool', call: 'c1', name: 'add', result: 5 },
        { role: 'tool', call: 'c2', name: 'add', result: 2 },
        { role: 'assistant', content: '5' },
      ],
    })
    expect(performed).toEqual(['c1', 'c2'])
  })

  test('that failed continues from its messages: no call is made twice', async () => {
    const performed: string[] = []
    const said: ModelMessage[] = []
    let asked = 0
    const all = models(() => {
      asked++
      if (asked === 1) return { calls: [call('add', { a: 2, b: 3 }, 'c1'), call('add', { a: 1, b: 1 }, 'c2')] }
      if (asked === 2) throw new Fault('R4007', 'refused', 'fail')
      return { text: '5' }
    })
    const loop = {
      onMessage: (message: ModelMessage) => void said.push(message),
      perform: async (made: ReturnType<typeof call>) => {
        performed.push(made.id)
        return add(made)
      },
    }
    await faultOf(toolLoop(all, asking, loop, watched()))
    expect(said).toHaveLength(3)
    const { messages } = await toolLoop(all, { ...asking, messages: [...asking.messages, ...said.slice(0, 2)] }, loop, watched())
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'tool', 'assistant'])
    expect(performed).toEqual(['c1', 'c2', 'c2'])
  })

  test.each([
    ['an unknown tool', call('subtract', {}), 'there is no tool subtract; there are add, done'],
    ['arguments that do not fit', call('add', { a: 2 }), 'add cannot be called with these arguments: the arguments must have the key "b"'],
    ['arguments that are not JSON', { ...call('add', {}), invalid: '{"a":' }, 'the arguments of add are not a JSON object'],
    ['a tool that failed', call('add', { a: 2, b: -1 }), 'no negative numbers'],
  ])('reports %s to the model', async (_, made, told) => {
    const perform = async () => {
      throw new Fault('R4103', 'no negative numbers', 'fail')
    }
    const { messages } = await toolLoop(models([{ calls: [made] }, 'sorry']), asking, { perform }, watched())
    expect(messages.at(-2)).toEqual({ role: 'tool', call: 'c1', name: made.name, result: told, failed: true })
  })

  test.each([
    ['waits', new Fault('R2000', 'ask a person', 'wait')],
    ['has a bug', new TypeError('x')],
  ])('ends when a tool %s', async (_, thrown) => {
    const perform = () => Promise.reject(thrown)
    await expect(toolLoop(models([{ calls: [call('add', { a: 1, b: 1 })] }]), asking, { perform }, watched())).rejects.toBe(thrown)
  })

  test('ends with a terminal tool', async () => {
    const loop = { perform: async () => 'kept', terminal: ['done'] }
    expect(await toolLoop(models([{ calls: [call('done', {})] }]), asking, loop, watched())).toMatchObject({ result: 'kept', turns: 1 })
  })

  test('does not continue forever', async () => {
    const all = models(() => ({ calls: [call('add', { a: 1, b: 1 })] }))
    expect(await faultOf(toolLoop(all, { ...asking, label: 'sum' }, { perform: add, maxTurns: 3 }, watched()))).toMatchObject({
      code: 'R4018',
      message: 'sum called tools in each of its 3 turns and never answered',
      fix: expect.stringContaining('number of turns') as string,
      data: { turns: 3, answer: JSON.stringify([call('add', { a: 1, b: 1 }, 'c1_3')]), used: { tries: 3 } },
    })
  })

  test('keeps the usage of its turns when one of them fails', async () => {
    const usage = { input: 1000, output: 100 }
    const wrong = { text: '{"sum":"five"}', usage }
    const all = models([{ calls: [call('add', { a: 2, b: 3 })], usage }, wrong, wrong])
    const output = { schema: { type: 'object', properties: { sum: { type: 'number' } } } }
    expect(await faultOf(toolLoop(all, { ...asking, output }, { perform: add }, watched()))).toMatchObject({
      code: 'R4015',
      data: { answer: wrong.text, used: { model: 'openai:gpt-5-mini', input: 3000, output: 300, usd: 0.00135, tries: 3 } },
    })
    const gone = models([{ calls: [call('add', { a: 2, b: 3 })], usage }, new Fault('R4014', 'filtered', 'fail')])
    expect(await faultOf(toolLoop(gone, asking, { perform: add }, watched()))).toMatchObject({
      code: 'R4014',
      data: { used: { input: 1000, output: 100, usd: 0.00045 } },
    })
  })

  test('forces a call in its first turn only', async () => {
    const choices: unknown[] = []
    const all = models(({ choice }) => {
      choices.push(choice)
      return choices.length === 1 ? { calls: [call('add', { a: 1, b: 1 })] } : '2'
    })
    await toolLoop(all, { ...asking, choice: 'required' }, { perform: add }, watched())
    expect(choices).toEqual(['required', 'auto'])
  })

  test('ends when the call is aborted', async () => {
    const stopped = watched()
    const perform = async () => {
      stopped.abort(new Error('dropped'))
      return 1
    }
    const calls = [call('add', { a: 1, b: 1 }, 'c1'), call('add', { a: 1, b: 1 }, 'c2')]
    await expect(toolLoop(models([{ calls }, 'x']), asking, { perform }, stopped)).rejects.toThrow('dropped')
  })

  test('over HTTP, streamed: every request is one that OpenAI accepts', async () => {
    const openai = await server()
    openai.reply(
      {
        text: 'Let me add.',
        calls: [
          { name: 'add', args: { a: 2, b: 3 } },
          { name: 'add', args: '{"a":' },
        ],
      },
      { text: '5' },
    )
    const { reply, turns } = await toolLoop(modelsOf(openai), { ...asking, stream: true }, { perform: add }, watched())
    expect([reply.text, turns]).toEqual(['5', 2])
    expect(openai.problems).toEqual([])
  })
})
