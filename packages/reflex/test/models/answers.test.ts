import { describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '../../src/kernel/index.ts'
import { type FindMisfits, type Model, scriptedModel } from '../../src/models/index.ts'
import { busy, faultOf, played, saying, watched, workshop } from './workshop.ts'

const schema = { type: 'object', properties: { edge: { enum: ['FULL', 'NO'] } }, required: ['edge'] }

describe('structured output', () => {
  const asking = saying('Refund?', { output: { schema } })

  test.each([
    ['alone', '{"edge":"FULL"}'],
    ['in a fence', 'Here it is:\n```json\n{"edge": "FULL"}\n```\nDone.'],
    ['in a fence after braces', 'With {x} in mind:\n```\n{"edge":"FULL"}\n```\nwhere {x} is x.'],
    ['among words', 'I choose {"edge":"FULL"} since it fits.'],
  ])('is read %s', async (_, text) => {
    const { host, models } = workshop([text])
    expect(await played(host, models.generate(asking, watched()))).toMatchObject({ object: { edge: 'FULL' }, text, tries: 1 })
  })

  test('that does not fit is repaired once: the model sees what it wrote and what is wrong', async () => {
    const seen: unknown[] = []
    const model = scriptedModel((request) => {
      seen.push(request.messages.slice(1))
      return { text: seen.length === 1 ? '{"edge":"MAYBE"}' : '{"edge":"NO"}', usage: { input: 10, output: 5 } }
    }, 'openai:gpt-5-mini')
    const { host, models } = workshop([], { model })
    const reply = await played(host, models.generate(asking, watched()))
    expect(reply).toMatchObject({
      object: { edge: 'NO' },
      tries: 2,
      usage: { input: 20, output: 10 },
      cost: 0.000025,
      failures: [{ code: 'R4015' }],
    })
    expect(seen[1]).toMatchObject([{ role: 'assistant', content: '{"edge":"MAYBE"}' }, { role: 'user' }])
    expect(JSON.stringify(seen[1])).toContain('the answer\'s edge must be one of \\"FULL\\", \\"NO\\"')
  })

  test('that does not fit twice is a fault, after the other models were asked', async () => {
    const { host, models } = workshop(['no', 'never'], { models: { spare: scriptedModel([{ object: { edge: 'NO' } }]) } })
    const reply = await played(host, models.generate({ ...asking, fallback: ['spare'] }, watched()))
    expect(reply).toMatchObject({ model: 'spare', object: { edge: 'NO' }, tries: 3 })
    const { host: again, models: alone } = workshop(['no', ''])
    expect(await faultOf(played(again, alone.generate(asking, watched())))).toMatchObject({
      code: 'R4015',
      message: 'the answer of first does not fit its schema: the answer is empty',
      fix: 'ask for a simpler answer, or name another model; `reflex resume RUN` asks again',
    })
  })

  test('that does not fit is kept with its usage, even if the request fails', async () => {
    const usage = { input: 1000, output: 100 }
    const model = scriptedModel(
      [
        { text: '{"edge":"A"}', usage },
        { text: `{"edge":"${'B'.repeat(3000)}"}`, usage },
      ],
      'openai:gpt-5-mini',
    )
    const { host, models } = workshop([], { model })
    const { data } = await faultOf(played(host, models.generate(asking, watched())))
    expect(data).toMatchObject({ used: { model: 'openai:gpt-5-mini', input: 2000, output: 200, usd: 0.0009, tries: 2 } })
    expect(data?.['answer']).toBe(`{"edge":"${'B'.repeat(1991)}…`)
  })

  test.each([
    ['a filter', [{ text: 'I can', finish: 'filter' as const }], { code: 'R4014', data: { answer: 'I can', used: { tries: 1 } } }],
    ['a provider in trouble', ['no', busy(), busy(), busy()], { code: 'R4009', data: { answer: 'no', used: { tries: 4 } } }],
  ])('before %s is kept as well', async (_, replies, fault) => {
    const { host, models } = workshop(replies)
    expect(await faultOf(played(host, models.generate(asking, watched())))).toMatchObject(fault)
  })

  test('is not expected in a reply that calls tools', async () => {
    const calls = [{ id: 'c1', name: 'f', args: {} }]
    const { host, models } = workshop([{ calls }])
    const reply = await played(host, models.generate({ ...asking, tools: [{ name: 'f', schema: {} }] }, watched()))
    expect(reply).toEqual({ model: 'first', text: '', calls, finish: 'tools', usage: { input: 0, output: 0 }, tries: 1 })
  })

  test.each([
    ['no tools', {}],
    ['tools that it must not call', { tools: [{ name: 'f', schema: {} }], choice: 'none' as const }],
  ])('is still expected in a reply that calls tools if the request offers %s', async (_, more) => {
    const calls = [{ id: 'c1', name: 'f', args: {} }]
    const { host, models } = workshop([{ calls }, { calls, object: { edge: 'NO' } }])
    const reply = await played(host, models.generate({ ...asking, ...more }, watched()))
    expect(reply).toMatchObject({ object: { edge: 'NO' }, finish: 'other', tries: 2, failures: [{ code: 'R4015' }] })
    expect(reply.calls).toBeUndefined()
    const { host: again, models: stubborn } = workshop([{ calls }, { calls }])
    expect(await faultOf(played(again, stubborn.generate({ ...asking, ...more }, watched())))).toMatchObject({ code: 'R4015' })
  })

  test('is expected in a reply that calls tools but names none', async () => {
    const { host, models } = workshop([{ calls: [] }, { calls: [] }])
    const asked = models.generate({ ...asking, tools: [{ name: 'f', schema: {} }] }, watched())
    expect(await faultOf(played(host, asked))).toMatchObject({ code: 'R4015' })
  })

  test("a pattern that would never end in JavaScript's engine is matched in linear time", async () => {
    const { host, models } = workshop([JSON.stringify(`${'a'.repeat(60)}!`), '"aa"'])
    const output = { schema: { type: 'string', pattern: '^(a+)+$' } }
    const message = 'the answer of first does not fit its schema: the answer must match ^(a+)+$'
    expect(await played(host, models.generate(saying('?', { output }), watched()))).toMatchObject({
      object: 'aa',
      failures: [{ code: 'R4015', message }],
    })
  })

  test("is checked by the application's own check", async () => {
    const seen: unknown[] = []
    const check: FindMisfits = (form, value) => {
      seen.push([form, value])
      return value === null || seen.length > 2 ? [] : [{ message: 'must be else', path: ['edge', 0] }]
    }
    const { host, models } = workshop(['{"edge":["A"]}', '{"edge":["B"]}'], { check })
    const reply = await played(host, models.generate(asking, watched()))
    expect(reply).toMatchObject({
      object: { edge: ['B'] },
      failures: [{ message: expect.stringContaining("the answer's edge.0 must be else") as string }],
    })
    expect(seen).toEqual([null, { edge: ['A'] }, { edge: ['B'] }].map((value) => [schema, value]))
    const refusing = workshop(['{}'], {
      check: () => {
        throw new Error('no such type')
      },
    })
    expect(await faultOf(refusing.models.generate(asking, watched()))).toMatchObject({
      code: 'R4016',
      message: 'the schema of the answer cannot be used: no such type',
    })
  })

  test('many and long problems are listed in short form', async () => {
    const output = { schema: { type: 'array', items: { type: 'object', additionalProperties: false, properties: {} } } }
    const text = JSON.stringify(Array.from({ length: 300 }, (_, i) => ({ [`${i}${'k'.repeat(900)}`]: 1 })))
    const { host, models } = workshop([text, text])
    expect((await faultOf(played(host, models.generate(saying('?', { output }), watched())))).message.length).toBeLessThan(6000)
  })

  test('that was cut is reported as cut', async () => {
    const { host, models } = workshop([{ text: '{"ed', finish: 'length', usage: { input: 1, output: 4 } }, '{"edge":"NO"}'])
    const reply = await played(host, models.generate(asking, watched()))
    expect(reply.failures?.[0]?.message).toContain('cut at 4 tokens')
  })

  test('a schema that cannot be used is refused before a model is asked', async () => {
    const { host, models } = workshop(['{}'])
    const fault = await faultOf(played(host, models.generate(saying('?', { output: { schema: { type: 'strin' } } }), watched())))
    expect(fault).toMatchObject({ code: 'R4016', message: 'the schema of the answer cannot be used: Unsupported type: strin' })
  })

  test.each(['['.repeat(100_000), `${'{"a":'.repeat(2000)}1${'}'.repeat(2000)}`, '{"__proto__":{"edge":"NO"}}'])(
    'hostile answers only do not fit',
    async (text) => {
      const { host, models } = workshop([text, text])
      expect(await faultOf(played(host, models.generate(asking, watched())))).toMatchObject({ code: 'R4015' })
    },
  )
})

test.each([
  [{ type: 'object', required: ['edge'], properties: { edge: { type: 'string' } } }, {}, 'the answer must have the key "edge"'],
  [{ type: 'object' }, [], 'the answer must be an object'],
  [
    { type: 'object', properties: { a: { type: 'object', properties: { n: { type: 'number' } } } } },
    { a: { n: 'x' } },
    "the answer's a.n must be a number",
  ],
  [
    { type: 'object', properties: {}, additionalProperties: false },
    { b: 1, c: 2 },
    "the answer's b is not a known key; the answer's c is not a known key",
  ],
  [{ type: 'number', maximum: 1 }, 2, 'the answer must be at most 1'],
  [{ type: 'number', exclusiveMinimum: 0 }, 0, 'the answer must be more than 0'],
  [{ type: 'integer' }, 1.5, 'the answer must be an integer'],
  [{ type: 'string', minLength: 3 }, 'x', 'the answer must have at least 3 characters'],
  [{ type: 'array', items: { type: 'string' }, maxItems: 1 }, ['a', 'b'], 'the answer must have at most 1 items'],
  [{ type: 'array', items: { type: 'string' } }, ['a', null], "the answer's 1 must be a string"],
  [{ type: 'string', pattern: '^a' }, 'b', 'the answer must match ^a'],
  [{ type: 'string', format: 'email' }, 'b', 'the answer must have the format email'],
  [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, 3, 'the answer must be a string or null'],
  [{ enum: [1, 'a', null] }, 'z'.repeat(80), 'the answer must be one of 1, "a", null'],
  [{ required: ['foo'] }, {}, 'the answer must have the key "foo"'],
  [{ const: 'x' }, true, 'the answer must be "x"'],
] satisfies [JsonObject, Json, string][])('%j refuses %j in plain words', async (form, said, words) => {
  const text = JSON.stringify(said)
  const { host, models } = workshop([text, text])
  const { message } = await faultOf(played(host, models.generate(saying('?', { output: { schema: form } }), watched())))
  expect(message).toBe(`the answer of first does not fit its schema: ${words}`)
})

describe('accounting', () => {
  const used = { text: 'x', usage: { input: 1_000_000, output: 100_000, cached: 400_000, reasoning: 7 } }

  test.each([
    ['openai:gpt-5-mini', 0.36],
    ['openai:gpt-5-mini-2025-08-07', 0.36],
    ['openai:gpt-5-mini-turbo', undefined],
    ['openai:gpt-5', 1.8],
    ['anthropic:claude-haiku-4-5-20251001', 1.14],
    ['local:llama3', undefined],
  ])('%s costs %s', async (name, cost) => {
    const { host, models } = workshop([], { model: scriptedModel([used], name) })
    const reply = await played(host, models.generate(saying('?'), watched()))
    expect(reply).toMatchObject({ usage: used.usage })
    expect(reply.cost).toBe(cost)
  })

  test("the user's prices override the list", async () => {
    const { host, models } = workshop([], {
      model: scriptedModel([used], 'openai:gpt-5'),
      prices: { 'openai:gpt-5': { input: 0, output: 1 } },
    })
    expect((await played(host, models.generate(saying('?'), watched()))).cost).toBe(0.1)
  })

  test('usage that a provider does not report is estimated and priced', async () => {
    const silent: Model = { name: 'openai:gpt-5', generate: () => Promise.resolve({ text: 'x'.repeat(400), finish: 'stop' }) }
    const { host, models } = workshop([], { model: silent })
    const reply = await played(host, models.generate(saying('?'), watched()))
    expect(reply).toMatchObject({ usage: { input: 11, output: 100 }, cost: 0.00101375, estimated: true })
  })
})
