import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAI } from '@ai-sdk/openai'
import type { LanguageModelV3, LanguageModelV4 } from '@ai-sdk/provider'
import { describe, expect, test } from 'vitest'
import { systemHost } from '../../src/kernel/index.ts'
import { createModels, type LanguageModel, languageModel } from '../../src/models/index.ts'
import { faultOf, KEY, saying, sdkModel, server, watched } from './workshop.ts'

describe('models of the AI SDK', () => {
  test('are accepted unchanged', async () => {
    const openai = await server({ key: KEY })
    openai.reply({ text: 'one' }, { text: 'two', calls: [{ name: 'f', args: {} }] })
    const chat = createOpenAI({ baseURL: openai.url, apiKey: KEY }).chat('gpt-5-mini')
    // The real type fits the structural one.
    const given: LanguageModel = chat
    const models = createModels({ host: systemHost, model: given, models: { mine: sdkModel(openai) } })
    expect(models.name()).toBe('openai:gpt-5-mini')
    const first = await models.generate(saying('?'), watched())
    expect(first).toMatchObject({ text: 'one', model: 'openai:gpt-5-mini' })
    expect(first.cost).toBeGreaterThan(0)
    const second = await models.generate(saying('?', { model: 'mine', tools: [{ name: 'f', schema: { type: 'object' } }] }), watched())
    expect(second).toMatchObject({ model: 'mine', calls: [{ name: 'f', args: {} }] })
    expect(second.cost).toBeUndefined()
    expect(openai.problems).toEqual([])
  })

  test('openai:NAME speaks the protocol that the package prefers', async () => {
    const openai = await server({
      routes: {
        '/v1/responses': ({ model }) => ({
          id: 'resp_1',
          created_at: 1,
          model,
          output: [{ type: 'message', id: 'msg_1', role: 'assistant', content: [{ type: 'output_text', text: 'hello', annotations: [] }] }],
          usage: { input_tokens: 1000, output_tokens: 100 },
        }),
      },
    })
    const models = createModels({
      host: systemHost,
      environment: { OPENAI_API_KEY: KEY, OPENAI_BASE_URL: openai.url },
      model: 'openai:gpt-5-mini',
    })
    const reply = await models.generate(saying('?'), watched())
    expect(reply).toMatchObject({ text: 'hello', model: 'openai:gpt-5-mini', usage: { input: 1000, output: 100 }, cost: 0.00045 })
    expect(openai.requests[0]?.headers.authorization).toBe(`Bearer ${KEY}`)
  })

  test('anthropic: signed thoughts are sent back with the results of tools', async () => {
    const bodies: unknown[] = []
    const wire = await server({
      routes: {
        '/v1/messages': (body) => {
          bodies.push(body)
          const first = bodies.length === 1
          return {
            type: 'message',
            id: 'msg_1',
            role: 'assistant',
            model: 'claude-haiku-4-5',
            content: first
              ? [
                  { type: 'thinking', thinking: 'hm', signature: 'c2ln' },
                  { type: 'tool_use', id: 'toolu_1', name: 'f', input: { a: 1 } },
                ]
              : [{ type: 'text', text: 'done' }],
            stop_reason: first ? 'tool_use' : 'end_turn',
            usage: { input_tokens: 10, output_tokens: 5 },
          }
        },
      },
    })
    const model = createAnthropic({ baseURL: wire.url, apiKey: KEY })('claude-haiku-4-5-20251001')
    const models = createModels({ host: systemHost, model })
    const tools = [{ name: 'f', schema: { type: 'object' } }]
    const first = await models.generate(saying('?', { tools }), watched())
    expect(first).toMatchObject({ calls: [{ id: 'toolu_1', name: 'f', args: { a: 1 } }], reasoning: 'hm', cost: 0.000035 })
    const [made] = first.calls ?? []
    await models.generate(
      {
        tools,
        messages: [
          { role: 'user', content: '?' },
          { role: 'assistant', calls: first.calls, native: first.native },
          { role: 'tool', call: made?.id ?? '', name: 'f', result: 'ok' },
        ],
      },
      watched(),
    )
    expect(bodies[1]).toMatchObject({
      messages: [
        { role: 'user' },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'hm', signature: 'c2ln' },
            { type: 'tool_use', id: 'toolu_1', input: { a: 1 } },
          ],
        },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1' }] },
      ],
    })
  })

  test('of the third and fourth generation are asked in the same way', async () => {
    const usage = { inputTokens: { total: 3, noCache: 3, cacheRead: 0, cacheWrite: 0 }, outputTokens: { total: 2, text: 2, reasoning: 0 } }
    const answer = {
      content: [{ type: 'text' as const, text: 'hi' }],
      finishReason: { unified: 'stop' as const, raw: 'stop' },
      usage,
      warnings: [],
    }
    const shared = { provider: 'acme.chat', modelId: 'm', supportedUrls: {}, doStream: () => Promise.reject(new Error('not streamed')) }
    const asked: unknown[] = []
    const third: LanguageModelV3 = { ...shared, specificationVersion: 'v3', doGenerate: async (options) => (asked.push(options), answer) }
    const fourth: LanguageModelV4 = { ...shared, specificationVersion: 'v4', doGenerate: async (options) => (asked.push(options), answer) }
    for (const model of [third, fourth] satisfies LanguageModel[]) {
      const reply = await createModels({ host: systemHost, model }).generate(saying('?', { effort: 'low' }), watched())
      expect(reply).toEqual({ model: 'acme:m', text: 'hi', finish: 'stop', usage: { input: 3, output: 2 }, tries: 1 })
    }
    const prompt = [{ role: 'user', content: [{ type: 'text', text: '?' }] }]
    expect(asked).toMatchObject([{ prompt }, { prompt, reasoning: 'low' }])
    expect(asked[0]).not.toHaveProperty('reasoning')
  })

  test('whose stream ends without a finish part have not answered', async () => {
    const parts = [
      { type: 'text-start', id: '1' },
      { type: 'text-delta', id: '1', delta: 'Forty' },
    ]
    const stream = () => new ReadableStream({ start: (to) => (parts.forEach((part) => to.enqueue(part)), to.close()) })
    const model: LanguageModel = {
      specificationVersion: 'v4',
      provider: 'acme',
      modelId: 'm',
      doGenerate: async () => ({}),
      doStream: async () => ({ stream: stream() }),
    }
    const asked = createModels({ host: systemHost, model }).generate(saying('?', { stream: true, retries: 0 }), watched())
    expect((await faultOf(asked)).code).toBe('R4011')
  })

  test('reject with the reason of the signal', async () => {
    const openai = await server()
    openai.reply({ hold: new Promise(() => undefined) })
    const call = watched()
    const asked = languageModel(sdkModel(openai)).generate(saying('?'), call)
    await expect.poll(() => openai.requests.length).toBe(1)
    const reason = new Error('dropped')
    call.abort(reason)
    await expect(asked).rejects.toBe(reason)
  })

  test('of another generation are refused', () => {
    const old = {
      specificationVersion: 'v2',
      provider: 'old',
      modelId: 'm',
      doGenerate: async () => ({}),
      doStream: async () => ({ stream: {} }),
    }
    expect(() => languageModel(old)).toThrow('old:m speaks version v2')
    expect(() => createModels({ host: systemHost, models: { old } })).toThrow('old speaks version v2')
  })
})
