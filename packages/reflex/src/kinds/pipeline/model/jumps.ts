import type { TypedGraph, TypedNode } from './typed.ts'
import { type Attributes, isOn, textOf } from '../dot/graph.ts'

/** A jump from one node to another without an edge in the file: attributes send a run there. */
export interface Jump {
  /** Unique in its pipeline, also among the ids of edges. */
  readonly id: string
  readonly from: string
  readonly to: string
  /** The reason for which a run takes it. */
  readonly reason: string
}

/** The id of the jump to a retry target, after a failure of the node `from`. */
export function failureJump(from: string, to: string): string {
  return `${from}->${to}:failure`
}

/** The id of the jump from the end of a run to the node to which an unmet goal gate sends it. */
export function gateJump(from: string, to: string): string {
  return `${from}->${to}:goal_gate`
}

/** Every jump that a run of the pipeline can make, in the order of its nodes (reference pipeline 3.4, 3.7). */
export function jumpsIn(typed: TypedGraph): Jump[] {
  return [...afterFailures(typed), ...throughGates(typed)]
}

function afterFailures(typed: TypedGraph): Jump[] {
  return [...typed.nodes.values()].flatMap(({ id, node, canonical }) => {
    if (canonical === 'start' || canonical === 'exit') return []
    const to = targetOf(typed, [node.attributes, ...(isOn(node.attributes, 'goal_gate') ? [typed.graph.attributes] : [])])
    const reason = textOf(node.attributes, 'timeout') === undefined ? 'after a failure' : 'after a failure or a timeout'
    return to === undefined ? [] : [{ id: failureJump(id, to), from: id, to, reason }]
  })
}

/** A run ends at an exit or at a node that no edge leaves; an unmet goal gate sends it back from there. */
function throughGates(typed: TypedGraph): Jump[] {
  const ends = [...typed.nodes.values()].filter(({ id, canonical }) => canonical === 'exit' || !typed.outgoing.get(id)?.length)
  const targets = Map.groupBy(gatesIn(typed), ({ to }) => to)
  return ends.flatMap(({ id: from }) =>
    [...targets].map(([to, gates]) => ({
      id: gateJump(from, to),
      from,
      to,
      reason: `${gates.map(({ gate }) => gate).join(', ')} not met`,
    })),
  )
}

function gatesIn(typed: TypedGraph): { readonly gate: string; readonly to: string }[] {
  return [...typed.nodes.values()].filter(isGate).flatMap(({ id, node }) => {
    const to = targetOf(typed, [node.attributes, typed.graph.attributes])
    return to === undefined ? [] : [{ gate: id, to }]
  })
}

/** A node whose success a run needs before it may end. */
export function isGate({ node, canonical }: TypedNode): boolean {
  return canonical !== 'exit' && isOn(node.attributes, 'goal_gate')
}

/** The first target that is a node of the pipeline: the nearest attributes count first. */
export function targetOf({ nodes }: Pick<TypedGraph, 'nodes'>, attributes: readonly Attributes[]): string | undefined {
  return attributes
    .flatMap((all) => [textOf(all, 'retry_target'), textOf(all, 'fallback_retry_target')])
    .find((id) => id !== undefined && nodes.has(id))
}
