import { isList, isObject } from './json.ts'
import type { Json } from './value.ts'

/**
 * Joins deltas in their order into one delta. Texts continue one another, and so do lists; objects are joined key by key. A value of
 * another type stands for a state, such as a percentage: the last one replaces those before it. Undefined without deltas.
 */
export function joinDeltas(deltas: readonly Json[]): Json | undefined {
  if (deltas.length < 2) return deltas[0]
  const objects = lastAlike(deltas)
  if (!objects.every(isObject)) return joinValues(deltas)
  const values = new Map<string, Json[]>()
  for (const [key, value] of objects.flatMap((delta) => Object.entries(delta))) {
    const earlier = values.get(key)
    if (earlier === undefined) values.set(key, [value])
    else earlier.push(value)
  }
  return Object.freeze(Object.fromEntries([...values].map(([key, all]): [string, Json] => [key, joinValues(all)])))
}

function joinValues(values: readonly Json[]): Json {
  const alike = lastAlike(values)
  if (alike.every((value) => typeof value === 'string')) return alike.join('')
  if (alike.every(isList)) return Object.freeze(alike.flat())
  return alike.at(-1) ?? null
}

/** Returns the values at the end that are of the same type. */
function lastAlike(values: readonly Json[]): readonly Json[] {
  const type = typeOf(values.at(-1))
  const before = values.findLastIndex((value) => typeOf(value) !== type)
  return before < 0 ? values : values.slice(before + 1)
}

function typeOf(value: Json | undefined): string {
  return isList(value) ? 'list' : value === null ? 'null' : typeof value
}
