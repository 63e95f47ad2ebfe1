import { expect, test } from 'vitest'
import { type Json, type Kind, Runtime } from '../../src/kernel/index.ts'
import { createModels, modelPort, scriptedModel } from '../../src/models/index.ts'
import { virtualHost } from '../../src/testing/index.ts'

/** Asks the model once. Returns the result and the progress before it. */
const asks: Kind<Json> = {
  name: 'asks',
  rev: 1,
  compile: (source) => source,
  step(x, input) {
    if (input === undefined) return void x.request('model', x.def)
    if (input[0] === 'part') return x.set('parts', [...((x.get('parts') ?? []) as Json[]), input[2]])
    x.done([input[0], input[2] ?? null, x.get('parts') ?? []])
  },
}

async function ask(source: Json) {
  const host = virtualHost()
  const models = createModels({ host, model: scriptedModel(['hello'], 'openai:gpt-5-mini') })
  const runtime = new Runtime({ kinds: [asks], host, ports: { model: modelPort(() => models) } })
  const run = await runtime.start(runtime.programs.add('asks', 'main', source))
  await run.idle()
  return run.state.ended?.value
}

test('the port answers a request with a reply, its progress before it, all of it JSON', async () => {
  expect(await ask({ messages: [{ role: 'user', content: '?' }], stream: true })).toEqual([
    'ok',
    { model: 'openai:gpt-5-mini', text: 'hello', finish: 'stop', usage: { input: 0, output: 0 }, cost: 0, tries: 1 },
    [{ text: 'hello' }],
  ])
})

test.each([
  [{}, 'messages'],
  [{ messages: [] }, 'messages'],
  [{ messages: [{ role: 'robot', content: '' }] }, 'messages.0.role'],
  [{ messages: [{ role: 'user', content: 'x' }], temprature: 1 }, 'temprature'],
  [{ messages: [{ role: 'user', content: 'x' }], timeout: -1 }, 'timeout'],
  ['hello', 'object'],
])('the port refuses %j', async (source, named) => {
  const ended = JSON.stringify(await ask(source))
  expect(ended).toContain('"R4017"')
  expect(ended).toContain(named)
})
