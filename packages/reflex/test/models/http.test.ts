import { describe, expect, test } from 'vitest'
import { joinDeltas } from '../../src/kernel/journal/deltas.ts'
import { createModels } from '../../src/models/index.ts'
import { virtualHost } from '../../src/testing/index.ts'
import { faultOf, KEY, modelsOf, played, saying, sdkModel, server, watched } from './workshop.ts'

const verdict = { type: 'object', properties: { edge: { enum: ['FULL', 'NO'] } }, required: ['edge'], additionalProperties: false } as const

describe('a server by its base URL', () => {
  test('answers with its own key, and the tokens are counted', async () => {
    const openai = await server({ key: KEY })
    openai.reply({ text: 'It is 84.', usage: { prompt: 12, completion: 5, cached: 4, reasoning: 2 } })
    const reply = await modelsOf(openai).generate(
      saying('How much?', { temperature: 0, maxTokens: 50, seed: 7, stop: ['\n'], topP: 0.5 }),
      watched(),
    )
    expect(reply).toEqual({
      model: 'llama3',
      text: 'It is 84.',
      finish: 'stop',
      tries: 1,
      usage: { input: 12, output: 5, cached: 4, reasoning: 2 },
    })
    expect(openai.problems).toEqual([])
    expect(openai.requests[0]?.body).toEqual({
      model: 'llama3',
      messages: [{ role: 'user', content: 'How much?' }],
      temperature: 0,
      max_tokens: 50,
      seed: 7,
      stop: ['\n'],
      top_p: 0.5,
    })
  })

  test.each([
    ['local:llama3:8b', 'llama3:8b'],
    ['qwen2.5:7b', 'qwen2.5:7b'],
  ])('%s is its model %s', async (name, model) => {
    const openai = await server()
    openai.reply({ text: 'yes' })
    await modelsOf(openai, { model: name, environment: {} }).generate(saying('?'), watched())
    expect(openai.requests[0]?.body.model).toBe(model)
    expect(openai.requests[0]?.headers.authorization).toBeUndefined()
  })

  test('streams, and the streamed text is the answer', async () => {
    const openai = await server()
    openai.reply({ reasoning: 'Let me see.', text: 'Forty-two, as everybody knows.', calls: [{ name: 'note', args: { a: 1 } }] })
    const call = watched()
    const tools = [{ name: 'note', schema: { type: 'object' } }]
    const reply = await modelsOf(openai).generate(saying('?', { stream: true, tools }), call)
    expect(reply).toMatchObject({
      text: 'Forty-two, as everybody knows.',
      reasoning: 'Let me see.',
      calls: [{ id: 'call_1', name: 'note', args: { a: 1 } }],
      finish: 'tools',
      usage: { output: 4 },
    })
    expect(joinDeltas(call.parts)).toEqual({ reasoning: reply.reasoning, text: reply.text, calls: [{ id: 'call_1', name: 'note' }] })
    expect(openai.problems).toEqual([])
  })

  test('gets the schema, and its answer is checked', async () => {
    const openai = await server()
    openai.reply({ object: { edge: 'FULL' } })
    const reply = await modelsOf(openai).generate(saying('Refund?', { output: { schema: verdict, name: 'decision' } }), watched())
    expect(reply.object).toEqual({ edge: 'FULL' })
    const [seen] = openai.requests
    expect(seen?.body.response_format).toMatchObject({
      type: 'json_schema',
      json_schema: { name: 'decision', strict: true, schema: verdict },
    })
    expect(seen?.body.messages?.[0]).toHaveProperty('role', 'system')
    expect(JSON.stringify(seen?.body.messages)).toContain('FULL')
    expect(openai.problems).toEqual([])
  })

  test('gets a schema with optional keys as not strict, because it would refuse a strict one', async () => {
    const openai = await server()
    openai.reply({ object: {} })
    const schema = { type: 'object', properties: { note: { type: 'string' } } }
    const reply = await modelsOf(openai).generate(saying('?', { output: { schema } }), watched())
    expect(reply.object).toEqual({})
    expect(openai.problems).toEqual([])
  })

  test('that does not know schemas gets them in the prompt only, and later requests do so immediately', async () => {
    const openai = await server({
      handler: ({ body }) =>
        body.response_format === undefined
          ? { text: '```json\n{"edge":"NO"}\n```' }
          : { status: 400, error: 'response_format is not supported' },
    })
    const models = modelsOf(openai)
    for (let i = 0; i < 2; i++) {
      const reply = await models.generate(saying('?', { output: { schema: verdict } }), watched())
      expect(reply).toMatchObject({ object: { edge: 'NO' }, tries: 1 })
    }
    expect(openai.requests).toHaveLength(3)
  })

  test('gets tool calls and their results in the required form', async () => {
    const openai = await server()
    openai.reply({ text: 'done' })
    const calls = [
      { id: 'a', name: 'read', args: { path: 'x' } },
      { id: 'b', name: 'read', args: { path: 'y' } },
    ]
    await modelsOf(openai).generate(
      {
        messages: [
          { role: 'system', content: 'Be brief.' },
          { role: 'user', content: 'Read both.' },
          { role: 'assistant', calls },
          { role: 'tool', call: 'a', name: 'read', result: { text: 'X' } },
          { role: 'tool', call: 'b', name: 'read', result: 'no such file', failed: true },
        ],
        tools: [{ name: 'read', description: 'Reads a file', schema: { type: 'object' } }],
        choice: 'auto',
      },
      watched(),
    )
    expect(openai.problems).toEqual([])
    expect(openai.requests[0]?.body.messages?.slice(3)).toEqual([
      { role: 'tool', tool_call_id: 'a', content: '{"text":"X"}' },
      { role: 'tool', tool_call_id: 'b', content: 'no such file' },
    ])
  })
})

test('a server that reports stop for an answer with tool calls still gets its calls performed', async () => {
  const openai = await server()
  openai.reply({ calls: [{ name: 'f', args: '' }], finish: 'stop' })
  const reply = await modelsOf(openai).generate(saying('?', { tools: [{ name: 'f', schema: { type: 'object' } }] }), watched())
  expect(reply).toMatchObject({ finish: 'tools', calls: [{ name: 'f', args: {} }] })
})

describe('a failing server', () => {
  const none = { retries: 0 }

  test.each([
    [401, 'R4006', 'fail', /^set REFLEX_API_KEY to a key that is valid/],
    [403, 'R4006', 'fail', /^check what the key in REFLEX_API_KEY may use/],
    [400, 'R4007', 'fail', /`reflex resume RUN --model NAME`/],
    [
      404,
      'R4007',
      'fail',
      /^check the name of the model, and the base URL: an address usually ends in \/v1; `reflex resume RUN --model NAME`/,
    ],
    [413, 'R4008', 'fail', /`budget`/],
    [408, 'R4010', 'retry', /it was tried once; `reflex resume RUN` tries again$/],
    [409, 'R4010', 'retry', /tries again$/],
    [429, 'R4009', 'retry', /quota; it was tried once/],
    [500, 'R4010', 'retry', /tries again$/],
    [503, 'R4010', 'retry', /tries again$/],
  ])('%i is %s, to %s', async (status, code, verdictOf, fix) => {
    const openai = await server()
    openai.reply({ status, error: 'the words of the server' })
    const fault = await faultOf(modelsOf(openai).generate(saying('?', none), watched()))
    expect(fault).toMatchObject({ code, verdict: verdictOf, data: { status, model: 'llama3' } })
    expect(fault.message).toContain('the words of the server')
    expect(fault.fix).toMatch(fix)
    expect(openai.requests).toHaveLength(1)
  })

  test('that requires a key is reported as such if none was sent', async () => {
    const openai = await server({ key: KEY })
    const asked = modelsOf(openai, { environment: {} }).generate(saying('?', none), watched())
    expect(await faultOf(asked)).toMatchObject({ code: 'R4006', fix: 'set REFLEX_API_KEY; no key was sent' })
    const own = createModels({ host: virtualHost(), model: sdkModel(await server({ key: 'another' })) })
    expect((await faultOf(own.generate(saying('?', none), watched()))).fix).toBe(
      'check the key that the application gave to the package of the provider',
    )
  })

  test('that was asked often is reported with the number of tries', async () => {
    const openai = await server()
    openai.reply({ status: 500 }, { status: 500 }, { status: 500 })
    const host = virtualHost()
    const fault = await faultOf(played(host, modelsOf(openai, { host }).generate(saying('?'), watched())))
    expect(fault.fix).toBe('if this lasts, name a `fallback` model; it was tried 3 times; `reflex resume RUN` tries again')
  })

  test.each([
    ['a context that is too long', { status: 400, error: "This model's maximum context length is 8192 tokens" }, 'R4008', 'fail'],
    ['an account without money', { status: 429, error: 'insufficient_quota' }, 'R4009', 'fail'],
    ['no connection', { cut: 'before' }, 'R4011', 'retry'],
    ['half a body', { cut: 'within', text: 'Forty-two' }, 'R4011', 'retry'],
    ['a web page', { raw: '<html>hello</html>', headers: { 'content-type': 'text/html' } }, 'R4012', 'retry'],
    ['JSON that is not an answer', { raw: '{"hello":1}' }, 'R4012', 'retry'],
    ['an answer without choices', { raw: '{"choices":[]}' }, 'R4012', 'retry'],
    ['nothing', { raw: '' }, 'R4012', 'retry'],
    ['a refusal', { text: 'I cannot', finish: 'content_filter' }, 'R4014', 'fail'],
  ] as const)('%s', async (_, reply, code, verdictOf) => {
    const openai = await server()
    openai.reply(reply)
    const fault = await faultOf(modelsOf(openai).generate(saying('?', none), watched()))
    expect(fault).toMatchObject({ code, verdict: verdictOf, fix: expect.stringMatching(/./) as string })
  })

  test.each([
    ['breaks', { cut: 'within', text: 'Forty-two, as everybody knows' }, 'R4011'],
    ['ends early', { cut: 'end', text: 'Forty-two, as everybody knows' }, 'R4011'],
    ['is not a stream', { raw: '<html></html>', headers: { 'content-type': 'text/html' } }, 'R4012'],
    ['contains invalid JSON', { raw: 'data: {"hello"\n\n', headers: { 'content-type': 'text/event-stream' } }, 'R4012'],
    [
      'reports an error',
      { raw: 'data: {"error":{"message":"overloaded","type":"server_error"}}\n\n', headers: { 'content-type': 'text/event-stream' } },
      'R4010',
    ],
  ] as const)('a stream that %s is tried again, and the received part is void', async (_, reply, code) => {
    const openai = await server()
    openai.reply(reply, { text: 'Forty-two' })
    const call = watched()
    const host = virtualHost()
    const got = await played(host, modelsOf(openai, { host }).generate(saying('?', { stream: true, retries: 1 }), call))
    expect(got).toMatchObject({ text: 'Forty-two', tries: 2, failures: [{ model: 'llama3', code }] })
    const told = call.parts.slice(call.parts.findLastIndex((part) => JSON.stringify(part).includes('restart')))
    expect(told[0]).toMatchObject({ restart: { try: 2, model: 'llama3', because: code } })
    expect(told.map((part) => (part as { text?: string }).text ?? '').join('')).toBe('Forty-two')
  })

  test.each([
    ['seconds', () => ({ 'retry-after': '0.03' }), 30, 30],
    ['milliseconds', () => ({ 'retry-after-ms': '20' }), 20, 20],
    ['a date', () => ({ 'retry-after': new Date(Date.now() + 2000).toUTCString() }), 1, 2000],
  ])('states in %s when to try again', async (_, headers, least, most) => {
    const openai = await server()
    openai.reply({ status: 429, headers: headers() })
    const { data } = await faultOf(modelsOf(openai).generate(saying('?', none), watched()))
    expect(data?.['retryAfter']).toBeGreaterThanOrEqual(least)
    expect(data?.['retryAfter']).toBeLessThanOrEqual(most)
  })

  test('that does not exist is reported with its address', async () => {
    const openai = await server()
    await openai.close()
    const models = modelsOf(openai, { baseUrl: undefined, environment: { REFLEX_BASE_URL: `${openai.url}?key=hushhush` } })
    const { code, message, fix } = await faultOf(models.generate(saying('?', none), watched()))
    expect(`${code} ${message}`).toMatch(`R4011 llama3 cannot be reached at ${openai.url}`)
    expect(message).not.toContain('hush')
    expect(fix).toMatch(/^is the server running\? its address is that of REFLEX_BASE_URL; it was tried once/)
  })

  test('reads a huge answer completely', async () => {
    const openai = await server()
    const text = 'x'.repeat(3_000_000)
    openai.reply({ text, usage: { prompt: 1, completion: 750_000 } })
    expect((await modelsOf(openai).generate(saying('?'), watched())).text).toHaveLength(text.length)
  })
})

describe('a call that is aborted', () => {
  test.each([false, true])('aborts the request (stream %s)', async (stream) => {
    const openai = await server()
    openai.reply({ text: 'never', ...(stream ? { holdStream: new Promise(() => undefined) } : { hold: new Promise(() => undefined) }) })
    const call = watched()
    const asked = modelsOf(openai).generate(saying('?', { stream }), call)
    await expect.poll(() => openai.requests.length).toBe(1)
    const reason = new Error('dropped')
    call.abort(reason)
    await expect(asked).rejects.toBe(reason)
    await openai.requests[0]?.brokenOff
    expect(call.parts).toEqual([])
  })

  test('before it started asks no model', async () => {
    const openai = await server()
    const call = watched()
    call.abort(new Error('dropped'))
    await expect(modelsOf(openai).generate(saying('?'), call)).rejects.toThrow('dropped')
    expect(openai.requests).toEqual([])
  })

  test('by its own time limit aborts the request too', async () => {
    const openai = await server()
    openai.reply({ hold: new Promise(() => undefined) })
    const fault = await faultOf(modelsOf(openai).generate(saying('?', { timeout: 40 }), watched()))
    expect(fault).toMatchObject({ code: 'R4013', verdict: 'retry' })
    await openai.requests[0]?.brokenOff
  })
})
