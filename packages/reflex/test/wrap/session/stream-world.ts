import type { Fields } from '../../../src/wrap/dialects/loose.ts'
import { pieces } from '../dialects/fixture.ts'

export interface StreamRequest {
  readonly stream?: boolean
  readonly messages: readonly { readonly role: string; readonly content: unknown }[]
}

export interface ChatChunk extends Fields {
  readonly choices: readonly { readonly delta: { readonly content?: string; readonly tool_calls?: readonly unknown[] } }[]
  readonly usage?: { readonly prompt_tokens: number; readonly completion_tokens: number }
}

/** What a streamed reply of a script does at its end. */
type End = 'ends' | 'waits' | 'breaks'

/** A model that streams what a script says, three characters a chunk, and keeps what it was asked. */
export class StreamingModel {
  readonly requests: StreamRequest[] = []
  readonly signals: AbortSignal[] = []
  /** The number of streams that were ended before their end. */
  returned = 0
  readonly #replies: readonly (string | { readonly text: string; readonly end: End })[]

  constructor(...replies: readonly (string | { readonly text: string; readonly end: End })[]) {
    this.#replies = replies
  }

  readonly create = async (request: StreamRequest, options?: { readonly signal?: AbortSignal }): Promise<AsyncIterable<ChatChunk>> => {
    this.requests.push(structuredClone(request))
    if (options?.signal !== undefined) this.signals.push(options.signal)
    const reply = this.#replies[this.requests.length - 1] ?? 'ok'
    return this.#stream(typeof reply === 'string' ? { text: reply, end: 'ends' } : reply)
  }

  async *#stream({ text, end }: { readonly text: string; readonly end: End }): AsyncGenerator<ChatChunk> {
    let isOver = false
    try {
      for (const content of pieces(text, 3)) yield chunk({ content })
      if (end === 'breaks') throw new Error('the line is dead')
      if (end === 'waits') await new Promise(() => undefined)
      yield chunk({}, 'stop')
      yield { id: 'r', object: 'chat.completion.chunk', choices: [], usage: { prompt_tokens: 10, completion_tokens: 5 } }
      isOver = true
    } finally {
      if (!isOver) this.returned++
    }
  }
}

function chunk(delta: Fields, finish: string | null = null): ChatChunk {
  return { id: 'r', object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: finish }] } as unknown as ChatChunk
}

/** The text that chunks add up to. */
export function textOfChunks(chunks: readonly ChatChunk[]): string {
  return chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta.content ?? '')).join('')
}

/** Reads a stream to its end. */
export async function collected(stream: AsyncIterable<ChatChunk>): Promise<ChatChunk[]> {
  const chunks: ChatChunk[] = []
  for await (const one of stream) chunks.push(one)
  return chunks
}
