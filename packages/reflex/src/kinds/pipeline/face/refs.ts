import { DEEPEST_ITEM, itemOf, type Needing } from '../model/capabilities.ts'
import type { TypedGraph } from '../model/typed.ts'
import { referenceOf } from '../operations/flow/compose.ts'
import { managedProgram } from '../operations/flow/manager.ts'

/** The programs that a pipeline names, as `kind:id`: pinned when its run starts. */
export function calledPrograms({ nodes, graph }: TypedGraph): readonly string[] {
  const all = [...nodes.values()].flatMap((node) => withItems({ ...node, attributes: node.node.attributes }))
  const composed = all.filter(({ canonical }) => canonical === 'compose')
  const names = composed.flatMap(({ operation, attributes }) =>
    operation === 'stack.manager_loop' ? (managedProgram(attributes, graph) ?? []) : (referenceOf({ attributes }) ?? []),
  )
  return [...new Set(names)]
}

/** A node, and the nodes that it executes for items. */
function withItems(node: Needing): readonly Needing[] {
  const all = [node]
  for (let item = itemOf(node), depth = 0; item !== undefined && depth < DEEPEST_ITEM; item = itemOf(item), depth++) all.push(item)
  return all
}
