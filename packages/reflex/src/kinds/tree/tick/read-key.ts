import type { Json } from '../../../kernel/index.ts'
import { failureTrace, TRACE_KEY } from './failures.ts'
import { type SeesScope, streamValue } from './streams.ts'

/** Reads a stored value; undefined if there is none. */
export type ReadStored = (key: string) => Json | undefined

/**
 * Returns what nodes and code read under a key: a text that grows, the failure trace, a value of the scope, or one that all trees share. `inner` reads in the scope
 * of the reader, `frame` the keys of the runtime; `sees` tells the scopes of the reader.
 */
export function readKey(key: string, inner: ReadStored, frame: ReadStored, sees: SeesScope): Json | undefined {
  if (key === TRACE_KEY) return failureTrace(frame).entries
  return streamValue(key, frame, sees) ?? inner(key) ?? inner(`@${key}`)
}
