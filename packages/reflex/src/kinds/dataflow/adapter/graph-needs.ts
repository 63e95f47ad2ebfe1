import { SET_CONTEXT } from '../model/effect.ts'
import type { GraphNode, ValidatedGraph } from '../model/graph.ts'
import type { IntentDeclaration } from '../model/manifest.ts'
import type { ScalarType } from '../model/value.ts'

/** A key of the context that a node of a graph reads or writes. */
export interface KeyUse {
  readonly node: GraphNode
  /** The name as the manifest states it: a key, or `$parameter`. */
  readonly stated: string
  /** The key; undefined if the parameter holds none. */
  readonly key: string | undefined
  readonly type: ScalarType
}

export interface KeyRead extends KeyUse {
  readonly required: boolean
}

/** `intent`: the kind of the intent that writes it besides. */
export interface KeyWrite extends KeyUse {
  readonly intent?: string
}

export interface IntentUse {
  readonly node: GraphNode
  readonly intent: IntentDeclaration
}

/** The uses of the outside by a graph, in the order of its nodes and of their manifests. */
export interface GraphNeeds {
  readonly reads: readonly KeyRead[]
  readonly writes: readonly KeyWrite[]
  readonly intents: readonly IntentUse[]
  /** The kinds of effects that it can emit: `set_context` first, then intents by name (reference 5.5, 4). */
  readonly emittable: readonly string[]
  /** True if a source has a required key, or an action has effects (reference 5.5, 1). */
  readonly requiresAdapter: boolean
}

/** Returns the uses of the outside by a graph. */
export function graphNeeds({ nodes }: ValidatedGraph): GraphNeeds {
  const reads = nodes.flatMap(readsOf)
  const writes = nodes.flatMap(writesOf)
  const intents = nodes.flatMap((node) => (node.primitive.manifest.effects?.intents ?? []).map((intent): IntentUse => ({ node, intent })))
  const kinds = [...new Set(intents.map(({ intent }) => intent.name))].sort()
  const emittable = writes.length > 0 ? [SET_CONTEXT, ...kinds] : kinds
  return { reads, writes, intents, emittable, requiresAdapter: emittable.length > 0 || reads.some(({ required }) => required) }
}

/** Returns the key that a manifest names, for a node: the name, or the text in the parameter of `$name`. */
export function keyOf({ params }: Pick<GraphNode, 'params'>, stated: string): string | undefined {
  if (!stated.startsWith('$')) return stated
  const name = stated.slice(1)
  const value = Object.hasOwn(params, name) ? params[name] : undefined
  return typeof value === 'string' && value !== '' ? value : undefined
}

function readsOf(node: GraphNode): KeyRead[] {
  const context = node.primitive.manifest.requires?.context ?? []
  return context.map(({ name, type, required }) => ({ node, stated: name, key: keyOf(node, name), type, required }))
}

function writesOf(node: GraphNode): KeyWrite[] {
  const { writes = [], intents = [] } = node.primitive.manifest.effects ?? {}
  const own = writes.map(({ name, type }): KeyWrite => ({ node, stated: name, key: keyOf(node, name), type }))
  const mirrors = intents.flatMap(({ name: intent, mirror_writes = [] }) =>
    mirror_writes.map(({ name, type }): KeyWrite => ({ node, stated: name, key: keyOf(node, name), type, intent })),
  )
  return [...own, ...mirrors]
}
