import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { describe, expect, onTestFinished, test } from 'vitest'
import { systemHost } from '../../src/kernel/index.ts'
import { createModels, type LanguageModel, type Models, recordedModels, recorder, scriptedModel } from '../../src/models/index.ts'
import { virtualHost } from '../../src/testing/index.ts'
import { faultOf, KEY, modelsOf, saying, server, watched } from './workshop.ts'

/** Starts a server for this test. Returns its origin. */
async function listening(listener: RequestListener): Promise<string> {
  const made = createServer(listener)
  await new Promise<void>((resolve) => made.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    made.closeAllConnections()
    await new Promise((resolve) => made.close(resolve))
  })
  return `http://127.0.0.1:${(made.address() as AddressInfo).port}`
}

/** Models of each kind that Reflex creates from a name, on a server with this origin. */
const PROVIDERS: readonly (readonly [string, (origin: string) => Models])[] = [
  [
    'llama3',
    (origin) => createModels({ host: systemHost, environment: { REFLEX_API_KEY: KEY }, baseUrl: `${origin}/v1`, model: 'llama3' }),
  ],
  ['anthropic:m', (origin) => named('anthropic:m', { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: `${origin}/v1` })],
  ['openai:m', (origin) => named('openai:m', { OPENAI_API_KEY: KEY, OPENAI_BASE_URL: `${origin}/v1` })],
]

function named(model: string, environment: Record<string, string>): Models {
  return createModels({ host: systemHost, environment, model })
}

describe.each(PROVIDERS)('%s', (_, modelsAt) => {
  test.each([307, 302])('sends neither key nor prompt to the target of a redirect with %i', async (status) => {
    const came: string[] = []
    const thief = await listening((request, response) => {
      came.push(String(request.url))
      response.end('{}')
    })
    let asked = 0
    const origin = await listening((request, response) => {
      asked++
      request.resume()
      response.writeHead(status, { location: `${thief}/hush?key=hush` }).end()
    })
    for (const stream of [false, true]) {
      const fault = await faultOf(modelsAt(origin).generate(saying('?', { stream }), watched()))
      expect(fault).toMatchObject({ code: 'R4007', verdict: 'fail', data: { status } })
      expect(fault.message).toBe(`the server answered ${status} and redirects to ${new URL(thief).host}; nothing was sent there`)
    }
    expect({ came, asked }).toEqual({ came: [], asked: 2 })
  })
})

describe('a body', () => {
  const bomb = gzipSync(Buffer.alloc(33_000_000, ' '))

  test.each([
    ['an answer', 200, false],
    ['a stream', 200, true],
    ['a failure', 500, false],
  ])('that grows too large as %s is cut, and not requested again', async (_, status, stream) => {
    const openai = await server()
    const headers = { 'content-encoding': 'gzip', ...(stream ? { 'content-type': 'text/event-stream' } : {}) }
    openai.reply({ raw: bomb, status, headers })
    expect(await faultOf(modelsOf(openai).generate(saying('?', { stream }), watched()))).toMatchObject({
      code: 'R4007',
      verdict: 'fail',
      message: 'the body of the answer is larger than 32 MB',
    })
    expect(openai.requests).toHaveLength(1)
  })

  test('without an end is aborted', async () => {
    let closed: () => void = () => undefined
    const ended = new Promise<void>((resolve) => (closed = resolve))
    const piece = Buffer.alloc(1_000_000, ' ')
    const origin = await listening((request, response) => {
      request.resume()
      response.once('close', closed)
      const more = (): void => {
        while (!response.destroyed && response.write(piece));
      }
      response.writeHead(200, { 'content-type': 'application/json' }).on('drain', more)
      more()
    })
    const models = createModels({ host: systemHost, baseUrl: `${origin}/v1`, model: 'm' })
    expect(await faultOf(models.generate(saying('?'), watched()))).toMatchObject({ code: 'R4007', verdict: 'fail' })
    await ended
  })
})

describe('an answer that is too long', () => {
  const long = 'x'.repeat(8_000_001)

  test.each([
    ['text', { text: long + long }],
    ['thoughts', { text: long, reasoning: long }],
    ['calls', { calls: [{ id: 'c1', name: 'f', args: { a: long, b: long } }] }],
  ])('in its %s is refused before it is parsed', async (_, reply) => {
    const models = createModels({ host: virtualHost(), model: scriptedModel([reply]) })
    expect(await faultOf(models.generate(saying('?', { tools: [{ name: 'f', schema: {} }] }), watched()))).toMatchObject({
      code: 'R4007',
      verdict: 'fail',
      message: 'the answer is longer than 16 million characters',
    })
  })

  test('is refused while it arrives', async () => {
    let pieces = 0
    const model: LanguageModel = {
      specificationVersion: 'v4',
      provider: 'acme',
      modelId: 'm',
      doGenerate: async () => ({}),
      doStream: async () => ({
        stream: new ReadableStream({
          pull: (to) => {
            pieces++
            to.enqueue({ type: 'text-delta', id: '1', delta: long })
          },
        }),
      }),
    }
    const asked = createModels({ host: virtualHost(), model }).generate(saying('?', { stream: true }), watched())
    expect(await faultOf(asked)).toMatchObject({ code: 'R4007', verdict: 'fail' })
    expect(pieces).toBeLessThan(6)
  })
})

test('arguments that are nested too deeply to be stored are invalid, and their recording can be read', async () => {
  const openai = await server()
  const args = `{"a":${'['.repeat(400)}${']'.repeat(400)}}`
  openai.reply({ calls: [{ name: 'f', args }] })
  const request = saying('?', { tools: [{ name: 'f', schema: { type: 'object' } }] })
  let file = ''
  const reply = await recorder(modelsOf(openai), (line) => void (file += line)).generate(request, watched())
  expect(reply.calls).toEqual([{ id: 'call_1', name: 'f', args: {}, invalid: args }])
  expect(await recordedModels(file).generate(request, watched())).toEqual(reply)
})

test('an answer that is nested too deeply to be recorded does not fit', async () => {
  const text = `${'['.repeat(300)}${']'.repeat(300)}`
  const models = createModels({ host: virtualHost(), model: scriptedModel([text, text]) })
  const fault = await faultOf(models.generate(saying('?', { output: { schema: {} } }), watched()))
  expect(fault.message).toMatch(/: the value is nested too deeply$/)
})
