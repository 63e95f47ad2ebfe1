import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as readText } from 'node:stream/consumers'
import { type Body, problemOf, type Received } from './openai-protocol.ts'

/** The reply of the server: an answer, a failure, or something that is neither. */
export interface Reply {
  readonly text?: string
  /** JSON as text. */
  readonly object?: unknown
  readonly reasoning?: string
  readonly calls?: readonly { readonly id?: string; readonly name: string; readonly args: unknown }[]
  readonly finish?: 'stop' | 'length' | 'tool_calls' | 'content_filter'
  /** Absent: one token for each word sent and written. Null: the server reports none. */
  readonly usage?: { readonly prompt: number; readonly completion: number; readonly cached?: number; readonly reasoning?: number } | null
  /** An HTTP status of a failure, with its message or body. */
  readonly status?: number
  readonly error?: string
  /** The text to send instead of an answer. */
  readonly raw?: string | Buffer
  readonly headers?: Readonly<Record<string, string>>
  /** The server sends nothing before this has resolved. */
  readonly hold?: Promise<unknown>
  /** While streaming, the server sends nothing after the first piece before this has resolved. */
  readonly holdStream?: Promise<unknown>
  /** The connection breaks: before anything is sent, or in the middle of the body, or it ends there as if it were complete. */
  readonly cut?: 'before' | 'within' | 'end'
  /** The characters of a streamed piece; 3 if absent. */
  readonly piece?: number
}

/** One received request. */
export interface Seen extends Received {
  /** Resolves when the client has aborted the request. */
  readonly brokenOff: Promise<void>
}

export interface OpenAiServer {
  /** The value for `REFLEX_BASE_URL`; it ends in /v1. */
  readonly url: string
  readonly requests: readonly Seen[]
  /** The problems of requests; each was answered with 400 as well. */
  readonly problems: readonly string[]
  /** Adds replies to the queue. */
  reply(...replies: readonly Reply[]): void
  close(): Promise<void>
}

export interface OpenAiServerOptions {
  /** The only accepted key; no key is required if absent. */
  readonly key?: string
  /** Answers instead of the queue. */
  readonly handler?: (seen: Seen) => Reply | Promise<Reply>
  /** Other paths of the server, such as `/v1/messages`, with their JSON answers. */
  readonly routes?: Readonly<Record<string, (body: Body) => unknown>>
}

/** A server on this machine that speaks OpenAI's chat protocol, and refuses requests that OpenAI would refuse. */
export async function startOpenAi(options: OpenAiServerOptions = {}): Promise<OpenAiServer> {
  const requests: Seen[] = []
  const problems: string[] = []
  const queue: Reply[] = []
  const server = createServer((incoming, outgoing) => {
    // The client of an aborted request gets no answer.
    void serve(incoming, outgoing).catch(() => outgoing.destroy())
  })

  async function serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const brokenOff = new Promise<void>((resolve) => outgoing.once('close', () => outgoing.writableFinished || resolve()))
    const body = parsed(await readText(incoming))
    const { method = '', url: path = '', headers } = incoming
    const seen: Seen = { method, path, headers, body, brokenOff }
    requests.push(seen)
    const route = options.routes?.[path]
    if (route !== undefined) return sendJson(outgoing, 200, route(body))
    if (options.key !== undefined && headers.authorization !== `Bearer ${options.key}`)
      return sendError(outgoing, 401, `Incorrect API key provided: ${headers.authorization?.slice(7) ?? 'none'}.`, 'invalid_api_key')
    const problem = problemOf(seen)
    if (problem !== undefined) {
      problems.push(problem)
      return sendError(outgoing, 400, problem, 'invalid_request_error')
    }
    const reply = options.handler === undefined ? queue.shift() : await options.handler(seen)
    if (reply === undefined) {
      problems.push('no reply is left in the queue')
      return sendError(outgoing, 400, 'no reply is left in the queue', 'invalid_request_error')
    }
    await send(outgoing, body, reply)
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    problems,
    reply: (...replies) => void queue.push(...replies),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function parsed(text: string): Body {
  try {
    return JSON.parse(text) as Body
  } catch {
    return {}
  }
}

function sendJson(outgoing: ServerResponse, status: number, value: unknown, headers: Reply['headers'] = {}): void {
  outgoing.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value))
}

function sendError(outgoing: ServerResponse, status: number, message: string, code: string, headers: Reply['headers'] = {}): void {
  sendJson(outgoing, status, { error: { message, type: code, param: null, code } }, headers)
}

async function send(outgoing: ServerResponse, body: Body, reply: Reply): Promise<void> {
  await reply.hold
  if (reply.cut === 'before') return void outgoing.destroy()
  if (reply.raw !== undefined)
    return void outgoing.writeHead(reply.status ?? 200, { 'content-type': 'application/json', ...reply.headers }).end(reply.raw)
  if (reply.status !== undefined) return sendError(outgoing, reply.status, reply.error ?? 'no', 'server_error', reply.headers)
  if (body.stream === true) return stream(outgoing, body, reply)
  const whole = JSON.stringify(completion(body, reply))
  if (reply.cut === undefined) return void outgoing.writeHead(200, { 'content-type': 'application/json', ...reply.headers }).end(whole)
  outgoing.writeHead(200, { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(whole)) })
  outgoing.write(whole.slice(0, whole.length / 2), () => outgoing.destroy())
}

function toolCalls({ calls = [] }: Reply): { id: string; type: 'function'; function: { name: string; arguments: string } }[] {
  return calls.map(({ id, name, args }, i) => ({
    id: id ?? `call_${i + 1}`,
    type: 'function',
    function: { name, arguments: typeof args === 'string' ? args : JSON.stringify(args) },
  }))
}

function textOf({ text, object }: Reply): string {
  return text ?? (object === undefined ? '' : JSON.stringify(object))
}

function finishOf(reply: Reply): string {
  return reply.finish ?? (reply.calls === undefined ? 'stop' : 'tool_calls')
}

function usageOf(body: Body, reply: Reply): object | undefined {
  if (reply.usage === null) return undefined
  const words = (text: string): number => text.split(/\s+/).filter((word) => word !== '').length
  const {
    prompt,
    completion: written,
    cached = 0,
    reasoning = 0,
  } = reply.usage ?? {
    prompt: words(JSON.stringify(body.messages)),
    completion: words(textOf(reply)),
  }
  return {
    prompt_tokens: prompt,
    completion_tokens: written,
    total_tokens: prompt + written,
    prompt_tokens_details: { cached_tokens: cached },
    completion_tokens_details: { reasoning_tokens: reasoning },
  }
}

function completion(body: Body, reply: Reply): object {
  const calls = toolCalls(reply)
  const message = {
    role: 'assistant',
    content: textOf(reply) || null,
    ...(reply.reasoning === undefined ? {} : { reasoning_content: reply.reasoning }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  }
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1_767_600_000,
    model: body.model,
    choices: [{ index: 0, message, finish_reason: finishOf(reply) }],
    usage: usageOf(body, reply),
  }
}

async function stream(outgoing: ServerResponse, body: Body, reply: Reply): Promise<void> {
  const [first, ...rest] = chunks(body, reply)
  outgoing.writeHead(200, { 'content-type': 'text/event-stream', ...reply.headers })
  const put = (chunk: unknown): boolean => outgoing.write(`data: ${JSON.stringify(chunk)}\n\n`)
  put(first)
  await reply.holdStream
  const kept = reply.cut === undefined ? rest : rest.slice(0, Math.floor(rest.length / 2))
  for (const chunk of kept) put(chunk)
  if (reply.cut === 'within') return void outgoing.write(': ', () => outgoing.destroy())
  outgoing.end(reply.cut === undefined ? 'data: [DONE]\n\n' : '')
}

function chunks(body: Body, reply: Reply): readonly object[] {
  const piece = reply.piece ?? 3
  const cut = (text: string): string[] => text.match(new RegExp(`[\\s\\S]{1,${piece}}`, 'g')) ?? []
  const deltas: object[] = [
    ...cut(reply.reasoning ?? '').map((part) => ({ reasoning_content: part })),
    ...cut(textOf(reply)).map((part) => ({ content: part })),
    ...toolCalls(reply).flatMap(({ id, type, function: { name, arguments: args } }, index) => [
      { tool_calls: [{ index, id, type, function: { name, arguments: '' } }] },
      ...cut(args).map((part) => ({ tool_calls: [{ index, function: { arguments: part } }] })),
    ]),
  ]
  const wrap = (delta: object, finish: string | null): object => ({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1_767_600_000,
    model: body.model,
    choices: [{ index: 0, delta, finish_reason: finish }],
  })
  const usage = body.stream_options?.include_usage === true ? usageOf(body, reply) : undefined
  return [
    wrap({ role: 'assistant', content: '' }, null),
    ...deltas.map((delta) => wrap(delta, null)),
    wrap({}, finishOf(reply)),
    ...(usage === undefined ? [] : [{ ...wrap({}, null), choices: [], usage }]),
  ]
}
