import { expect, test } from 'vitest'
import { faultJson } from '../../src/kernel/index.ts'
import { faultOf, KEY, modelsOf, saying, server, watched } from './workshop.ts'

const PAGE =
  '<!doctype html><html><head><title>502</title><style>p{}</style></head><body><h1>Bad gateway</h1><p>The upstream is down.</p></body></html>'

test.each([
  ['a page', 'text/html', PAGE, 'R4012', 'Bad gateway The upstream is down.'],
  ['a page that claims to be a stream', 'text/event-stream', `\n${PAGE}`, 'R4012', 'Bad gateway The upstream is down.'],
  [
    'an object that describes the error',
    'application/json',
    '{"error":{"message":"the model is loading","type":"server_error"}}',
    'R4010',
    'the model is loading',
  ],
  ['an error as a text', 'application/json', '{"error":"no such model"}', 'R4010', 'no such model'],
  ['an object with a code', 'application/json', '{"error":{"message":"slow down","code":"rate_limit_exceeded"}}', 'R4009', 'slow down'],
])('%s instead of a stream keeps the text of the server', async (_, type, raw, code, words) => {
  const openai = await server()
  openai.reply({ raw, headers: { 'content-type': type } })
  const fault = await faultOf(modelsOf(openai).generate(saying('?', { retries: 0, stream: true }), watched()))
  expect(fault.code).toBe(code)
  expect(fault.message).toContain(words)
})

test('a key in such a page is not shown', async () => {
  const openai = await server()
  openai.reply({ raw: `<html>no ${KEY}</html>`, headers: { 'content-type': 'text/html' } })
  const fault = await faultOf(modelsOf(openai).generate(saying('?', { retries: 0, stream: true }), watched()))
  expect(JSON.stringify(faultJson(fault))).not.toContain('hush')
})
