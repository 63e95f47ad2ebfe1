import { equalJson, type Json } from '../../../kernel/index.ts'
import type { NodeSource, TreeSource } from '../model/source.ts'
import { nodesOf } from './tree-validator.ts'

/** The ids of the nodes that differ between two versions of a tree. */
export function treeChanges(
  before: TreeSource,
  after: TreeSource,
): { readonly added: string[]; readonly removed: string[]; readonly changed: string[] } {
  const [old, now] = [byId(before), byId(after)]
  return {
    added: [...now.keys()].filter((id) => !old.has(id)),
    removed: [...old.keys()].filter((id) => !now.has(id)),
    changed: [...now].flatMap(([id, node]) => {
      const known = old.get(id)
      return known !== undefined && !isSame(known, node) ? [id] : []
    }),
  }
}

function byId(tree: TreeSource): Map<string, NodeSource> {
  return new Map(nodesOf(tree).map((node) => [node.id, node]))
}

function isSame(one: NodeSource, other: NodeSource): boolean {
  return equalJson(ownPart(one), ownPart(other))
}

/** A node without its line, and with the ids of its children only. */
function ownPart({ line: _, code_line: __, children = [], ...node }: NodeSource): Json {
  return JSON.parse(JSON.stringify({ ...node, children: children.map(({ id }) => id) })) as Json
}
