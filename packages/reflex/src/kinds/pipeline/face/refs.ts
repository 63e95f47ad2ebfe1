import { DEEPEST_ITEM, itemOf, type ResolvedNode } from '../model/capabilities.ts'
import type { TypedGraph } from '../model/typed.ts'
import { referenceOf } from '../operations/flow/compose.ts'
import { managedProgram } from '../operations/flow/manager.ts'

/** The programs that a pipeline names, as `kind:id`: pinned when its run starts. */
export function calledPrograms({ nodes, graph }: TypedGraph): readonly string[] {
  const names = new Set<string>()
  for (const typed of nodes.values()) {
    if (typed.canonical !== 'compose' && typed.canonical !== 'map' && typed.canonical !== 'parallel') continue
    for (const { canonical, operation, attributes } of withItems({ ...typed, attributes: typed.node.attributes })) {
      if (canonical !== 'compose') continue
      const name = operation === 'stack.manager_loop' ? managedProgram(attributes, graph) : referenceOf({ attributes })
      if (name !== undefined) names.add(name)
    }
  }
  return [...names]
}

/** A node, and the nodes that it executes for items. */
function withItems(node: ResolvedNode): readonly ResolvedNode[] {
  const all = [node]
  for (let item = itemOf(node), depth = 0; item !== undefined && depth < DEEPEST_ITEM; item = itemOf(item), depth++) all.push(item)
  return all
}
