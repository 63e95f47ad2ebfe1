import { Buffer } from 'node:buffer'
import { describe, expect, test } from 'vitest'
import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAI } from '@ai-sdk/openai'
import { systemHost } from '../../src/kernel/index.ts'
import {
  costTraits,
  createModels,
  filePart,
  filePartOf,
  fileText,
  type ModelRequest,
  type ModelReply,
  recordedModels,
  recorder,
  scriptedModel,
} from '../../src/models/index.ts'
import { PDF, PNG, pngOf } from './files.ts'
import { faultOf, KEY, modelsOf, saying, server, watched, workshop } from './workshop.ts'

const photo = filePart(PNG, { name: 'photo.png' })

function showing(...parts: ReturnType<typeof filePart>[]): ModelRequest {
  return { messages: [{ role: 'user', content: 'What is this?', parts }] }
}

describe('a file of a message', () => {
  test('has a media type, a size and a hash, found in its content', () => {
    expect(fileText(photo)).toMatch(/^photo\.png, image\/png 70 B sha256:[0-9a-f]{12}$/)
    expect([PDF, Buffer.from('a,b\n'), Buffer.from('OggS....')].map((bytes) => filePart(bytes, { name: 'x.csv' }).media)).toEqual([
      'application/pdf',
      'text/csv',
      'audio/ogg',
    ])
    expect(filePart(PNG.toString('base64'))).toEqual(filePart(PNG))
  })

  test('is a value in one of three forms; a path is not one of them', () => {
    const data = PNG.toString('base64')
    const expected = filePart(PNG)
    expect(filePartOf(`data:image/png;base64,${data}`)).toEqual(expected)
    expect(filePartOf({ data, path: 'a.png' })).toEqual({ ...expected, name: 'a.png' })
    expect([filePartOf('photo.png'), filePartOf(7), filePartOf(null), filePartOf({ path: 'a' })]).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ])
  })

  test.each([
    ['empty', () => filePart(Buffer.alloc(0)), 'R4027', /is empty/],
    ['of no known format', () => filePart(Buffer.from([0, 1, 2, 3]), { name: 'x.zip' }), 'R4027', /"x\.zip" does not have a format/],
    ['of another format than stated', () => filePart(PDF, { media: 'image/png' }), 'R4027', /application\/pdf by its content/],
    ['no base64', () => filePart('not base64!'), 'R4027', /is not base64/],
    ['too large', () => filePart(pngOf(16_000_001)), 'R4028', /16\.0 MB; the limit is/],
    ['not the one that was stored', () => filePart(PNG, { hash: 'ab' }), 'R4029', /has the hash/],
    ['changed by a redaction', () => filePart('iVBO‹secret 4f1c›'), 'R4029', /a secret variable was removed/],
  ])('that is %s is refused', async (_, make, code, message) => {
    const fault = await faultOf(Promise.resolve().then(make))
    expect(fault.code).toBe(code)
    expect(fault.message).toMatch(message)
    expect(fault.fix).toBeTruthy()
  })

  test('counts toward a total: a request may have 22 MB', async () => {
    const { models } = workshop([{ text: 'never' }])
    const large = filePart(pngOf(12_000_000))
    expect(await faultOf(models.generate(showing(large, large), watched()))).toMatchObject({ code: 'R4028' })
  })

  test('is checked again before a model is asked', async () => {
    const { models } = workshop([{ text: 'never' }])
    const wrong = { ...photo, data: pngOf(80).toString('base64') }
    expect(await faultOf(models.generate(showing(wrong), watched()))).toMatchObject({ code: 'R4029' })
  })

  test('is sent in the form of the provider interface, before the text', async () => {
    const openai = await server()
    openai.reply({ text: 'a pixel' })
    const notes = filePart(Buffer.from('buy milk'), { name: 'notes.txt' })
    await modelsOf(openai).generate(showing(photo, notes), watched())
    const content: unknown = [
      { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG.toString('base64')}` } },
      { type: 'text', text: expect.stringMatching(/^The file notes\.txt, text\/plain 8 B sha256:\w+:\nbuy milk$/) as string },
      { type: 'text', text: 'What is this?' },
    ]
    expect(openai.requests[0]?.body).toMatchObject({ messages: [{ role: 'user', content }] })
    expect(openai.problems).toEqual([])
  })

  test('is an image or a PDF for the packages of OpenAI and Anthropic', async () => {
    const bodies: Record<string, unknown>[] = []
    const wire = await server({
      routes: {
        '/v1/responses': (body) => {
          bodies.push(body)
          return { id: 'r', created_at: 1, model: 'm', output: [], usage: { input_tokens: 1, output_tokens: 1 } }
        },
        '/v1/messages': (body) => {
          bodies.push(body)
          const usage = { input_tokens: 1, output_tokens: 1 }
          return {
            type: 'message',
            id: 'm',
            role: 'assistant',
            model: 'm',
            content: [{ type: 'text', text: 'ok' }],
            stop_reason: 'end_turn',
            usage,
          }
        },
      },
    })
    const pdf = filePart(PDF, { name: 'terms.pdf' })
    const openai = createOpenAI({ baseURL: wire.url, apiKey: KEY })('gpt-5-mini')
    const anthropic = createAnthropic({ baseURL: wire.url, apiKey: KEY })('claude-haiku-4-5')
    for (const model of [openai, anthropic])
      await createModels({ host: systemHost, model }).generate({ ...showing(photo, pdf), partial: true }, watched())
    expect(JSON.stringify(bodies[0]?.['input'])).toMatch(/"input_image".*"input_file","filename":"terms\.pdf"/)
    expect(JSON.stringify(bodies[1]?.['messages'])).toMatch(
      /"type":"image","source":\{"type":"base64","media_type":"image\/png".*"type":"document"/,
    )
  })

  test('that the model certainly cannot read is refused before the model is asked, and a fallback is asked instead', async () => {
    const asked: ModelRequest[] = []
    const reads = scriptedModel((request) => (asked.push(request), { text: 'a pixel' }))
    const models = createModels({
      host: systemHost,
      environment: { DEEPSEEK_API_KEY: KEY },
      model: 'deepseek:deepseek-chat',
      models: { reads },
    })
    expect(await faultOf(models.generate(showing(photo), watched()))).toMatchObject({ code: 'R4030' })
    const reply = await models.generate({ ...showing(photo), fallback: ['reads'] }, watched())
    expect(reply).toMatchObject({ text: 'a pixel', failures: [{ model: 'deepseek:deepseek-chat', code: 'R4030' }] })
    expect(asked).toHaveLength(1)
  })

  test('that the package of a provider does not accept is a separate fault', async () => {
    const chat = createOpenAI({ baseURL: 'http://127.0.0.1:9/v1', apiKey: KEY }).chat('gpt-5-mini')
    const sound = filePart(Buffer.from('OggS....'))
    const fault = await faultOf(createModels({ host: systemHost, model: chat }).generate(showing(sound), watched()))
    expect(fault).toMatchObject({ code: 'R4030', verdict: 'fail' })
  })

  test('is recorded by its hash: another file finds no reply', async () => {
    const lines: string[] = []
    const { models } = workshop([{ text: 'a pixel' }])
    await recorder(models, (line) => lines.push(line)).generate(showing(photo), watched())
    expect(lines.join('')).not.toContain(PNG.toString('base64').slice(0, 40))
    const recorded = recordedModels(lines.join(''))
    expect(await recorded.generate(showing({ ...photo }), watched())).toMatchObject({ text: 'a pixel' })
    expect(await faultOf(recordedModels(lines.join('')).generate(showing(filePart(pngOf(90))), watched()))).toMatchObject({ code: 'R4020' })
  })

  test('counts as tokens of an image in an estimate, not as its base64', async () => {
    const { models } = workshop([])
    const { estimateUsage } = costTraits(
      () => models,
      () => showing(filePart(pngOf(4_000_000))),
    )
    expect(estimateUsage?.().input).toBeGreaterThan(1_500)
    expect(estimateUsage?.().input).toBeLessThan(2_000)
  })
})

describe('options of a provider', () => {
  test('are part of the request; a key in them is refused at any place', async () => {
    const { models } = workshop([{ text: 'never' }])
    const key = { anthropic: { headers: { 'x-api-key': 'sk-1' } } }
    const message = { role: 'user' as const, content: '?', options: key }
    for (const request of [saying('?', { options: key }), { messages: [message] }]) {
      const fault = await faultOf(models.generate(request, watched()))
      expect(fault).toMatchObject({ code: 'R4031' })
      expect(fault.message).toContain('anthropic.headers.x-api-key')
      expect(JSON.stringify(fault)).not.toContain('sk-1')
    }
    expect(await models.generate(saying('?', { options: { openai: { promptCacheKey: 'a', user: 'b' } } }), watched())).toBeDefined()
  })

  test('of a message mark the text that a provider caches, and tokens written to and read from a cache are counted', async () => {
    const bodies: Record<string, unknown>[] = []
    const wire = await server({
      routes: {
        '/v1/messages': (body) => {
          bodies.push(body)
          const usage = { input_tokens: 10, output_tokens: 5, cache_creation_input_tokens: 1000, cache_read_input_tokens: 2000 }
          return {
            type: 'message',
            id: 'm',
            role: 'assistant',
            model: 'm',
            content: [{ type: 'text', text: 'ok' }],
            stop_reason: 'end_turn',
            usage,
          }
        },
      },
    })
    const mine = createAnthropic({ baseURL: wire.url, apiKey: KEY })('claude-haiku-4-5')
    const prices = { mine: { input: 1, output: 10, cached: 0.1, cacheWrite: 1.25 } }
    const models = createModels({ host: systemHost, model: 'mine', models: { mine }, prices })
    const reply: ModelReply = await models.generate(
      {
        messages: [
          { role: 'system', content: 'You are terse.', cache: '1h' },
          {
            role: 'user',
            content: 'What is this?',
            cache: true,
            parts: [{ ...photo, options: { anthropic: { cacheControl: { type: 'ephemeral' } } } }],
          },
        ],
      },
      watched(),
    )
    const [body] = bodies
    expect(body?.['system']).toEqual([{ type: 'text', text: 'You are terse.', cache_control: { type: 'ephemeral', ttl: '1h' } }])
    const content = [
      { type: 'image', source: expect.anything() as object, cache_control: { type: 'ephemeral' } },
      { type: 'text', text: 'What is this?', cache_control: { type: 'ephemeral' } },
    ]
    expect(body).toMatchObject({ messages: [{ role: 'user', content }] })
    expect(reply.usage).toEqual({ input: 3010, output: 5, cached: 2000, cacheWrite: 1000 })
    expect(reply.cost).toBeCloseTo((10 * 1 + 2000 * 0.1 + 1000 * 1.25 + 5 * 10) / 1e6, 12)
  })
})
