import { describe, expect, test } from 'vitest'
import { type ModelReply, readPrices, scriptedModel } from '../../src/models/index.ts'
import { costOf, priceOf } from '../../src/models/prices.ts'
import { faultOf, modelsOf, saying, server, watched, workshop } from './workshop.ts'

const schema = { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] }
const asking = saying('?', {
  tools: [
    { name: 'add', schema },
    { name: 'now', schema: { type: 'object' } },
  ],
})

const generate = (replies: Parameters<typeof scriptedModel>[0], request = saying('?')): Promise<ModelReply> =>
  workshop([], { model: scriptedModel(replies, 'acme:one') }).models.generate(request, watched())

describe('an answer', () => {
  test('that was cut is a failure that names the position, and no call in it is made', async () => {
    const text = await faultOf(generate([{ text: 'half', finish: 'length' }], saying('?', { maxTokens: 4096 })))
    expect(text).toMatchObject({ code: 'R4019', verdict: 'fail', message: 'the answer of acme:one was cut at 4,096 tokens' })
    expect(text.data).toMatchObject({ answer: 'half' })
    const calls = [{ id: 'c', name: 'add', args: { a: 1 } }]
    expect(await faultOf(generate([{ calls, finish: 'length' }], { ...asking, partial: true }))).toMatchObject({ code: 'R4019' })
  })

  test('that was cut is an answer if partial ones are accepted', async () => {
    expect(await generate([{ text: 'half', finish: 'length' }], saying('?', { partial: true }))).toMatchObject({ text: 'half' })
  })

  test('gets a unique id for each call in the conversation', async () => {
    const before = { role: 'assistant' as const, calls: [{ id: 'call_1', name: 'now', args: {} }] }
    const messages = [...asking.messages, before, { role: 'tool' as const, call: 'call_1', name: 'now', result: 'noon' }]
    const made = ['call_1', '', 'call_1'].map((id) => ({ id, name: 'now', args: {} }))
    const native = made.map(({ id }) => ({ type: 'tool-call', toolCallId: id, toolName: 'now', input: {} }))
    const { calls, native: told } = await generate([{ calls: made, native }], { ...asking, messages })
    expect(calls?.map(({ id }) => id)).toEqual(['call_1_2', 'call_2', 'call_1_3'])
    expect(told?.map((block) => (block as { readonly toolCallId: string }).toolCallId)).toEqual(['call_1_2', 'call_2', 'call_1_3'])
  })

  test('may omit the arguments only for a tool without parameters', async () => {
    const openai = await server()
    openai.reply({
      calls: [
        { id: 'a', name: 'add', args: '' },
        { id: 'b', name: 'now', args: '' },
      ],
    })
    const { calls } = await modelsOf(openai).generate(asking, watched())
    expect(calls).toEqual([
      { id: 'a', name: 'add', args: {}, invalid: '' },
      { id: 'b', name: 'now', args: {} },
    ])
  })

  test('that starts with its thoughts is the text after them', async () => {
    const openai = await server()
    openai.reply({ text: '<think>\nhm, 5\n</think>\n\nfive' })
    expect(await modelsOf(openai).generate(saying('?'), watched())).toMatchObject({ text: 'five', reasoning: 'hm, 5' })
  })

  test.each([1, 2, 3, 5, 100])('streams its thoughts as thoughts in pieces of %i', async (piece) => {
    const openai = await server()
    const texts = ['<think>a < b </thin> c</think>\n\nfive <think>six</think>', ' <thing>', '<thi', 'plain', '\n<think>never closed']
    for (const text of texts) openai.reply({ text, piece })
    const told: (readonly [string, string])[] = []
    for (const _ of texts) {
      const call = watched()
      await modelsOf(openai).generate(saying('?', { stream: true }), call)
      const joined = (key: string): string => call.parts.map((part) => (part as Record<string, string>)[key] ?? '').join('')
      told.push([joined('reasoning'), joined('text')])
    }
    expect(told).toEqual([
      ['a < b </thin> c', 'five <think>six</think>'],
      ['', ' <thing>'],
      ['', '<thi'],
      ['', 'plain'],
      ['never closed', ''],
    ])
  })
})

describe('prices', () => {
  test('of an exact name override those of its family', () => {
    expect(priceOf(['openai:gpt-4o-2024-05-13'], {})).toMatchObject({ input: 5, output: 15 })
    expect(priceOf(['openai:gpt-4o-2024-11-20'], {})).toMatchObject({ input: 2.5, output: 10 })
    const own = { 'acme:a': { input: 1, output: 1 }, 'acme:a-2026-01-01': { input: 2, output: 2 } }
    expect(priceOf(['acme:a-2026-01-01'], own)).toBe(own['acme:a-2026-01-01'])
  })

  test('distinguish tokens read from a cache, written to one, and of reasoning', () => {
    const price = { input: 3, cached: 0.3, cacheWrite: 3.75, output: 15, reasoning: 20 }
    const usage = { input: 1_000_000, cached: 400_000, cacheWrite: 200_000, output: 100_000, reasoning: 50_000 }
    expect(costOf(usage, price)).toBe(3.82)
  })

  test('of the user are read from a file, and a faulty file is refused with the reason', () => {
    const text = '{"date": "2026-02-01", "prices": {"acme:a": {"input": 1, "output": 2}}}'
    expect(readPrices(`\ufeff${text}`, 'prices.json').prices).toEqual({ 'acme:a': { input: 1, output: 2 } })
    for (const wrong of ['{', '{"date": "soon", "prices": {}}', '{"date": "2026-02-01", "prices": {"a": {"input": -1, "output": 0}}}'])
      expect(() => readPrices(wrong, 'prices.json')).toThrow(/^prices\.json/)
  })
})
