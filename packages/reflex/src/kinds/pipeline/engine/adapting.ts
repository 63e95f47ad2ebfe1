import { isFault } from '../../../kernel/index.ts'
import { changesBetween, isChanged } from '../dot/changes.ts'
import { versionOf } from '../dot/version.ts'
import type { TypedGraph } from '../model/typed.ts'
import type { DotEdge } from '../dot/graph.ts'
import { type Outcome, refusal } from '../contract/outcome.ts'
import type { Position } from '../contract/position.ts'
import type { FrameStep } from './frame-step.ts'

/**
 * The update with which a node returns the changed pipeline. The engine removes it, so that it never reaches the
 * context (seed pipeline 14.5).
 */
export const ADAPTED = '__adapted_graph__'

/** Separates the changed pipeline from an outcome. Only an adapt node can return one. */
export function splitAdapted({ node }: FrameStep, outcome: Outcome): { readonly outcome: Outcome; readonly dot?: string } {
  if (node.canonical !== 'adapt') return { outcome }
  const { [ADAPTED]: dot, ...context_updates } = outcome.context_updates ?? {}
  if (typeof dot !== 'string') return { outcome }
  return { outcome: { ...outcome, context_updates }, dot }
}

/**
 * Continues with a changed pipeline: this record pins it, and the next edge is already one of its edges (reference
 * pipeline 9). If the pipeline cannot be read, the node fails and nothing changes.
 */
export function adapt(step: FrameStep, dot: string, final: Outcome): Outcome {
  const before = step.typed
  if (step.branch !== undefined) return refusal(`${step.node.id}: a branch cannot change its pipeline`)
  try {
    step.become(dot, versionOf(before.graph) + 1)
  } catch (thrown) {
    if (isFault(thrown)) return refusal(`${step.node.id}: ${thrown.code} ${thrown.message}`)
    throw thrown
  }
  const { typed, position, node } = step
  step.setPosition(moved(position, before, typed))
  const ops = final.context_updates?.[`adapt.${node.id}.applied_ops`] ?? 0
  step.note('graph_adapted', { node_id: node.id, version: versionOf(typed.graph), ops, changes: changesBetween(before.graph, typed.graph) })
  return final
}

/** Returns a position in the changed pipeline: edges have new numbers, and removed nodes are dropped. */
function moved({ edge, pending, ...rest }: Position, before: TypedGraph, after: TypedGraph): Position {
  const number = (index: number): number => indexOf(before.graph.edges[index], after)
  const edgeIndex = edge === undefined ? -1 : number(edge)
  const left = pending?.filter(([id]) => after.nodes.has(id)).map(([id, index]) => [id, number(index)] as const) ?? []
  return { ...rest, ...(edgeIndex < 0 ? {} : { edge: edgeIndex }), ...(left.length === 0 ? {} : { pending: left }) }
}

/**
 * Returns the index of the same edge in another graph; of several edges between the same nodes, the unchanged one, else
 * the first; -1 if there is none.
 */
function indexOf(edge: DotEdge | undefined, { graph }: TypedGraph): number {
  const edges = graph.edges.filter(({ from, to }) => from === edge?.from && to === edge.to)
  return (edges.find(({ attributes }) => !isChanged(attributes, edge?.attributes)) ?? edges[0])?.index ?? -1
}
