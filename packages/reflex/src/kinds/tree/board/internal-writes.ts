import { copyJson, isList, isObject, type Json } from '../../../kernel/index.ts'
import { isReserved } from './board-faults.ts'
import type { BoardScope } from './board-scope.ts'
import { entryBytes } from './scope-values.ts'
import { valuePreview } from './value-text.ts'

/** The characters of a runtime value that stay when the blackboard is full. */
const SHORT = 1_000

/**
 * Writes a key of the runtime, which begins with `_` and needs no schema. A value that does not fit into the blackboard is shortened to about
 * 1,000 characters and stored nevertheless: the reason of a failure must not be lost because a node has filled the blackboard.
 */
export function setInternal(scope: BoardScope, key: string, value: unknown): void {
  if (!isReserved(key)) throw new TypeError(`the runtime writes ${key}; its keys begin with _`)
  const json = copyOrPreview(value)
  const bytes = entryBytes(key, json)
  const { family, values } = scope
  if (family.bytes - values.bytesOf(key) + bytes <= family.limit) values.set(key, json, bytes)
  else values.set(key, copyJson(shorten(json, { left: SHORT }), key))
}

function copyOrPreview(value: unknown): Json {
  try {
    return copyJson(value, 'value')
  } catch {
    return valuePreview(value)
  }
}

/** Returns as much of a value as the characters that are left: the beginning of texts and objects, and the end of lists. */
function shorten(value: Json, budget: { left: number }): Json {
  if (typeof value === 'string') {
    const text = value.slice(0, Math.max(0, budget.left))
    budget.left -= text.length
    return text
  }
  budget.left -= 8
  if (isList(value)) {
    const items: Json[] = []
    // The newest items stand at the end.
    for (let i = value.length - 1; i >= 0 && budget.left > 0; i--) items.unshift(shorten(value[i] ?? null, budget))
    return items
  }
  if (!isObject(value)) return value
  const entries: [string, Json][] = []
  for (const [key, inner] of Object.entries(value)) {
    budget.left -= key.length
    if (budget.left <= 0) break
    entries.push([key, shorten(inner, budget)])
  }
  return Object.fromEntries(entries)
}
