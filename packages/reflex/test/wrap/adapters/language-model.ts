import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamResult,
  LanguageModelV4StreamPart,
  LanguageModelV4Content,
} from '@ai-sdk/provider'

/** What a model replies: a text, or calls of tools. */
export type ScriptedReply = string | readonly { readonly call: string; readonly args: object }[]

const USAGE = {
  inputTokens: { total: 10, noCache: 10, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 5, text: 5, reasoning: undefined },
}

/** A model of the AI SDK's interface that replies what a script says, and keeps what it was asked. */
export class ScriptedLanguageModel implements LanguageModelV4 {
  readonly specificationVersion = 'v4'
  readonly provider = 'scripted'
  readonly modelId = 'scripted-1'
  readonly supportedUrls = {}
  readonly requests: LanguageModelV4CallOptions[] = []
  /** The replies by how many were given: private, as models have their state. */
  readonly #replies: readonly ScriptedReply[]

  constructor(...replies: readonly ScriptedReply[]) {
    this.#replies = replies
  }

  async doGenerate(options: LanguageModelV4CallOptions): Promise<LanguageModelV4GenerateResult> {
    const content = this.#next(options)
    const isCall = content.some(({ type }) => type === 'tool-call')
    return {
      content,
      finishReason: isCall ? { unified: 'tool-calls', raw: 'tool_calls' } : { unified: 'stop', raw: 'stop' },
      usage: USAGE,
      warnings: [],
    }
  }

  async doStream(options: LanguageModelV4CallOptions): Promise<LanguageModelV4StreamResult> {
    const content = this.#next(options)
    const isCall = content.some(({ type }) => type === 'tool-call')
    const parts: LanguageModelV4StreamPart[] = [{ type: 'stream-start', warnings: [] }]
    content.forEach((part, i) => {
      if (part.type === 'tool-call') parts.push(part)
      else if (part.type === 'text')
        parts.push(
          { type: 'text-start', id: String(i) },
          ...(part.text.match(/[^]{1,7}/g) ?? []).map((delta) => ({ type: 'text-delta', id: String(i), delta }) as const),
          { type: 'text-end', id: String(i) },
        )
    })
    parts.push({
      type: 'finish',
      finishReason: isCall ? { unified: 'tool-calls', raw: 'tool_calls' } : { unified: 'stop', raw: 'stop' },
      usage: USAGE,
    })
    return { stream: ReadableStream.from(parts) }
  }

  #next(options: LanguageModelV4CallOptions): LanguageModelV4Content[] {
    const { abortSignal: _, ...rest } = options
    this.requests.push(structuredClone(rest))
    const n = this.requests.length
    const reply = this.#replies[n - 1] ?? 'ok'
    if (typeof reply === 'string') return [{ type: 'text', text: reply }]
    return reply.map(({ call, args }, i) => ({
      type: 'tool-call',
      toolCallId: `call-${Math.random()}-${i}`,
      toolName: call,
      input: JSON.stringify(args),
    }))
  }
}
