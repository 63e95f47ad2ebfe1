import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Fault, isFault, type Json, redactTexts } from '../../src/kernel/index.ts'
import {
  createModels,
  faults,
  type ModelReply,
  type ModelRequest,
  type Models,
  recordedModels,
  recorder,
  scriptedModel,
} from '../../src/models/index.ts'
import { virtualHost } from '../../src/testing/index.ts'
import { faultOf, KEY, modelsOf, saying, server, watched } from './workshop.ts'

const schema = { type: 'object', properties: { edge: { enum: ['FULL', 'NO'] } }, required: ['edge'] }

/** Returns the outcome of a request: the reply, or the fault as data. */
async function outcome(models: Models, request: ModelRequest, key: string): Promise<unknown> {
  try {
    return await models.generate(request, watched(key))
  } catch (thrown) {
    return isFault(thrown) ? thrown.toJSON() : thrown
  }
}

function thrownBy(work: () => unknown): Fault {
  try {
    work()
  } catch (thrown) {
    if (isFault(thrown)) return thrown
    throw thrown
  }
  throw new Error('nothing was thrown')
}

const json = fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.parse(JSON.stringify(value)) as Json)
const usage = fc.record({ input: fc.nat(1e6), output: fc.nat(1e6) })
const replies: fc.Arbitrary<ModelReply> = fc.record(
  {
    model: fc.constantFrom('openai:gpt-5', 'local:llama3'),
    text: fc.string({ unit: 'binary', maxLength: 20 }).map((text) => text.toWellFormed()),
    finish: fc.constantFrom('stop', 'length'),
    usage,
    tries: fc.integer({ min: 1, max: 9 }),
    object: json,
    reasoning: fc.string({ maxLength: 9 }),
    calls: fc.array(fc.record({ id: fc.uuid(), name: fc.constant('f'), args: fc.dictionary(fc.stringMatching(/^[a-z]{1,5}$/), json) }), {
      minLength: 1,
      maxLength: 2,
    }),
    cost: fc.nat(1e6).map((n) => n / 1e6),
    failures: fc.constant([{ model: 'x', code: 'R4009', message: 'slow down' }]),
  },
  { requiredKeys: ['model', 'text', 'finish', 'usage', 'tries'] },
)
const requests: fc.Arbitrary<ModelRequest> = fc.record(
  {
    messages: fc.constantFrom('a', 'b', 'c').map((content) => [{ role: 'user' as const, content }]),
    label: fc.constantFrom('x', 'y'),
    temperature: fc.constantFrom(0, 1),
  },
  { requiredKeys: ['messages'] },
)

describe('a recording', () => {
  test('plays back exactly: equal requests in their order, others in any order', async () => {
    const asked = fc.array(
      fc.tuple(requests, fc.oneof(replies, fc.constant(faults.make('R4009', 'slow down', { data: { status: 429 } })))),
      { maxLength: 8 },
    )
    await fc.assert(
      fc.asyncProperty(asked, fc.array(fc.nat()), async (script, order) => {
        let next = 0
        const live: Models = {
          configured: true,
          name: () => 'live',
          price: () => undefined,
          unpricedModels: () => ['live'],
          generate: async () => {
            const reply = script[next++]?.[1]
            if (reply === undefined) throw new Error('asked too often')
            if (isFault(reply)) throw reply
            return reply
          },
        }
        let file = ''
        const recording = recorder(live, (line) => void (file += line))
        const was: { readonly request: ModelRequest; readonly came: unknown }[] = []
        for (const [request] of script) was.push({ request, came: await outcome(recording, request, `live ${was.length}`) })
        // Another order in which equal requests keep theirs.
        const groups = Map.groupBy(was, ({ request: { label: _, ...rest } }) => JSON.stringify(rest))
        const shuffled = [...groups.values()].toSorted((a, b) => (order[a.length] ?? 0) - (order[b.length] ?? 1)).flat()
        const played = recordedModels(file)
        for (const [i, { request, came }] of shuffled.entries()) expect(await outcome(played, request, `again ${i}`)).toEqual(came)
      }),
      { numRuns: 60 },
    )
  })

  test.each([
    ['openai:gpt-5-mini', undefined],
    [undefined, 'openai:gpt-5-mini'],
    ['openai:gpt-5-mini', 'local:llama3'],
  ])('replaces every model: recorded with %s, played with %s', async (recorded, played) => {
    let file = ''
    const replies = ['one', 'two']
    const live = createModels({
      host: virtualHost(),
      model: 'mine',
      models: { mine: scriptedModel(replies), 'openai:gpt-5-mini': scriptedModel(replies) },
    })
    const named = (model: string | undefined) => saying('?', model === undefined ? {} : { model })
    const recording = recorder(live, (line) => void (file += line))
    for (const key of ['1', '2']) await recording.generate(named(recorded), watched(key))
    const models = recordedModels(file)
    for (const [key, text] of [
      ['3', 'one'],
      ['4', 'two'],
    ] as const)
      expect(await models.generate(named(played), watched(key))).toMatchObject({ text })
    expect(await faultOf(models.generate(named(played), watched('5')))).toMatchObject({ code: 'R4020', fix: 'record again with --record' })
  })

  test('returns the answers of different models to one prompt in order', async () => {
    let file = ''
    const live = createModels({ host: virtualHost(), models: { a: scriptedModel(['A']), b: scriptedModel(['B']) } })
    const recording = recorder(live, (line) => void (file += line))
    for (const model of ['b', 'a']) await recording.generate(saying('?', { model }), watched(model))
    const models = recordedModels(file)
    const said = []
    for (const model of ['a', 'b']) said.push((await models.generate(saying('?', { model }), watched(`again ${model}`))).text)
    expect(said).toEqual(['B', 'A'])
  })

  test('of a real conversation over HTTP plays back without the server', async () => {
    const openai = await server()
    openai.reply({ status: 429, headers: { 'retry-after-ms': '1' } }, { object: { edge: 'FULL' } })
    const lines: string[] = []
    const request = saying('Refund?', { output: { schema }, label: 'refund/decide' })
    const live = await recorder(modelsOf(openai), (line) => void lines.push(line)).generate(request, watched())
    expect(live).toMatchObject({ object: { edge: 'FULL' }, tries: 2, failures: [{ code: 'R4009' }] })
    expect(await recordedModels(lines.join('')).generate({ ...request, timeout: 5, retries: 0 }, watched())).toEqual(live)
    expect(lines.join('')).not.toContain(KEY)
  })

  test('contains no secret, and nothing of the request', async () => {
    const redact = redactTexts((text) => text.replaceAll('hunter2hunter2', '‹secret›'))
    let file = ''
    const models = recorder(
      createModels({ host: virtualHost(), model: scriptedModel(['the word is hunter2hunter2']) }),
      (line) => void (file += line),
      redact,
    )
    expect(await models.generate(saying('say hunter2hunter2 to nobody'), watched())).toMatchObject({ text: 'the word is hunter2hunter2' })
    expect(file).toContain('the word is ‹secret›')
    expect(file).not.toMatch(/hunter2|nobody/)
  })

  test('has no line for an aborted call, or if no model is configured', async () => {
    let file = ''
    const write = (line: string): void => void (file += line)
    const call = watched()
    const asked = recorder(createModels({ host: virtualHost(), model: scriptedModel(() => new Promise(() => undefined)) }), write).generate(
      saying('?'),
      call,
    )
    call.abort(new Error('dropped'))
    await expect(asked).rejects.toThrow('dropped')
    await faultOf(recorder(createModels({ host: virtualHost() }), write).generate(saying('?'), watched()))
    expect(file).toBe('')
  })
})

describe('the token counts of a provider', () => {
  const counts = fc.oneof(fc.constantFrom(-1, 1.9, 1e308, -0, Number.NaN, Number.POSITIVE_INFINITY, Number.MAX_SAFE_INTEGER), fc.nat())

  test('lose no answer, and leave a recording that can be read', async () => {
    const said = fc.record({ input: counts, output: counts, cached: counts, reasoning: counts }, { requiredKeys: ['input', 'output'] })
    const price = fc.constantFrom(1, 1e308, -1, Number.NaN)
    await fc.assert(
      fc.asyncProperty(said, price, async (usage, usd) => {
        let file = ''
        const replies = [
          { text: 'no', usage },
          { object: { edge: 'NO' }, usage },
        ]
        const live = createModels({
          host: virtualHost(),
          model: scriptedModel(replies, 'm'),
          prices: { m: { input: usd, output: usd } },
        })
        const request = saying('?', { output: { schema } })
        const reply = await recorder(live, (line) => void (file += line)).generate(request, watched())
        expect(await recordedModels(file).generate(request, watched())).toEqual(reply)
      }),
      { numRuns: 60 },
    )
  })

  test.each([
    [
      { input: 1.9, output: 2, cached: -3 },
      { input: 1, output: 2 },
    ],
    [{ input: -1, output: 2 }, 'estimated'],
    [{ input: 3, output: 1e308 }, 'estimated'],
    [
      { input: Number.MAX_SAFE_INTEGER, output: 2, cached: 1 },
      { input: Number.MAX_SAFE_INTEGER, output: 2, cached: 1 },
    ],
  ])('%j counts as %j', async (usage, counted) => {
    const models = createModels({ host: virtualHost(), model: scriptedModel([{ text: 'x', usage }], 'openai:gpt-5') })
    const reply = await models.generate(saying('?'), watched())
    expect(reply.usage).toEqual(counted === 'estimated' ? { input: 11, output: 1 } : counted)
    expect(reply.estimated).toBe(counted === 'estimated' ? true : undefined)
    expect(reply.cost).toBeGreaterThan(0)
  })

  test('are summed as far as whole numbers are exact', async () => {
    const usage = { input: Number.MAX_SAFE_INTEGER, output: 1 }
    const models = createModels({
      host: virtualHost(),
      model: scriptedModel([
        { text: 'no', usage },
        { text: '{"edge":"NO"}', usage },
      ]),
    })
    const reply = await models.generate(saying('?', { output: { schema } }), watched())
    expect(reply.usage).toEqual({ input: Number.MAX_SAFE_INTEGER, output: 2 })
  })
})

describe('a handwritten recording', () => {
  const file = `// replies that a person wrote
{"label": "refund/decide", "reply": {"object": {"edge": "FULL"}}, "by": "hand"}

{"label": "refund/decide", "reply": {"object": {"edge": "NO"}}, "by": "hand"}
{"label": "refund/explain", "reply": {"text": "It was late."}}
{"label": "refund/slow", "fault": {"code": "R4013", "message": "took too long", "verdict": "retry"}}
`
  const asking = saying('Refund?', { label: 'refund/decide', output: { schema } })

  test('answers by label, in order, and names its author', async () => {
    const models = recordedModels(file)
    expect(await models.generate(asking, watched('1'))).toEqual({
      model: 'recorded',
      text: '{"edge":"FULL"}',
      object: { edge: 'FULL' },
      finish: 'stop',
      by: 'hand',
      usage: { input: 0, output: 0 },
      tries: 1,
    })
    expect(await models.generate(asking, watched('2'))).toMatchObject({ object: { edge: 'NO' } })
    // The same call gets the same line.
    expect(await models.generate(asking, watched('1'))).toMatchObject({ object: { edge: 'FULL' } })
    const call = watched('3')
    expect(await models.generate(saying('Why?', { label: 'refund/explain', stream: true }), call)).toMatchObject({ text: 'It was late.' })
    expect(call.parts).toEqual([{ text: 'It was late.' }])
    expect(await faultOf(models.generate(saying('?', { label: 'refund/slow' }), watched('4')))).toMatchObject({
      code: 'R4013',
      verdict: 'retry',
    })
  })

  test('reports the request and its remaining lines when none is left', async () => {
    const models = recordedModels(file, 'refund.jsonl')
    const fault = await faultOf(models.generate(saying('Ship it?', { label: 'refund/ship' }), watched()))
    expect(fault).toMatchObject({ code: 'R4020', verdict: 'fail' })
    expect(fault.message).toMatch(
      /^refund\.jsonl has no reply left for refund\/ship \([0-9a-f]{16}, "Ship it\?"\): the file has no line for it\. It has refund\/decide 2 times, refund\/explain/,
    )
    expect(fault.fix).toContain('{"label": "refund/ship", "reply": {…}, "by": "hand"}')
    for (const key of ['1', '2']) await models.generate(asking, watched(key))
    expect((await faultOf(models.generate(asking, watched('3')))).message).toContain('its lines are used up')
  })

  test('is checked against the schema', async () => {
    const models = recordedModels('{"label":"refund/decide","reply":{"object":{"edge":"FUL"}}}')
    expect(await faultOf(models.generate(asking, watched()))).toMatchObject({
      code: 'R4015',
      message: 'the recorded reply for refund/decide does not fit its schema: the answer\'s edge must be one of "FULL", "NO"',
      file: 'recording',
      line: 1,
      fix: 'correct the line, or record again with --record',
      data: { answer: '{"edge":"FUL"}' },
    })
  })

  test('with calls that were not offered is checked too', async () => {
    const line = (reply: object): string => `${JSON.stringify({ label: 'refund/decide', reply })}\n`
    const calls = [{ id: 'c1', name: 'f', args: {} }]
    const models = recordedModels(line({ calls }) + line({ calls, object: { edge: 'NO' } }) + line({ calls }))
    expect(await faultOf(models.generate(asking, watched('1')))).toMatchObject({ code: 'R4015', line: 1 })
    const { calls: none, object } = await models.generate(asking, watched('2'))
    expect({ none, object }).toEqual({ none: undefined, object: { edge: 'NO' } })
    expect(await models.generate({ ...asking, tools: [{ name: 'f', schema: {} }] }, watched('3'))).toMatchObject({ calls })
  })

  test("is checked by the application's own check", async () => {
    const models = recordedModels(file, 'refund.jsonl', (_, value) => (value === null ? [] : [{ message: 'must be else', path: [] }]))
    expect((await faultOf(models.generate(asking, watched()))).message).toMatch(/: the answer must be else$/)
  })

  test('with very many equal lines is used line by line', async () => {
    const lines = Array.from({ length: 2000 }, (_, i) => `{"label":"x","reply":{"text":"${i}"}}`)
    const models = recordedModels(lines.join('\n'))
    const said: string[] = []
    for (const key of ['1', '2', '3']) said.push((await models.generate(saying('?', { label: 'x' }), watched(key))).text)
    expect(said).toEqual(['0', '1', '2'])
  })

  test.each([
    ['broken', '{"label": "hushhush", "reply" "hushhush"}', { message: 'the line is not JSON', column: 31 }],
    ['no JSON', 'hushhush', { message: 'the line is not JSON' }],
    ['a text', '"hushhush"', { message: 'the line is not a JSON object' }],
  ])('that is %s is refused without quoting it', (_, line, fault) => {
    const thrown = thrownBy(() => recordedModels(line))
    expect(thrown).toMatchObject({ code: 'R4021', line: 1, ...fault })
    expect(JSON.stringify(thrown)).not.toContain('hush')
    expect(thrown.cause).toBeUndefined()
  })

  test.each([
    ['nested too deeply', `{"label":"x","reply":{"object":${'['.repeat(3000)}${']'.repeat(3000)}}}`, 'the line is nested too deeply'],
    ['not JSON', '{"label":', 'the line is not JSON'],
    ['neither label nor digest', '{"reply":{"text":"x"}}', 'a line needs "label", or "request" as --record writes it'],
    ['no reply', '{"label":"x"}', 'a line needs either "reply" or "fault"'],
    ['a misspelt key', '{"label":"x","replay":{"text":"x"}}', 'the line has "replay", which is not a key of it'],
    ['a version that is newer', '{"v":2,"label":"x","reply":{"text":"x"}}', "the line's v is 2, not 1"],
  ])('with %s is refused at its line', (_, line, message) => {
    expect(() => recordedModels(`\n${line}\n`, 'x.jsonl')).toThrow(
      expect.objectContaining({
        code: 'R4021',
        file: 'x.jsonl',
        line: 2,
        fix: expect.stringContaining('re') as string,
        message: expect.stringContaining(message) as string,
      }) as Error,
    )
  })
})

test('a recording may start with a byte order mark', async () => {
  const models = recordedModels('\ufeff{"label": "a", "reply": {"text": "one"}, "by": "hand"}\r\n')
  expect(await models.generate(saying('?', { label: 'a' }), watched())).toMatchObject({ text: 'one' })
})
