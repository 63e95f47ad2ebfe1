import type { Fields } from '../dialects/loose.ts'

/** A streamed reply as the clients of OpenAI and Anthropic give it. */
export class ClientStream implements AsyncIterable<Fields> {
  readonly #chunks: AsyncIterable<Fields>
  /** Aborts the call of the model. */
  readonly controller: AbortController

  constructor(chunks: AsyncIterable<Fields>, controller: AbortController) {
    this.#chunks = chunks
    this.controller = controller
  }

  [Symbol.asyncIterator](): AsyncIterator<Fields> {
    return this.#chunks[Symbol.asyncIterator]()
  }

  /** Splits the stream into two that are read at different speeds. */
  tee(): [ClientStream, ClientStream] {
    const [left, right] = ReadableStream.from<Fields>(this.#chunks).tee()
    return [new ClientStream(left, this.controller), new ClientStream(right, this.controller)]
  }

  /** Returns the chunks as lines of JSON. */
  toReadableStream(): ReadableStream<Uint8Array> {
    return encoded(this.#chunks, (chunk) => `${JSON.stringify(chunk)}\n`)
  }

  /** Returns the chunks as a body of server-sent events. */
  toEvents(): ReadableStream<Uint8Array> {
    return encoded(
      this.#chunks,
      (chunk) => `${typeof chunk['type'] === 'string' ? `event: ${chunk['type']}\n` : ''}data: ${JSON.stringify(chunk)}\n\n`,
    )
  }
}

function encoded(chunks: AsyncIterable<Fields>, text: (chunk: Fields) => string): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  const lines = new TransformStream<Fields, Uint8Array>({
    transform: (chunk, controller) => controller.enqueue(encoder.encode(text(chunk))),
  })
  return ReadableStream.from<Fields>(chunks).pipeThrough(lines)
}
