import { isList, type Json } from '../../../kernel/index.ts'

/** Reads one key of a context as stored. Returns `undefined` for a missing key. */
export type ReadKey = (key: string) => Json | undefined

const PREFIX = 'context.'

/**
 * Looks up a key in a context: first as written, then without `context.`, then as a path into the value of the longest matching
 * key, such as `exec.read.content.items.0` (reference pipeline 4.1). A key with the value `null` exists.
 */
export function lookUp(read: ReadKey, key: string): Json | undefined {
  const spellings = key.startsWith(PREFIX) ? [key, key.slice(PREFIX.length)] : [key]
  for (const find of [read, (path: string) => lookUpNested(read, path)]) {
    for (const spelling of spellings) {
      const value = find(spelling)
      if (value !== undefined) return value
    }
  }
  return undefined
}

/** The largest number of parts of a path. Longer keys are only looked up as written. */
const LONGEST_PATH = 32

function lookUpNested(read: ReadKey, key: string): Json | undefined {
  const parts = key.split('.')
  if (parts.length > LONGEST_PATH) return undefined
  for (let length = parts.length - 1; length > 0; length--) {
    const value = read(parts.slice(0, length).join('.'))
    if (typeof value === 'object' && value !== null) return descend(value, parts.slice(length))
  }
  return undefined
}

function descend(start: Json, path: readonly string[]): Json | undefined {
  let value: Json | undefined = start
  for (const part of path) {
    if (typeof value !== 'object' || value === null) return undefined
    if (isList(value)) value = /^(0|[1-9]\d*)$/.test(part) ? value[Number(part)] : undefined
    else value = Object.hasOwn(value, part) ? value[part] : undefined
  }
  return value
}
