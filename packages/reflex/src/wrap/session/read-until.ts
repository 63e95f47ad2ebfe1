/** Reads an iterable until it ends or a signal is aborted; then it is ended, and not waited for. */
export async function* readUntil(source: AsyncIterable<unknown>, signals: readonly AbortSignal[]): AsyncGenerator {
  const aborted = new Promise<'aborted'>((resolve) => {
    const signal = AbortSignal.any([...signals])
    if (signal.aborted) resolve('aborted')
    else signal.addEventListener('abort', () => resolve('aborted'), { once: true })
  })
  const iterator = source[Symbol.asyncIterator]()
  for (;;) {
    const next = iterator.next()
    const result = await Promise.race([next, aborted])
    if (result === 'aborted') {
      next.catch(() => undefined)
      void Promise.resolve(iterator.return?.()).catch(() => undefined)
      return
    }
    if (result.done === true) return
    yield result.value
  }
}
