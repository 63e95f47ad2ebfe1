import { isObject, type Json } from '../../kernel/journal/json.ts'

/** Definitions whose text nobody vouches for. */
const untrustedDefinitions = new WeakSet<object>()

/** True for a workflow whose text nobody vouches for: it was read from a file that a run has written. */
export function isUntrusted(def: unknown): boolean {
  return typeof def === 'object' && def !== null && untrustedDefinitions.has(def)
}

/** Divides a stored source into the workflow and the mark that nobody vouches for its text. */
export function splitAuthor(source: Json): { readonly source: Json; readonly untrusted: boolean } {
  if (!isObject(source) || source['author'] !== 'untrusted') return { source, untrusted: false }
  const { author: _, ...rest } = source
  return { source: rest, untrusted: true }
}

/** Returns a definition of its own with the mark: the same workflow from the operator's file has none. */
export function markUntrusted<Def extends object>(def: Def): Def {
  const marked = { ...def }
  untrustedDefinitions.add(marked)
  return marked
}
