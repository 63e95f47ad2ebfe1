import type { TypedGraph } from './typed.ts'

/** Pipelines that were read here, and whether nobody vouches for their text. */
const authors = new WeakMap<object, { readonly untrusted: boolean }>()

/** Keeps of a pipeline who vouches for its text. */
export function setAuthor(typed: TypedGraph, author: 'trusted' | 'untrusted' | undefined): void {
  authors.set(typed, { untrusted: author === 'untrusted' })
}

/** Who vouches for a pipeline's text: whoever started the run, or nobody. */
export function authorOf(def: unknown): 'untrusted' | undefined {
  return typeof def === 'object' && def !== null && authors.get(def)?.untrusted === true ? 'untrusted' : undefined
}

/** Whether a definition is a pipeline's: one that was read here, and no look-alike. */
export function isPipeline(def: unknown): def is TypedGraph {
  return typeof def === 'object' && def !== null && authors.has(def)
}
