import type { Json, StepContext } from '../../../kernel/index.ts'
import { textOf } from '../model/text-of.ts'

/**
 * Texts that grow. The board has the pieces, each under a key of its own, so that a record has only what came; the whole is put together when
 * it is read.
 */
export class Streams {
  readonly #x: StepContext

  constructor(x: StepContext) {
    this.#x = x
  }

  add(key: string, piece: string): void {
    const count = this.#count(key)
    this.#x.setInternal(`${countKey(key)}.${count}`, piece)
    this.#x.setInternal(countKey(key), count + 1)
  }

  end(key: string): void {
    const count = this.#count(key)
    if (count === 0) return
    for (let i = 0; i < count; i++) this.#x.delete(`${countKey(key)}.${i}`)
    this.#x.delete(countKey(key))
  }

  #count(key: string): number {
    return countOf(key, (name) => this.#x.get(name))
  }
}

/** Returns the text that grows under a key as { content, index, accumulated }; undefined if there is none. */
export function streamValue(key: string, read: (key: string) => Json | undefined): Json | undefined {
  const count = countOf(key, read)
  if (count === 0) return undefined
  const pieces = Array.from({ length: count }, (_, i) => textOf(read(`${countKey(key)}.${i}`)))
  return { content: pieces.at(-1) ?? '', index: count - 1, accumulated: pieces.join('') }
}

function countOf(key: string, read: (key: string) => Json | undefined): number {
  return Number(read(countKey(key)) ?? 0)
}

function countKey(key: string): string {
  return `_stream.${key}`
}
