import { isList, isObject, type Json } from '../../../kernel/index.ts'
import type { Path } from '../../../text/index.ts'

/** Returns the line of the innermost node on a path through a tree as data. */
export function lineOf(tree: Json, path: Path): number | undefined {
  let [at, line]: [Json | undefined, number | undefined] = [tree, undefined]
  for (const step of path) {
    at = isObject(at) || isList(at) ? (Reflect.get(at, step) as Json | undefined) : undefined
    if (isObject(at) && typeof at.line === 'number') line = at.line
  }
  return line
}
