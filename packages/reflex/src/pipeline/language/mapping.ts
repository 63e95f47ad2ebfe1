import { type Attributes, listOf } from '../dot/graph.ts'

/** Which values of a called program come back under which keys, as `result_mapping` says: `theirs:ours`, or one name for both. */
export function mappedKeys(attributes: Attributes): readonly (readonly [child: string, parent: string])[] {
  return listOf(attributes, 'result_mapping').map((pair) => {
    const [child = '', parent = child] = pair.split(':').map((part) => part.trim())
    return [child, parent]
  })
}
