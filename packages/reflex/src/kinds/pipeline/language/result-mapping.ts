import { type Attributes, listOf } from '../dot/graph.ts'

/** Maps the values that a called program returns to keys, by `result_mapping`: `theirs:ours`, or one name for both. */
export function mappedKeys(attributes: Attributes): readonly (readonly [child: string, parent: string])[] {
  return listOf(attributes, 'result_mapping').map((pair) => {
    const [child = '', parent = child] = pair.split(':').map((part) => part.trim())
    return [child, parent]
  })
}
