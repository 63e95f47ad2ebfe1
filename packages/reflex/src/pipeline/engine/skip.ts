import { digest } from '../../kernel/digest.ts'
import { canonicalJson, type Json } from '../../kernel/json.ts'
import type { TypedGraph, TypedNode } from '../compile/typed.ts'
import { type DotNode, listOf, textOf } from '../dot/graph.ts'
import type { Scene } from './handler.ts'

/** Attributes that name what a node reads (reference pipeline 3.10). */
const INPUTS = ['source_key', 'input_key', 'content_key', 'prompt_context_key', 'condition_key'] as const

const hashes = new WeakMap<DotNode, string>()
const repeatable = new WeakMap<TypedGraph, ReadonlySet<string>>()

/** The change detector of a node: SHA-256 over its attributes, sorted, without what is computed. */
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
 * What an execution depends on, as a hash; nothing for nodes that may never be passed over: whatever asks something
 * outside, and what reads its own output.
 */
export function skipKey(scene: Scene): string | undefined {
  const { node, typed } = scene
  if (!isDeterministic(node) || !comesBack(typed).has(node.id)) return undefined
  const inputs = inputsOf(node)
  const outputs = outputsOf(node)
  if (inputs.some((key) => outputs.includes(key))) return undefined
  const values = inputs.map((key): Json => [key, scene.get(key) ?? null])
  return digest(canonicalJson([contentHash(node.node), ...values]))
}

function isDeterministic({ canonical, rawType, custom }: TypedNode): boolean {
  return custom === undefined && canonical === 'transform' && rawType !== 'accumulator'
}

function inputsOf({ node: { attributes } }: TypedNode): readonly string[] {
  const named = INPUTS.flatMap((key) => textOf(attributes, key) ?? [])
  const inside = [...(textOf(attributes, 'expression') ?? '').matchAll(/\{ctx\.([^{}]+)\}/g)].map(([, key = '']) => key)
  const source = attributes.has('source_key') ? [] : ['last_response']
  return [...source, ...named, ...inside, ...listOf(attributes, 'context_keys'), 'graph.goal', 'workdir']
}

function outputsOf({ id, node: { attributes } }: TypedNode): readonly string[] {
  return [textOf(attributes, 'output_key') ?? `transform.${id}`]
}

/** Nodes that a walk can reach a second time: those on cycles, and all from a retry target on. */
function comesBack(typed: TypedGraph): ReadonlySet<string> {
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

/** Nodes that edges lead to from some nodes, those nodes included. */
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
