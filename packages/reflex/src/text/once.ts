/**
 * Returns a function that makes a value at its first call and returns the same value at every later call. Schemas use it, because each
 * takes time to build and most processes use only a few.
 */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => (made ??= { value: make() }).value
}
