import { type Attributes, textOf } from '../dot/graph.ts'
import { threadKey } from '../model/thread-key.ts'
import type { TypedGraph, TypedNode } from '../model/typed.ts'

/** The fidelities: the amount of previous context that a model sees (seed pipeline 7.4). */
export const FIDELITIES = ['full', 'truncate', 'compact', 'summary:low', 'summary:medium', 'summary:high'] as const
export type FidelityMode = (typeof FIDELITIES)[number]

export function isFidelity(word: string | undefined): word is FidelityMode {
  return FIDELITIES.some((known) => known === word)
}

/** The fidelity of one execution of a node. */
export interface Fidelity {
  readonly mode: FidelityMode
  /** The conversation that the node continues; only with `full`. */
  readonly thread?: string
  /** True if an edge, the node or the graph states it; false for the default. */
  readonly explicit: boolean
  /** The stated fidelity was `full`, but the conversation was lost in a resume (reference pipeline 3.13). */
  readonly degraded?: true
}

/** The position of a node in its run. */
interface FidelityInputs {
  readonly typed: TypedGraph
  readonly node: TypedNode
  /** The edge by which it was entered; undefined after a jump. */
  readonly edge: Attributes | undefined
  readonly previous: string | undefined
  /** True if the run resumed from a checkpoint and no node with full fidelity has run since. */
  readonly resumed: boolean
}

/**
 * Returns the fidelity of a node: the edge wins over the node, the node over the graph; an unknown word means `compact`
 * (reference pipeline 6.5).
 */
export function resolveFidelity({ typed, node, edge, previous, resumed }: FidelityInputs): Fidelity {
  const written = [
    edge && named(edge, 'fidelity'),
    named(node.node.attributes, 'fidelity'),
    named(typed.graph.attributes, 'default_fidelity'),
  ]
  const word = written.find((one) => one !== undefined)
  const explicit = isFidelity(word)
  const mode = explicit ? word : 'compact'
  if (mode !== 'full') return { mode, explicit }
  const thread = threadKey(node, edge, typed.graph, previous) ?? node.id
  return resumed ? { mode: 'summary:high', thread, explicit, degraded: true } : { mode, thread, explicit }
}

function named(attributes: Attributes, key: string): string | undefined {
  return textOf(attributes, key)?.trim() || undefined
}
