import type { Json, StepContext } from '../../../kernel/index.ts'

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

  /** Returns { content, index, accumulated }; undefined if nothing grows under the key. */
  value(key: string): Json | undefined {
    const count = this.#count(key)
    if (count === 0) return undefined
    const pieces = Array.from({ length: count }, (_, i) => String(this.#x.get(`${countKey(key)}.${i}`) ?? ''))
    return { content: pieces.at(-1) ?? '', index: count - 1, accumulated: pieces.join('') }
  }

  end(key: string): void {
    const count = this.#count(key)
    if (count === 0) return
    for (let i = 0; i < count; i++) this.#x.delete(`${countKey(key)}.${i}`)
    this.#x.delete(countKey(key))
  }

  #count(key: string): number {
    return Number(this.#x.get(countKey(key)) ?? 0)
  }
}

function countKey(key: string): string {
  return `_stream.${key}`
}
