import { digest, canonicalJson, type Json } from '../../../kernel/index.ts'
import { keyOf, readsOf } from '../model/node-keys.ts'
import { outputsOf } from '../model/operation-facts.ts'
import type { TypedGraph, TypedNode } from '../model/typed.ts'
import { type DotNode, isOn, listOf, textOf } from '../dot/graph.ts'
import type { NodeContext } from './handler.ts'

/** Attributes that name the inputs of a node (reference pipeline 3.10). */
const INPUTS = ['source_key', 'input_key', 'content_key', 'prompt_context_key', 'condition_key'] as const

const hashes = new WeakMap<DotNode, string>()
const repeatable = new WeakMap<TypedGraph, ReadonlySet<string>>()

/** Returns the hash of a node for change detection: SHA-256 over its sorted attributes without computed ones. */
export function contentHash(node: DotNode): string {
  let hash = hashes.get(node)
  if (hash === undefined) {
    const entries = [...node.attributes].filter(([key]) => key !== 'content_hash').map(([key, { value }]): [string, Json] => [key, value])
    hash = digest(canonicalJson(Object.fromEntries(entries)))
    hashes.set(node, hash)
  }
  return hash
}

/**
 * Returns the hash of all inputs of an execution. Undefined for nodes that always run: those with effects that the author does
 * not declare idempotent, and those that read their own output (reference pipeline 3.10).
 */
export function skipKey(scene: NodeContext): string | undefined {
  const { node, typed } = scene
  if (!(isPure(node) || isCalledIdempotent(node)) || !repeatableNodes(typed).has(node.id)) return undefined
  const inputs = inputsOf(node)
  const output = outputOf(node)
  if (inputs.includes(output)) return undefined
  const values = inputs.map((key): Json => [key, scene.get(key) ?? null])
  return digest(canonicalJson([contentHash(node.node), ...values]))
}

/** True if the output of a node depends only on the context. */
export function isPure({ facts, custom, idempotency, node: { attributes } }: TypedNode): boolean {
  if (custom !== undefined || attributes.has('pre_hook') || attributes.has('post_hook')) return false
  const isRepeatable = idempotency === 'idempotent' || idempotency === 'read_only'
  return isRepeatable && facts.pure === true
}

/** Types that an author can declare idempotent: each execution is one unit of work that ends by itself. */
const REPEATABLE: ReadonlySet<string> = new Set(['compute', 'exec', 'read'])

/** True if the author declares that a node with effects need not repeat them after a resume. */
export function isCalledIdempotent({ canonical, custom, node: { attributes } }: TypedNode): boolean {
  return isOn(attributes, 'idempotent') && (custom !== undefined || REPEATABLE.has(canonical))
}

/** Context keys in texts: `{ctx.key}` and `$key`. */
const NAMED = /\{ctx\.([^{}]+)\}|\$([A-Za-z_]\w*(?:\.[\w-]+)*)/g

function inputsOf({ id, facts, node: { attributes } }: TypedNode): readonly string[] {
  const reads = readsOf({ id, facts, attributes }).map(({ key }) => key)
  const named = INPUTS.flatMap((key) => textOf(attributes, key) ?? [])
  const inside = [...attributes.keys()].flatMap((key) =>
    [...(textOf(attributes, key) ?? '').matchAll(NAMED)].map(([, written, variable = '']) => written ?? variable),
  )
  return [...reads, ...named, ...inside, ...listOf(attributes, 'context_keys'), 'graph.goal', 'workdir']
}

/** Returns the key that a pure node writes. */
export function outputOf({ id, facts, node: { attributes } }: TypedNode): string {
  const [first] = outputsOf(facts, attributes)
  return first === undefined ? '' : keyOf(first, attributes, id)
}

/** Returns the nodes that a run can reach twice: those on cycles, and all nodes after a retry target. */
function repeatableNodes(typed: TypedGraph): ReadonlySet<string> {
  let found = repeatable.get(typed)
  if (found === undefined) {
    const { attributes } = typed.graph
    const targets = [attributes, ...[...typed.nodes.values()].map(({ node }) => node.attributes)].flatMap((all) => [
      ...(textOf(all, 'retry_target') === undefined ? [] : [textOf(all, 'retry_target') ?? '']),
      ...(textOf(all, 'fallback_retry_target') === undefined ? [] : [textOf(all, 'fallback_retry_target') ?? '']),
    ])
    found = reachable(typed, [...typed.cycles.flat(), ...targets])
    repeatable.set(typed, found)
  }
  return found
}

/** Returns the nodes that edges reach from some nodes, including those. */
export function reachable(typed: TypedGraph, from: readonly string[], without?: string): ReadonlySet<string> {
  const seen = new Set<string>()
  const open = from.filter((id) => typed.nodes.has(id) && id !== without)
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (seen.has(id)) continue
    seen.add(id)
    for (const { edge } of typed.outgoing.get(id) ?? []) if (edge.to !== without && !seen.has(edge.to)) open.push(edge.to)
  }
  return seen
}
