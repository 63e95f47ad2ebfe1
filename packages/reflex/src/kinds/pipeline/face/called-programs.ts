import { itemsOf } from '../model/capabilities.ts'
import type { TypedGraph } from '../model/typed.ts'
import { WrittenNode } from '../model/written-node.ts'

/** Returns the programs that a pipeline calls, as `kind:id`. They are pinned when its run starts. */
export function calledPrograms({ nodes, graph, operations }: TypedGraph): readonly string[] {
  const names = new Set<string>()
  for (const typed of nodes.values()) {
    const { facts, node } = typed
    if (facts.calls === undefined && facts.item === undefined) continue
    const self = { ...typed, attributes: node.attributes }
    for (const {
      facts: { calls },
      attributes,
    } of [self, ...itemsOf(self, operations)]) {
      const name = calls?.(new WrittenNode(attributes, graph.attributes))
      if (name !== undefined) names.add(name)
    }
  }
  return [...names]
}
