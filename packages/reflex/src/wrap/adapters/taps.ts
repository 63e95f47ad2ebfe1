import { fieldsOf } from '../dialects/loose.ts'
import type { AnyFunction } from '../session/intercept.ts'

/** Methods of a reader that end what it reads. */
const ENDING = ['return', 'throw', 'cancel'] as const

/** True for an output that arrives in pieces. */
export function isReadInPieces(output: unknown): output is AsyncIterable<unknown> {
  return typeof fieldsOf(output)[Symbol.asyncIterator as never] === 'function'
}

/**
 * Resolves when an output that arrives in pieces has been read to its end, or is read no more; rejects when reading it fails. Nothing of it is
 * read here: its own methods are replaced by ones that note its end.
 */
export function readToEnd(output: AsyncIterable<unknown>): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const noting =
    (original: AnyFunction, ends: boolean): AnyFunction =>
    async (...args) => {
      try {
        const result = await original(...args)
        if (ends || fieldsOf(result)['done'] === true) resolve()
        return result
      } catch (thrown) {
        reject(thrown)
        throw thrown
      }
    }
  const tap = (reader: object): void => {
    for (const key of ['next', ...ENDING] as const) {
      const original: unknown = Reflect.get(reader, key)
      if (typeof original !== 'function') continue
      const value = noting((original as AnyFunction).bind(reader), key !== 'next')
      Object.defineProperty(reader, key, { value, configurable: true, writable: true })
    }
  }
  if (typeof fieldsOf(output)['next'] === 'function') tap(output)
  else {
    const iterate = output[Symbol.asyncIterator].bind(output)
    const value = (): AsyncIterator<unknown> => {
      const iterator = iterate()
      tap(iterator)
      return iterator
    }
    Object.defineProperty(output, Symbol.asyncIterator, { value, configurable: true, writable: true })
  }
  return promise
}
