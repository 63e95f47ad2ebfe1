import { resolveKey } from '../manifests/keys.ts'
import { SET_CONTEXT } from '../model/effect.ts'
import type { GraphNode, ValidatedGraph } from '../model/graph.ts'
import type { ScalarType } from '../model/value.ts'

/** A key of the context that a graph uses, with one type, and the indexes of the nodes that use it. */
export interface UsedKey {
  readonly key: string
  readonly type: ScalarType
  /** True if a source fails without it. */
  readonly required: boolean
  readonly nodes: readonly number[]
}

/** The keys that a graph reads and writes, in the order of their text. A key that is used with two types occurs twice. */
export interface ContextKeys {
  readonly reads: readonly UsedKey[]
  readonly writes: readonly UsedKey[]
}

interface NamedKey {
  readonly name: string
  readonly type: ScalarType
  readonly required?: boolean
}

/** Returns the keys that a graph reads and writes, with those of mirror writes. */
export function contextKeys({ nodes }: Pick<ValidatedGraph, 'nodes'>): ContextKeys {
  return {
    reads: usedKeys(nodes, ({ primitive: { manifest } }) => manifest.requires?.context ?? []),
    writes: usedKeys(nodes, writesOf),
  }
}

/** Returns the kinds of effects that a graph can emit, in the order of their text. */
export function emittableKinds({ nodes }: Pick<ValidatedGraph, 'nodes'>): readonly string[] {
  const kinds = new Set<string>()
  for (const node of nodes) {
    for (const { name } of node.primitive.manifest.effects?.intents ?? []) kinds.add(name)
    if (writesOf(node).length > 0) kinds.add(SET_CONTEXT)
  }
  return [...kinds].sort()
}

/** True if a graph cannot run without an adapter: a source requires a key, or an action has effects (reference 5.5). */
export function requiresAdapter({ nodes }: Pick<ValidatedGraph, 'nodes'>): boolean {
  return nodes.some(({ primitive: { manifest } }) => {
    const { writes = [], intents = [] } = manifest.effects ?? {}
    return writes.length > 0 || intents.length > 0 || manifest.requires?.context.some(({ required }) => required) === true
  })
}

/** Returns the keys that an action writes more than once, because its parameters name one key. */
export function doubleKeys(node: GraphNode): { readonly key: string; readonly parameters: readonly string[] }[] {
  const names = writesOf(node).map(({ name }) => name)
  if (names.length < 2) return []
  const byKey = Map.groupBy(names, (name) => resolveKey(name, node.params))
  return [...byKey].flatMap(([key, same]) => (key === undefined || same.length < 2 ? [] : [{ key, parameters: [...new Set(same)] }]))
}

/** Returns the keys of a manifest that its action writes. */
function writesOf({ primitive: { manifest } }: GraphNode): readonly NamedKey[] {
  const { writes = [], intents = [] } = manifest.effects ?? {}
  return [...writes, ...intents.flatMap((intent) => intent.mirror_writes ?? [])]
}

function usedKeys(nodes: readonly GraphNode[], keysOf: (node: GraphNode) => readonly NamedKey[]): UsedKey[] {
  const used = new Map<string, { key: string; type: ScalarType; required: boolean; nodes: number[] }>()
  for (const [index, node] of nodes.entries()) {
    for (const { name, type, required = false } of keysOf(node)) {
      const key = resolveKey(name, node.params)
      if (key === undefined) continue
      const id = `${type} ${key}`
      const entry = used.get(id) ?? { key, type, required: false, nodes: [] }
      entry.required ||= required
      if (entry.nodes.at(-1) !== index) entry.nodes.push(index)
      used.set(id, entry)
    }
  }
  return [...used.values()].sort((a, b) => (a.key === b.key ? (a.type < b.type ? -1 : 1) : a.key < b.key ? -1 : 1))
}
