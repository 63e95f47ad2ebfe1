import { isList, isObject, type Json } from '../../../kernel/journal/json.ts'

/** Whether a value as JSON has more characters than a limit, roughly; looks no further than it must. */
export function isLargerThan(value: Json, limit: number): boolean {
  return left(value, limit) < 0
}

/** What is left of a size once a value has been taken from it; below nothing if it is too large. */
function left(value: Json, size: number): number {
  if (typeof value === 'string') return size - value.length
  let rest = size - 8
  const inner = isList(value) ? value : isObject(value) ? Object.values(value) : []
  for (const one of inner) {
    if (rest < 0) return rest
    rest = left(one, rest)
  }
  return rest
}
