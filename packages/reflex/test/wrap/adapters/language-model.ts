import {
  APICallError,
  type LanguageModelV4,
  type LanguageModelV4CallOptions,
  type LanguageModelV4Content,
  type LanguageModelV4FinishReason,
  type LanguageModelV4GenerateResult,
  type LanguageModelV4StreamPart,
  type LanguageModelV4StreamResult,
} from '@ai-sdk/provider'

/** What a model replies: a text, calls of tools, or the failure of its provider, after which it can be asked again. */
export type ScriptedReply = string | readonly { readonly call: string; readonly args: object }[] | { readonly fails: string }

const USAGE = {
  inputTokens: { total: 10, noCache: 10, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 5, text: 5, reasoning: undefined },
}

let calls = 0

/** A model of the AI SDK's interface that replies what a script says, and keeps what it was asked. */
export class ScriptedLanguageModel implements LanguageModelV4 {
  readonly specificationVersion = 'v4'
  readonly provider = 'scripted'
  readonly modelId = 'scripted-1'
  readonly supportedUrls = {}
  readonly requests: LanguageModelV4CallOptions[] = []
  // Private, as real models have their state.
  readonly #reply: (options: LanguageModelV4CallOptions) => ScriptedReply | Promise<ScriptedReply>

  constructor(
    first: ScriptedReply | ((options: LanguageModelV4CallOptions) => ScriptedReply | Promise<ScriptedReply>),
    ...replies: readonly ScriptedReply[]
  ) {
    this.#reply = typeof first === 'function' ? first : () => [first, ...replies][this.requests.length - 1] ?? 'ok'
  }

  async doGenerate(options: LanguageModelV4CallOptions): Promise<LanguageModelV4GenerateResult> {
    const content = await this.#next(options)
    return { content, finishReason: finishOf(content), usage: USAGE, warnings: [] }
  }

  async doStream(options: LanguageModelV4CallOptions): Promise<LanguageModelV4StreamResult> {
    const content = await this.#next(options)
    const parts: LanguageModelV4StreamPart[] = [
      { type: 'stream-start', warnings: [] },
      ...content.flatMap((part, i) => partsOf(part, String(i))),
      { type: 'finish', finishReason: finishOf(content), usage: USAGE },
    ]
    return { stream: ReadableStream.from(parts) }
  }

  async #next(options: LanguageModelV4CallOptions): Promise<LanguageModelV4Content[]> {
    const { abortSignal: _, ...rest } = options
    this.requests.push(structuredClone(rest))
    const reply = await this.#reply(options)
    if (typeof reply === 'string') return [{ type: 'text', text: reply }]
    if ('fails' in reply)
      throw new APICallError({
        message: reply.fails,
        url: 'https://x.test',
        requestBodyValues: {},
        statusCode: 503,
        responseHeaders: { 'retry-after-ms': '0' },
      })
    return reply.map(({ call, args }) => ({
      type: 'tool-call',
      toolCallId: `call-${calls++}`,
      toolName: call,
      input: JSON.stringify(args),
    }))
  }
}

function finishOf(content: readonly LanguageModelV4Content[]): LanguageModelV4FinishReason {
  return content.some(({ type }) => type === 'tool-call') ? { unified: 'tool-calls', raw: 'tool_calls' } : { unified: 'stop', raw: 'stop' }
}

function partsOf(part: LanguageModelV4Content, id: string): LanguageModelV4StreamPart[] {
  if (part.type === 'tool-call') return [part]
  if (part.type !== 'text') return []
  const pieces = part.text.match(/[^]{1,7}/g) ?? []
  return [{ type: 'text-start', id }, ...pieces.map((delta) => ({ type: 'text-delta', id, delta }) as const), { type: 'text-end', id }]
}

/** Returns what a request says after its system text, as one text. */
export function promptText({ prompt }: LanguageModelV4CallOptions): string {
  const texts = prompt.flatMap((message): unknown[] => (message.role === 'system' ? [] : message.content))
  return texts.map((part) => JSON.stringify(part)).join('\n')
}
