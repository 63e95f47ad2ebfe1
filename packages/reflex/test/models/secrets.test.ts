import { describe, expect, test } from 'vitest'
import { describeFault, faultJson, systemHost } from '../../src/kernel/index.ts'
import { createModels } from '../../src/models/index.ts'
import { faultOf, KEY, modelsOf, saying, server, watched } from './workshop.ts'

/** Returns everything that a person or a record could see of a failure. */
async function shown(promise: Promise<unknown>): Promise<string> {
  const fault = await faultOf(promise)
  return `${JSON.stringify(faultJson(fault))} ${describeFault(fault)}`
}

describe('a key', () => {
  test.each([
    ['quoted by who refuses it', { status: 401, error: `Incorrect API key provided: ${KEY}.` }],
    ['echoed in a header line', { status: 400, error: `bad request: {"authorization":"Bearer ${KEY}"}` }],
    ['in a page', { raw: `<html>${KEY}</html>`, status: 500 }],
    ['in a body that is not an answer', { raw: `{"key":"${KEY}"}` }],
    ['in a stream', { raw: `data: {"error":{"message":"no ${KEY}"}}\n\n`, headers: { 'content-type': 'text/event-stream' } }],
  ])('is in no fault if it is %s', async (_, reply) => {
    const openai = await server()
    openai.reply(reply)
    const text = await shown(modelsOf(openai).generate(saying('?', { retries: 0, stream: 'headers' in reply }), watched()))
    expect(text).not.toContain('hush')
    expect(text).toContain('llama3')
  })

  test('of any form is recognized by its variable, even if it is set late', async () => {
    const openai = await server()
    openai.reply({ status: 401, error: 'plain.hush.0001 is no key' })
    const environment: Record<string, string> = {}
    const models = modelsOf(openai, { environment })
    environment['REFLEX_API_KEY'] = 'plain.hush.0001'
    expect(await shown(models.generate(saying('?'), watched()))).toMatch(/‹secret [0-9a-f]{4}› is no key/)
  })

  test('that Reflex never got is recognized by its form', async () => {
    const openai = await server()
    openai.reply({
      status: 500,
      error: 'upstream said: Authorization: Bearer abcdef0123456789 and sk-ant-api03-abcdefgh, AIzaSyA0123456789012345678901234567890',
    })
    const text = await shown(modelsOf(openai, { environment: {} }).generate(saying('?', { retries: 0 }), watched()))
    expect(text).not.toMatch(/abcdef|AIza/)
    expect(text).toMatch(/‹secret [0-9a-f]{4}›/)
  })

  test('in an address is not shown', async () => {
    const models = createModels({ host: systemHost, baseUrl: 'http://127.0.0.1:9/v1?api_key=hushhush', model: 'x' })
    expect(await shown(models.generate(saying('?', { retries: 0 }), watched()))).not.toContain('hush')
  })

  test.each([
    [
      'the query',
      (url: string) => `${url}?api-version=2024-02-01&sig=hush%2F99`,
      '/v1/chat/completions?api-version=2024-02-01&sig=hush%2F99',
    ],
    ['the path', (url: string) => url.replace('/v1', '/HushValue0099/v1'), '/HushValue0099/v1/chat/completions'],
  ])('in %s of the base URL is sent, and in no fault', async (_, of, path) => {
    const openai = await server({
      handler: (seen) => ({ status: 400, error: `nothing at ${seen.path}, ${decodeURIComponent(seen.path)}` }),
    })
    const url = of(openai.url)
    for (const options of [
      { baseUrl: url, environment: {} },
      { baseUrl: undefined, environment: { REFLEX_BASE_URL: url } },
    ]) {
      const models = modelsOf(openai, options)
      expect((await shown(models.generate(saying('?', { retries: 0 }), watched()))).toLowerCase()).not.toContain('hush')
    }
    expect(openai.requests.map((request) => request.path)).toEqual([path, path])
    await openai.close()
    const unreachable = modelsOf(openai, { baseUrl: url }).generate(saying('?', { retries: 0 }), watched())
    expect((await shown(unreachable)).toLowerCase()).not.toContain('hush')
  })

  test('is sent only to its own provider', async () => {
    const openai = await server()
    openai.reply({ text: 'hello' })
    await modelsOf(openai, { environment: { OPENAI_API_KEY: KEY, ANTHROPIC_API_KEY: KEY } }).generate(saying('?'), watched())
    expect(JSON.stringify(openai.requests[0])).not.toContain('hush')
  })
})
