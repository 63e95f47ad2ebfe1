import { type Attributes, textOf } from '../dot/graph.ts'
import { threadKey } from '../model/thread-key.ts'
import type { TypedGraph, TypedNode } from '../model/typed.ts'

/** How much of what happened before a model is told (seed pipeline 7.4). */
export const FIDELITIES = ['full', 'truncate', 'compact', 'summary:low', 'summary:medium', 'summary:high'] as const
export type FidelityMode = (typeof FIDELITIES)[number]

export function isFidelity(word: string | undefined): word is FidelityMode {
  return FIDELITIES.some((known) => known === word)
}

/** What holds for one execution of a node. */
export interface Fidelity {
  readonly mode: FidelityMode
  /** The conversation that the node goes on with; only with `full`. */
  readonly thread?: string
  /** An edge, the node or the graph says it; else it is the usual one. */
  readonly explicit: boolean
  /** `full` was meant, and the conversation is gone with the run that led it (reference pipeline 3.13). */
  readonly degraded?: true
}

/** Where a node stands in its run. */
interface FidelityInputs {
  readonly typed: TypedGraph
  readonly node: TypedNode
  /** The edge by which it was entered; none after a jump. */
  readonly edge: Attributes | undefined
  readonly previous: string | undefined
  /** The run goes on from a checkpoint, and no node has been told so yet. */
  readonly resumed: boolean
}

/** The edge goes before the node, the node before the graph; a word that is none means `compact` (reference pipeline 6.5). */
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
