import { type Attributes, textOf } from '../dot/graph.ts'

/** Returns the model that a node, the graph or the session of a run names. */
export function modelName(
  attributes: Attributes,
  graph: Attributes,
  session: (key: string) => string | undefined = () => undefined,
): string | undefined {
  const model = modelAttribute(attributes, 'model') ?? modelAttribute(graph, 'model') ?? session('session.llm_model')
  if (model === undefined) return undefined
  const nodeProvider = modelAttribute(attributes, 'provider')
  if (nodeProvider !== undefined) return model.startsWith(`${nodeProvider}:`) ? model : `${nodeProvider}:${model}`
  const provider = modelAttribute(graph, 'provider') ?? session('session.llm_provider')
  return provider === undefined || model.includes(':') ? model : `${provider}:${model}`
}

/** Returns a setting of a node or a graph by either of its names. */
export function modelAttribute(attributes: Attributes, what: 'model' | 'provider'): string | undefined {
  return textOf(attributes, `llm_${what}`)?.trim() || textOf(attributes, what)?.trim() || undefined
}
