import { isObject, type Json, type JsonObject } from '../../../kernel/index.ts'

/**
 * Returns the value at a path such as `ctx.order.id`; undefined if there is none. Only own properties count, so that `ctx.constructor` is
 * absent (reference skill 1.5).
 */
export function valueAtBoardPath(board: Readonly<Record<string, JsonObject>>, path: string): Json | undefined {
  let value: Json | undefined = board
  for (const part of path.split('.')) {
    if (!isObject(value) || !Object.hasOwn(value, part)) return undefined
    value = value[part]
  }
  return value
}
