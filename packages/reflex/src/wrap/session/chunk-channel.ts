import type { Fields } from '../dialects/loose.ts'

/**
 * The chunks of a reply on their way to the agent, which reads them at its own speed; the model is not slowed down. An iterator that is
 * ended early calls `onStop`, and its `return` resolves when that does.
 */
export class ChunkChannel implements AsyncIterableIterator<Fields> {
  readonly #onStop: () => Promise<unknown>
  readonly #chunks: Fields[] = []
  readonly #readers: PromiseWithResolvers<IteratorResult<Fields>>[] = []
  #end: { readonly thrown?: unknown } | undefined

  constructor(onStop: () => Promise<unknown>) {
    this.#onStop = onStop
  }

  push(chunks: readonly Fields[]): void {
    if (this.#end !== undefined) return
    for (const chunk of chunks) {
      const reader = this.#readers.shift()
      if (reader === undefined) this.#chunks.push(chunk)
      else reader.resolve({ value: chunk, done: false })
    }
  }

  /** Ends the stream after the chunks that it has. */
  end(): void {
    this.#finish({})
  }

  /** Ends the stream with an error after the chunks that it has. */
  fail(thrown: unknown): void {
    this.#finish({ thrown })
  }

  #finish(end: { readonly thrown?: unknown }): void {
    if (this.#end !== undefined) return
    this.#end = end
    for (const reader of this.#readers.splice(0)) this.#settle(reader)
  }

  #settle(reader: PromiseWithResolvers<IteratorResult<Fields>>): void {
    const end = this.#end ?? {}
    // The error is thrown once; who reads on finds the end.
    this.#end = {}
    if ('thrown' in end) reader.reject(end.thrown)
    else reader.resolve(DONE)
  }

  next(): Promise<IteratorResult<Fields>> {
    const chunk = this.#chunks.shift()
    if (chunk !== undefined) return Promise.resolve({ value: chunk, done: false })
    const reader = Promise.withResolvers<IteratorResult<Fields>>()
    if (this.#end === undefined) this.#readers.push(reader)
    else this.#settle(reader)
    return reader.promise
  }

  async return(): Promise<IteratorResult<Fields>> {
    const wasOpen = this.#end === undefined
    this.#chunks.length = 0
    this.end()
    this.#end = {}
    if (wasOpen) await this.#onStop()
    return DONE
  }

  [Symbol.asyncIterator](): this {
    return this
  }
}

const DONE = { value: undefined, done: true } as const
