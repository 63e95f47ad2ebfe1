import { scopeOf, type TypedBlackboard } from '../board/typed-blackboard.ts'

/** Copies the values of a tree to its new version. Returns the keys whose schema has changed or is gone: their values are dropped. */
export function keepValues(from: TypedBlackboard, to: TypedBlackboard): string[] {
  const [before, after] = [scopeOf(from), scopeOf(to)]
  const dropped: string[] = []
  for (const [key, value] of before.values.entries()) {
    if (key.startsWith('_')) continue
    const schema = before.rule(key)?.schema
    if (schema !== undefined && after.rule(key)?.schema.equals(schema) === true) after.values.set(key, value)
    else dropped.push(key)
  }
  return dropped
}
