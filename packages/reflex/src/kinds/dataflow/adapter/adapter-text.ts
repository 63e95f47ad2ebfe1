import { applyEdits, modify } from 'jsonc-parser'
import type { Json } from '../../../kernel/index.ts'
import type { Adapter } from '../model/adapter.ts'

const FORMATTING = { formattingOptions: { insertSpaces: true, tabSize: 2 } }

/** Returns the text of an adapter. */
export function adapterText(adapter: Adapter): string {
  return `${JSON.stringify(adapter, null, 2)}\n`
}

/** Returns the text of an adapter with what was added to it by `writeAdapter`. Comments, the order of keys and the layout stay. */
export function updateAdapterText(text: string, before: Adapter, after: Adapter): string {
  let changed = text
  for (const [path, value] of additions(before as unknown as Json, after as unknown as Json))
    changed = applyEdits(changed, modify(changed, [...path], value, FORMATTING))
  return changed
}

/** Returns the properties and items that a value has and an earlier value of it has not, or has otherwise, as paths with their values. */
function* additions(
  before: Json | undefined,
  after: Json,
  path: readonly (string | number)[] = [],
): Generator<readonly [path: readonly (string | number)[], value: Json]> {
  if (before === after) return
  const isBoth = typeof before === 'object' && before !== null && typeof after === 'object' && after !== null
  if (!isBoth || Array.isArray(before) !== Array.isArray(after)) {
    yield [path, after]
    return
  }
  const old = before as Readonly<Record<string, Json>>
  for (const [key, value] of Object.entries(after))
    yield* additions(Object.hasOwn(old, key) ? old[key] : undefined, value, [...path, Array.isArray(after) ? Number(key) : key])
}
