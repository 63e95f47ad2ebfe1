import { isList, isObject } from '../../../kernel/index.ts'
import type { Assignments, CompiledNode, CompiledTree } from '../compile/compiled.ts'
import { textOf } from '../model/text-of.ts'
import { NODES } from '../nodes/table.ts'
import { outputOf } from '../nodes/tool.ts'
import type { CheckedNode } from './subject.ts'

/** The keys that a node, with everything below it, can write. */
export interface Writes {
  readonly keys: ReadonlySet<string>
  /** Code without a contract stands in it, which can write every key of the tree. */
  readonly isOpaque: boolean
}

/** What a leaf writes itself. */
export interface LeafWrites {
  /** Keys that have a value after its success. */
  readonly onSuccess: readonly string[]
  /** Keys that can have a value after its failure. */
  readonly onFailure: readonly string[]
  readonly isOpaque: boolean
}

/** Finds the tree of a reference. */
export type TreeOf = (name: string) => CompiledTree | undefined

const BUILT_IN = new Set(NODES.map(({ type }) => type))
const NO_WRITES: LeafWrites = { onSuccess: [], onFailure: [], isOpaque: false }
const OPAQUE: LeafWrites = { ...NO_WRITES, isOpaque: true }

/** Returns the writes of each node by its place, deepest first in one pass. */
export function writesOf(nodes: readonly CheckedNode[], treeOf: TreeOf): readonly Writes[] {
  const writes: Writes[] = Array.from({ length: nodes.length })
  for (const checked of nodes.toReversed()) {
    const own = ownWrites(checked.node, treeOf)
    const below = checked.children.flatMap(({ index }) => writes[index] ?? [])
    const [only] = below
    const keys = [...own.onSuccess, ...own.onFailure, ...assigned(checked.node)]
    const isOpaque = own.isOpaque || below.some((each) => each.isOpaque)
    // The item of a loop is gone when the loop has ended.
    const gone = checked.node.manifest.type === 'for_each' ? own.onSuccess : []
    const isSame = only !== undefined && below.length === 1 && keys.length === 0
    const all = isSame ? only.keys : new Set([...keys, ...below.flatMap((each) => [...each.keys])])
    writes[checked.index] = { keys: gone.length === 0 ? all : new Set([...all].filter((key) => !gone.includes(key))), isOpaque }
  }
  return writes
}

/** Returns the nodes that write a key themselves. */
export function writersIn(nodes: readonly CheckedNode[], treeOf: TreeOf): (key: string) => readonly CheckedNode[] {
  let writers: Map<string, CheckedNode[]> | undefined
  const find = (): Map<string, CheckedNode[]> => {
    const found = new Map<string, CheckedNode[]>()
    for (const checked of nodes) {
      const { onSuccess, onFailure } = ownWrites(checked.node, treeOf)
      for (const key of new Set([...onSuccess, ...onFailure, ...assigned(checked.node)]))
        found.set(key, [...(found.get(key) ?? []), checked])
    }
    return found
  }
  return (key) => (writers ??= find()).get(key) ?? []
}

function assigned({ conditions = {} }: CompiledNode): string[] {
  const all: readonly (Assignments | undefined)[] = [conditions.onSuccess, conditions.onFailure, conditions.onHalted, conditions.after]
  return all.flatMap((assignments = []) => assignments.map(([key]) => key))
}

/** Returns what a node writes itself, without its children. */
export function ownWrites(node: CompiledNode, treeOf: TreeOf): LeafWrites {
  const { manifest, params, contract } = node
  const outputs = Object.keys({ ...contract?.outputs, ...contract?.inouts })
  if (!BUILT_IN.has(manifest.type) && manifest.role === 'leaf') return outputs.length > 0 ? { ...NO_WRITES, onSuccess: outputs } : OPAQUE
  const named = manifest.parameters.flatMap(({ name, type, flow }) =>
    type === 'key' && flow !== 'in' && flow !== undefined && params[name] !== undefined ? [textOf(params[name])] : [],
  )
  switch (manifest.type) {
    case 'action':
      return contract === undefined ? OPAQUE : { ...NO_WRITES, onSuccess: outputs }
    case 'script':
      return contract === undefined ? scriptWrites(textOf(params.code)) : { ...NO_WRITES, onSuccess: outputs }
    case 'tool':
      return { ...NO_WRITES, onSuccess: [outputOf(params)] }
    case 'llm_call':
      return { ...NO_WRITES, onSuccess: named, onFailure: [`${textOf(params.response_key)}_error`] }
    case 'call':
      return { ...NO_WRITES, onSuccess: [...named, ...Object.keys(isObject(params.export) ? params.export : {})] }
    case 'ask':
      return { ...NO_WRITES, onSuccess: named, onFailure: named }
    case 'subtree_ref':
      return referenceWrites(node, treeOf(textOf(params.tree_name)))
    default:
      return { ...NO_WRITES, onSuccess: [...named, ...outputs] }
  }
}

/** The keys that come back from a tree. */
function referenceWrites({ params }: CompiledNode, tree: CompiledTree | undefined): LeafWrites {
  const { export: chosen, share } = params
  if (share === true) return OPAQUE
  if (isList(chosen)) return { ...NO_WRITES, onSuccess: chosen.map(textOf) }
  if (isObject(chosen)) return { ...NO_WRITES, onSuccess: Object.keys(chosen) }
  return tree?.outputs === undefined ? OPAQUE : { ...NO_WRITES, onSuccess: tree.outputs }
}

const SET_LITERAL = /\b(?:bb|blackboard)\s*[.:]\s*(?:set|set_global)\s*\(\s*(["'])([\w-]+)\1/g
const SET_ANY = /\b(?:set|set_global|setGlobal|delete)\b/g

/** A script writes the keys that it names; a name that is computed can be any key. */
function scriptWrites(code: string): LeafWrites {
  const named = [...code.matchAll(SET_LITERAL)].map(([, , key = '']) => key)
  if ([...code.matchAll(SET_ANY)].length > named.length || code === '') return OPAQUE
  // A script writes what it comes to; a branch of it may write less.
  return { onSuccess: named, onFailure: named, isOpaque: false }
}
