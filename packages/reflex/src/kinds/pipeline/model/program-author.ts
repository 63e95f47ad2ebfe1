import type { TypedGraph } from './typed.ts'

/** The pipelines that were read in this process, with the trust in their author. */
const authors = new WeakMap<object, { readonly untrusted: boolean }>()

/** Stores the author of a pipeline. */
export function setAuthor(typed: TypedGraph, author: 'trusted' | 'untrusted' | undefined): void {
  authors.set(typed, { untrusted: author === 'untrusted' })
}

/** Returns `untrusted` for a pipeline whose text is not trusted; otherwise the person who started the run is responsible for it. */
export function authorOf(def: unknown): 'untrusted' | undefined {
  return typeof def === 'object' && def !== null && authors.get(def)?.untrusted === true ? 'untrusted' : undefined
}

/** True if a definition is a pipeline that was read in this process, not an object of the same shape. */
export function isPipeline(def: unknown): def is TypedGraph {
  return typeof def === 'object' && def !== null && authors.has(def)
}
