import type { AskedModel } from '../../../programs/language.ts'
import { modelName } from './model-name.ts'
import type { TypedGraph } from './typed.ts'

/** Marks of a name that is known only when the node is executed. */
const TEMPLATE = /[${]/

/**
 * Returns the models that the nodes of a pipeline ask. A session may name another one for nodes that name none: those of the run
 * count. Of a node of an unknown type nothing is known.
 */
export function modelsNamed({ nodes, graph }: TypedGraph): readonly AskedModel[] {
  return [...nodes.values()].flatMap(({ facts, custom, unknown, node }): readonly AskedModel[] => {
    if (facts.form !== 'model' || custom !== undefined || unknown !== undefined) return []
    const name = modelName(node.attributes, graph.attributes)
    return name === undefined ? [{}] : TEMPLATE.test(name) ? [] : [{ name }]
  })
}
