import { isObject, type Json } from '../../../kernel/index.ts'

/** Definitions whose text no person has approved. */
const untrustedDefinitions = new WeakSet<object>()

/** True for a workflow whose text no person has approved: it was read from a file that a run wrote. */
export function isUntrusted(def: unknown): boolean {
  return typeof def === 'object' && def !== null && untrustedDefinitions.has(def)
}

/** Splits a stored source into the workflow and the mark of an untrusted author. */
export function splitAuthor(source: Json): { readonly source: Json; readonly untrusted: boolean } {
  if (!isObject(source) || source['author'] !== 'untrusted') return { source, untrusted: false }
  const { author: _, ...rest } = source
  return { source: rest, untrusted: true }
}

/** Returns a copy of a definition with the mark. The same workflow from the operator's file is not marked. */
export function markUntrusted<Def extends object>(def: Def): Def {
  const marked = { ...def }
  untrustedDefinitions.add(marked)
  return marked
}
