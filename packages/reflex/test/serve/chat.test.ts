import { DefaultChatTransport, readUIMessageStream, type UIMessage, type UIMessageChunk } from 'ai'
import { describe, expect, test } from 'vitest'
import { type Model, scriptedModel } from '../../src/models/index.ts'
import { newFolder } from '../app/folders.ts'
import { served, type Served } from './served.ts'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** A conversation: a model answers, and a person is asked for the next message. */
const TALK = `digraph talk { stream=true
  start [shape=Mdiamond]; exit [shape=Msquare]
  reply [prompt="Reply to $message"]
  listen [type="wait.signal", signal_topic="say"]
  again [prompt="Say more"]
  start -> reply -> listen -> again -> exit }`

async function talking(model: Model): Promise<Served> {
  const folder = newFolder()
  writeFileSync(join(folder, 'talk.dot'), TALK)
  return served({}, { workdir: folder, models: { test: model }, model: 'test' })
}

function transportTo({ url, token }: Served): DefaultChatTransport<UIMessage> {
  return new DefaultChatTransport({
    api: `${url}/v1/chat`,
    headers: { authorization: `Bearer ${token}` },
    body: { program: 'pipeline:talk' },
  })
}

function user(id: string, text: string): UIMessage {
  return { id, role: 'user', parts: [{ type: 'text', text }] }
}

/** Sends messages as `useChat` does. Returns the message that arrives, and its chunks. */
async function say(
  transport: DefaultChatTransport<UIMessage>,
  chatId: string,
  ...messages: UIMessage[]
): Promise<{ readonly message: UIMessage | undefined; readonly chunks: readonly UIMessageChunk[] }> {
  const stream = await transport.sendMessages({ chatId, messages, trigger: 'submit-message', messageId: undefined, abortSignal: undefined })
  return read(stream)
}

async function read(
  stream: ReadableStream<UIMessageChunk>,
): Promise<{ readonly message: UIMessage | undefined; readonly chunks: readonly UIMessageChunk[] }> {
  const [one, other] = stream.tee()
  const chunks: UIMessageChunk[] = []
  const reading = (async () => {
    for await (const chunk of other) chunks.push(chunk)
  })()
  let message: UIMessage | undefined
  for await (const state of readUIMessageStream({ stream: one, terminateOnError: true })) message = state
  await reading
  return { message, chunks }
}

function textOf(message: UIMessage | undefined): string {
  return message?.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('|') ?? ''
}

describe('a chat of the AI SDK', () => {
  test('the first message starts a run, the next one continues it, and each answer is streamed', async () => {
    const server = await talking(scriptedModel([{ reasoning: 'hm', text: 'Good day' }, 'More of it'], 'test'))
    const transport = transportTo(server)
    const first = await say(transport, 'chat-1', user('m1', 'Hello'))
    expect(textOf(first.message)).toBe('Good day')
    expect(first.message?.id).toBe('chat-1@1')
    expect(first.message?.parts.map(({ type }) => type)).toEqual(['reasoning', 'text'])
    expect(first.chunks.map(({ type }) => type)).toEqual([
      'start',
      'reasoning-start',
      'reasoning-delta',
      'text-start',
      'text-delta',
      'reasoning-end',
      'text-end',
      'finish',
    ])
    const second = await say(transport, 'chat-1', user('m1', 'Hello'), user('m2', 'Go on'))
    expect(textOf(second.message)).toBe('More of it')
    expect(await server.send('GET', '/v1/runs/chat-1')).toMatchObject({ json: { run: { status: 'completed' } } })
    const { effects } = (await server.send('GET', '/v1/runs/chat-1/effects')).json
    expect(JSON.stringify(effects)).toContain('Reply to Hello')
  })

  test('a message that is sent again is the same message, also when its answer is complete', async () => {
    const server = await talking(scriptedModel(['One', 'Two'], 'test'))
    const transport = transportTo(server)
    const same = await Promise.all([say(transport, 'chat-1', user('m1', 'Hello')), say(transport, 'chat-1', user('m1', 'Hello'))])
    for (const { message } of same) expect(textOf(message)).toBe('One')
    expect(await server.reflex.runs()).toHaveLength(1)
    expect(textOf((await say(transport, 'chat-1', user('m2', 'Go on'))).message)).toBe('Two')
    expect(textOf((await say(transport, 'chat-1', user('m2', 'Go on'))).message)).toBe('Two')
    await expect(say(transport, 'chat-1', user('m3', 'And now?'))).rejects.toThrow(/R6031/)
  })

  test('an answer under way is resumed from its beginning; otherwise there is nothing to resume', async () => {
    const release = Promise.withResolvers<void>()
    const model: Model = {
      name: 'test',
      async generate(_, call) {
        call.part({ text: 'Good ' })
        await release.promise
        call.part({ text: 'day' })
        return { text: 'Good day', finish: 'stop', usage: { input: 0, output: 0 } }
      },
    }
    const server = await talking(model)
    const transport = transportTo(server)
    expect(await transport.reconnectToStream({ chatId: 'chat-1' })).toBeNull()
    const sent = say(transport, 'chat-1', user('m1', 'Hello'))
    await expect.poll(async () => (await server.send('GET', '/v1/runs/chat-1')).status).toBe(200)
    await expect.poll(async () => JSON.stringify((await server.send('GET', '/v1/runs/chat-1/effects')).json)).toContain('"parts":1')
    const resumed = await transport.reconnectToStream({ chatId: 'chat-1' })
    release.resolve()
    const [one, other] = [await sent, await read(resumed ?? new ReadableStream())]
    expect(textOf(one.message)).toBe('Good day')
    expect(other).toEqual(one)
    expect(await transport.reconnectToStream({ chatId: 'chat-1' })).toBeNull()
  })

  test('the chat of a run shows its tools, questions, repeated tries and failure', async () => {
    const folder = newFolder()
    const server = await served({}, { workdir: folder, models: { test: scriptedModel(['fine'], 'test') }, model: 'test' })
    const text =
      'digraph ask { start [shape=Mdiamond]; gate [shape=hexagon, label="Release?"]; say [prompt="Say"]; exit [shape=Msquare]; start -> gate; gate -> say [label="yes"]; say -> exit }'
    await server.send('POST', '/v1/runs', { program: { text, name: 'ask.dot' }, id: 'otter', wait: true })
    const chat = async (after: number): Promise<Response> =>
      fetch(`${server.url}/v1/runs/otter/chat?after=${after}`, { headers: { authorization: `Bearer ${server.token}` } })
    const before = await chat(0)
    expect(before.headers.get('x-vercel-ai-ui-message-stream')).toBe('v1')
    expect(await before.text()).toContain('"type":"data-question"')
    const { last } = await server.reflex.find('otter')
    expect((await chat(last)).status).toBe(204)
    await server.send('POST', '/v1/runs/otter/questions/q1/answer', { value: 'yes' })
    const rest = await (await chat(last)).text()
    for (const part of ['data-answered', '"delta":"fine"', '"type":"finish"', 'data: [DONE]']) expect(rest).toContain(part)
  })

  test('the calls of tools and a failure are parts of the message', async () => {
    const folder = newFolder()
    writeFileSync(
      join(folder, 'talk.dot'),
      'digraph talk { start [shape=Mdiamond]; look [prompt="$message", use_tools=true, tools="file_list"]; exit [shape=Msquare]; start -> look -> exit }',
    )
    const calls = [{ id: 'c1', name: 'file_list', args: { path: '.' } }]
    const model = scriptedModel([{ calls }, new Error('out of order'), new Error('out of order'), new Error('out of order')], 'test')
    const server = await served({}, { workdir: folder, models: { test: model }, model: 'test', trust: 'trusted' })
    const stream = await transportTo(server).sendMessages({
      chatId: 'chat-1',
      messages: [user('m1', 'Look')],
      trigger: 'submit-message',
      messageId: undefined,
      abortSignal: undefined,
    })
    const chunks: UIMessageChunk[] = []
    for await (const chunk of stream) chunks.push(chunk)
    const call = chunks.find((chunk) => chunk.type === 'tool-input-available')
    expect(call).toMatchObject({ toolName: 'file.list', input: { path: '.' }, dynamic: true })
    expect(chunks.find(({ type }) => type === 'tool-output-available')).toMatchObject({
      toolCallId: call?.type === 'tool-input-available' ? call.toolCallId : '',
      output: expect.anything() as unknown,
    })
    expect(chunks.slice(-2)).toMatchObject([{ type: 'error', errorText: expect.stringMatching(/./) as unknown }, { type: 'finish' }])
  })

  test('what cannot be a message is refused', async () => {
    const server = await talking(scriptedModel(['One'], 'test'))
    const messages = [user('m1', 'Hello')]
    const send = async (body: object): Promise<unknown> => (await server.send('POST', '/v1/chat', { id: 'chat-1', messages, ...body })).json
    expect(await send({})).toMatchObject({ error: { code: 'R6032', message: expect.stringContaining('no program') as unknown } })
    expect(await send({ program: 'pipeline:nothing', id: 'chat-2' })).toMatchObject({
      error: { code: expect.stringMatching(/^R1/) as unknown },
    })
    expect(await send({ id: '../x', program: 'pipeline:talk' })).toMatchObject({ error: { code: 'R6032' } })
    expect(await send({ trigger: 'regenerate-message' })).toMatchObject({ error: { code: 'R6032' } })
    expect(await send({ messages: [{ id: 'm1', role: 'assistant', parts: [] }] })).toMatchObject({ error: { code: 'R6032' } })
    expect(await send({ messages: [] })).toMatchObject({ error: { code: 'R6006' } })
    expect(await server.reflex.runs()).toEqual([])
  })
})
