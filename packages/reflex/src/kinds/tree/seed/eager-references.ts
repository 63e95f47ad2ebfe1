import type { NodeSource, TreeSource } from '../model/source.ts'
import { textOf } from '../model/text-of.ts'

/** Returns the names of the other trees to which a tree, or one of its file, refers at once. */
export function eagerReferences(tree: TreeSource): readonly string[] {
  const trees = [tree, ...Object.values(tree.trees ?? {})]
  const refs = trees.flatMap(nodesOf).filter(({ type, params }) => type === 'subtree_ref' && params?.lazy !== true)
  const names = new Set(refs.map(({ params }) => textOf(params?.tree_name)))
  return [...names].filter((name) => tree.trees?.[name] === undefined)
}

function nodesOf({ root, on_failure }: TreeSource): readonly NodeSource[] {
  const below = (node: NodeSource): NodeSource[] => [node, ...(node.children ?? []).flatMap(below)]
  return [...below(root), ...(on_failure === undefined ? [] : below(on_failure))]
}
