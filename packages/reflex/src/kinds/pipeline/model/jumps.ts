import type { TypedGraph, TypedNode } from './typed.ts'
import { type Attributes, isOn, textOf } from '../dot/graph.ts'

/** A jump from one node to another by attributes, without an edge in the file. */
export interface Jump {
  /** Unique in its pipeline, also among edge ids. */
  readonly id: string
  readonly from: string
  readonly to: string
  /** The reason why a run takes it. */
  readonly reason: string
}

/** Returns the id of the jump to a retry target after a failure of the node `from`. */
export function failureJump(from: string, to: string): string {
  return `${from}->${to}:failure`
}

/** Returns the id of the jump from the end of a run to the retry target of an unmet goal gate. */
export function gateJump(from: string, to: string): string {
  return `${from}->${to}:goal_gate`
}

/** Returns every jump that a run of the pipeline can make, in node order (reference pipeline 3.4, 3.7). */
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

/** A run ends at an exit or at a node without outgoing edges; an unmet goal gate sends it back from there. */
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

/** True if a run can only end after this node has succeeded. */
export function isGate({ node, canonical }: TypedNode): boolean {
  return canonical !== 'exit' && isOn(node.attributes, 'goal_gate')
}

/** Returns the first target that is a node of the pipeline, in the order of the given attributes. */
export function targetOf({ nodes }: Pick<TypedGraph, 'nodes'>, attributes: readonly Attributes[]): string | undefined {
  return attributes
    .flatMap((all) => [textOf(all, 'retry_target'), textOf(all, 'fallback_retry_target')])
    .find((id) => id !== undefined && nodes.has(id))
}
