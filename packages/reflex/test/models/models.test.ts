import { getEventListeners } from 'node:events'
import { describe, expect, test } from 'vitest'
import { createModels, faults, type ModelsOptions, scriptedModel, shortName, simulatedModel } from '../../src/models/index.ts'
import { virtualHost } from '../../src/testing/index.ts'
import { suggest } from '../../src/text/index.ts'
import { busy, faultOf, KEY, played, saying, watched, workshop } from './workshop.ts'

const refused = faults.make('R4007', 'no such model')
const never = new Promise<never>(() => undefined)

describe('tries', () => {
  test('a failure that can be retried is retried after a doubling wait, the same for the same call', async () => {
    const waits: number[] = []
    for (const key of ['otter:1', 'otter:1', 'otter:2']) {
      const { host, models, elapsed } = workshop([busy(), busy(), 'yes'])
      const reply = await played(host, models.generate(saying('?'), watched(key)))
      expect(reply).toMatchObject({
        text: 'yes',
        model: 'first',
        tries: 3,
        failures: [{ model: 'first', code: 'R4009', message: 'slow down' }, { code: 'R4009' }],
      })
      waits.push(elapsed())
    }
    const [one = 0, two, other = 0] = waits
    expect(one).toBe(two)
    expect(one).not.toBe(other)
    for (const wait of [one, other]) expect(Math.abs(wait - 1500)).toBeLessThanOrEqual(375)
  })

  test('the wait that the provider asks for is respected', async () => {
    const { host, models, elapsed } = workshop([busy({ retryAfter: 7000 }), busy({ retryAt: Date.UTC(2026, 0, 5, 9) + 20_000 }), 'yes'])
    await played(host, models.generate(saying('?'), watched()))
    expect(elapsed()).toBe(20_000)
  })

  test('a wait past the deadline is not started', async () => {
    const { host, models, elapsed } = workshop([busy({ retryAfter: 130_000 }), 'yes'])
    expect(await faultOf(played(host, models.generate(saying('?'), watched())))).toMatchObject({ code: 'R4009' })
    expect(elapsed()).toBe(0)
  })

  test('a failure that cannot be retried is not retried', async () => {
    const { host, models } = workshop([refused, 'yes'])
    expect(await faultOf(played(host, models.generate(saying('?'), watched())))).toEqual(refused)
  })

  test('there are as many retries as the request allows', async () => {
    const { host, models } = workshop([busy(), busy(), 'yes'])
    const fault = await faultOf(played(host, models.generate(saying('?', { retries: 1 }), watched())))
    expect(fault).toMatchObject({
      code: 'R4009',
      verdict: 'retry',
      data: { failures: [{ model: 'first', code: 'R4009', message: 'slow down' }] },
      fix: 'it was tried 2 times; `reflex resume RUN` tries again',
    })
  })

  test('an error that is not a fault becomes one, and is not retried', async () => {
    const { host, models } = workshop([new TypeError('x is not a function'), 'yes'])
    expect(await faultOf(played(host, models.generate(saying('?'), watched())))).toMatchObject({
      code: 'R4007',
      cause: 'x is not a function',
    })
  })
})

describe('time', () => {
  test('one deadline applies to all tries and models, and pending requests are aborted', async () => {
    const signals: AbortSignal[] = []
    const hang = (_: unknown, { signal }: { readonly signal: AbortSignal }): Promise<never> => {
      signals.push(signal)
      return never
    }
    const { host, models, elapsed } = workshop([], { model: scriptedModel(hang, 'hung'), models: { spare: scriptedModel(hang) } })
    const fault = await faultOf(played(host, models.generate(saying('?', { fallback: ['spare'] }), watched()), 200_000))
    expect(fault).toMatchObject({ code: 'R4013', verdict: 'retry', message: 'hung has not answered within 120 s' })
    expect(elapsed()).toBe(120_000)
    expect(fault.fix).toMatch(/^give the node a longer `timeout`.*`reflex resume RUN` tries again$/)
    expect(signals.map(({ aborted }) => aborted)).toEqual([true])
    expect(host.nextDue).toBeUndefined()
  })

  test('after the time limit of a try, the next model is asked', async () => {
    const { host, models, elapsed } = workshop([], {
      model: scriptedModel(() => never, 'hung'),
      models: { spare: scriptedModel(['yes'], 'spare') },
    })
    const reply = await played(host, models.generate(saying('?', { tryTimeout: 10_000, fallback: ['spare'] }), watched()))
    expect(reply).toMatchObject({ text: 'yes', tries: 2, failures: [{ model: 'hung', code: 'R4013' }] })
    expect(elapsed()).toBe(10_000)
  })

  test('a try that takes too long is followed by another one, if any is left', async () => {
    let asked = 0
    const slow = scriptedModel(() => (++asked === 1 ? never : 'yes'), 'slow')
    const { host, models } = workshop([], { model: slow })
    const reply = await played(host, models.generate(saying('?', { tryTimeout: 10_000 }), watched()))
    expect(reply).toMatchObject({ text: 'yes', tries: 2, failures: [{ code: 'R4013', message: 'slow has not answered within 10 s' }] })
    expect(host.nextDue).toBeUndefined()
  })

  test('a call that is aborted while it waits does nothing more', async () => {
    const { host, models } = workshop([busy({ retryAfter: 60_000 }), 'yes'])
    const call = watched()
    const asked = models.generate(saying('?', { stream: true }), call)
    await host.drain()
    call.abort(new Error('dropped'))
    await expect(asked).rejects.toThrow('dropped')
    await host.advance(60_000)
    expect(host.nextDue).toBeUndefined()
    expect(call.parts).toEqual([{ restart: { try: 2, model: 'first', because: 'R4009' } }])
  })
})

test('a call leaves nothing on its signal or its host', async () => {
  const { host, models } = workshop([busy(), 'yes'])
  const call = watched()
  await played(host, models.generate(saying('?', { stream: true, tryTimeout: 5 }), call))
  expect(getEventListeners(call.signal, 'abort')).toEqual([])
  expect(host.nextDue).toBeUndefined()
})

describe('fallback', () => {
  test('the next model is asked when one fails finally or has no retries left', async () => {
    const models = { second: scriptedModel([busy(), busy()]), third: scriptedModel(['third says']) }
    const { host, models: all } = workshop([refused], { models, fallback: ['second', 'third'] })
    const reply = await played(host, all.generate(saying('?', { retries: 1 }), watched()))
    expect(reply).toMatchObject({ model: 'third', text: 'third says', tries: 4 })
    expect(reply.failures?.map(({ model, code }) => `${model} ${code}`)).toEqual(['first R4007', 'second R4009', 'second R4009'])
  })

  test('the last failure is the fault, the others its data', async () => {
    const { host, models } = workshop([refused], { models: { second: scriptedModel([faults.make('R4006', 'wrong key')]) } })
    expect(await faultOf(played(host, models.generate(saying('?', { fallback: ['second'] }), watched())))).toMatchObject({
      code: 'R4006',
      message: 'wrong key',
      data: { failures: [{ model: 'first', code: 'R4007', message: 'no such model' }] },
    })
  })

  test('a provider that is not installed is a failure like any other', async () => {
    const { host, models } = workshop([], {
      model: 'mistral:small',
      environment: { MISTRAL_API_KEY: KEY },
      models: { spare: simulatedModel() },
    })
    const reply = await played(host, models.generate(saying('?', { fallback: ['spare'] }), watched()))
    expect(reply).toMatchObject({ model: 'spare', failures: [{ model: 'mistral:small', code: 'R4003' }] })
  })
})

describe('progress', () => {
  test('of a try that has ended is dropped', async () => {
    let late = (): void => undefined
    const host = virtualHost()
    const models = createModels({
      host,
      model: {
        name: 'two',
        async generate(_, call) {
          late()
          call.part({ text: 'whole' })
          late = () => call.part({ text: 'late' })
          if (host.now() === Date.UTC(2026, 0, 5, 9)) throw busy()
          return { text: 'whole', finish: 'stop' }
        },
      },
    })
    const call = watched()
    await played(host, models.generate(saying('?', { stream: true }), call))
    expect(call.parts).toEqual([{ text: 'whole' }, { restart: { try: 2, model: 'two', because: 'R4009' } }, { text: 'whole' }])
  })
})

describe('names', () => {
  const host = virtualHost()

  test.each([
    [{}, undefined],
    [{ environment: { REFLEX_MODEL: 'openai:gpt-5' } }, 'openai:gpt-5'],
    [{ environment: { REFLEX_MODEL: 'openai:gpt-5' }, model: 'mine' }, 'mine'],
    [{ environment: { REFLEX_MODEL: '' } }, undefined],
  ] satisfies [Partial<ModelsOptions>, string | undefined][])('%j names %s', (options, name) => {
    const models = createModels({ host, ...options })
    expect([models.name(), models.configured]).toEqual([name, name !== undefined])
  })

  test('without a model, the fault of a request says how to configure one', async () => {
    const fault = await faultOf(createModels({ host }).generate(saying('?', { label: 'refund/decide' }), watched()))
    expect(fault).toMatchObject({ code: 'R4001', verdict: 'wait', message: 'no model is configured: refund/decide asks one' })
    for (const way of ['--model', 'REFLEX_MODEL', 'REFLEX_BASE_URL', '`model`']) expect(fault.fix).toContain(way)
  })

  test.each([
    ['gpt-5', {}, 'R4002', /^write openai:gpt-5$/],
    ['llama3', {}, 'R4002', /^write the provider before it.*set REFLEX_BASE_URL$/],
    ['', {}, 'R4002', /^write provider:name, such as/],
    ['', { REFLEX_BASE_URL: 'http://127.0.0.1:9/v1' }, 'R4002', /^write the name of a model of the server/],
    [' openai:gpt-5', {}, 'R4002', /^write "openai:gpt-5"$/],
    ['local:llama3', {}, 'R4002', /REFLEX_BASE_URL/],
    ['../evil:x', {}, 'R4002', undefined],
    ['openai:', {}, 'R4002', /^write openai:NAME/],
    ['opnai:gpt-5', {}, 'R4002', /^write openai:gpt-5$/],
    ['OpenAI:gpt-5', {}, 'R4002', /^write openai:gpt-5$/],
    ['simulatd', {}, 'R4002', /^write simulated$/],
    ['llama3', { REFLEX_BASE_URL: 'localhost:1234' }, 'R4002', /http/],
    ['openai:gpt-5', {}, 'R4004', /OPENAI_API_KEY/],
    ['anthropic:claude', { REFLEX_BASE_URL: 'http://127.0.0.1:9/v1' }, 'R4004', /ANTHROPIC_API_KEY/],
    ['mistral:small', { MISTRAL_API_KEY: KEY }, 'R4003', /^npm install @ai-sdk\/mistral$/],
    [
      'no-such-provider:x',
      {},
      'R4002',
      /set REFLEX_BASE_URL; .*; if @ai-sdk\/no-such-provider is a package that you trust, install it yourself$/,
    ],
  ])('%s with %j is %s', async (model, environment, code, fix) => {
    const models = createModels({ host, environment, model, guess: suggest, models: { simulated: simulatedModel() } })
    const fault = await faultOf(models.generate(saying('?'), watched()))
    expect(fault.code).toBe(code)
    if (fix !== undefined) expect(fault.fix).toMatch(fix)
    // Problems that the name alone shows are reported before any request.
    expect(models.check(model)?.toJSON()).toEqual(code === 'R4002' ? JSON.parse(JSON.stringify(fault)) : undefined)
  })

  test('of unknown providers are refused with a list of the known ones', async () => {
    const { message, fix } = await faultOf(createModels({ host, model: 'foo:bar' }).generate(saying('?'), watched()))
    expect(message).toContain('Reflex knows no provider "foo"; it knows openai, anthropic, google, mistral, groq, xai, deepseek, cohere')
    expect(`${message} ${fix}`).not.toContain('npm install')
  })

  test('of the application are valid in any form', () => {
    const models = createModels({ host, models: { 'foo:bar': simulatedModel() }, model: simulatedModel() })
    expect([models.check('foo:bar'), models.check('simulated'), models.check()]).toEqual([undefined, undefined, undefined])
    expect(models.check('foo:baz')?.code).toBe('R4002')
  })

  test.each([
    ['openai:gpt-5-mini', 'gpt-5-mini'],
    ['local:llama3:8b', 'llama3:8b'],
    ['qwen2.5:7b', 'qwen2.5:7b'],
    ['foo:bar', 'foo:bar'],
    ['openai:', 'openai:'],
    ['constructor:x', 'constructor:x'],
    ['llama3', 'llama3'],
  ])('%s is called %s', (name, short) => {
    expect(shortName(name)).toBe(short)
  })

  test('a missing package may be installed at the next call', async () => {
    const environment: Record<string, string> = { OPENAI_BASE_URL: 'http://127.0.0.1:1' }
    const models = createModels({ host, environment, model: 'openai:gpt-5' })
    const ask = () => faultOf(models.generate(saying('?', { retries: 0 }), watched()))
    expect((await ask()).code).toBe('R4004')
    environment['OPENAI_API_KEY'] = KEY
    expect((await ask()).code).toBe('R4011')
  })
})

describe('the address of the server', () => {
  const host = virtualHost()

  test.each([
    ['with a password', 'http://ana:hushhush@127.0.0.1:9/v1', /contains a user or a password/, /^remove everything before the @ from/],
    ['with a user', 'https://hushhush@127.0.0.1:9/v1', /contains a user or a password/, /set REFLEX_API_KEY to the key/],
    ['without a scheme', 'hushhush:1234/v1', /is not the address/, /^write http:/],
    ['of another scheme', 'ftp://hushhush/', /is not the address/, /^write/],
    ['that is nothing', 'hush hush', /is not the address/, /^write an address such as http:/],
  ])('%s is refused before any request, and not shown', async (_, url, message, fix) => {
    for (const [from, options] of [
      ['REFLEX_BASE_URL', { environment: { REFLEX_BASE_URL: url } }],
      ['the base URL', { baseUrl: url }],
      ['OPENAI_BASE_URL', { environment: { OPENAI_BASE_URL: url, OPENAI_API_KEY: KEY } }],
    ] as const) {
      const name = from === 'OPENAI_BASE_URL' ? 'openai:gpt-5' : 'llama3'
      const models = createModels({ host, model: name, ...options })
      const fault = await faultOf(models.generate(saying('?'), watched()))
      expect(fault).toMatchObject({ code: 'R4002', fix: expect.stringMatching(fix) as string })
      expect(fault.message).toMatch(message)
      expect(fault.message.startsWith(from)).toBe(true)
      expect(JSON.stringify(fault)).not.toContain('hush')
      expect([models.check(name)?.message, models.check()?.message]).toEqual([fault.message, fault.message])
    }
  })

  test('of a provider has no query, which would contain the path of a request', async () => {
    const environment = { OPENAI_BASE_URL: 'http://127.0.0.1:9/v1?key=hushhush', OPENAI_API_KEY: KEY }
    const fault = await faultOf(createModels({ host, model: 'openai:gpt-5', environment }).generate(saying('?'), watched()))
    expect(fault).toMatchObject({
      code: 'R4002',
      message: 'OPENAI_BASE_URL contains a query; only REFLEX_BASE_URL can have one',
    })
    expect(JSON.stringify(fault)).not.toContain('hush')
  })

  test('is checked without a name too, and does not affect a provider', () => {
    const models = createModels({ host, environment: { REFLEX_BASE_URL: 'nowhere' } })
    expect(models.check()?.code).toBe('R4002')
    expect(models.check('openai:gpt-5')).toBeUndefined()
  })
})
