/**
 * Returns a function that makes a value at its first call and returns it ever after. Schemas are made so: most processes check few
 * of them, and each takes time to build.
 */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => (made ??= { value: make() }).value
}
