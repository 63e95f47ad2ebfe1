import type { Path } from '../../../text/index.ts'
import type { CompiledNode, CompiledTree } from '../compile/compiled.ts'
import { withOnFailure } from '../nodes/with-on-failure.ts'

/** A node of a tree that is checked, with its place. */
export interface CheckedNode {
  /** The place in preorder. */
  readonly index: number
  readonly node: CompiledNode
  readonly parent: CheckedNode | undefined
  /** The place among the children of the parent. */
  readonly place: number
  readonly children: readonly CheckedNode[]
}

/** Returns the nodes of a tree in preorder; the first is its root. */
export function nodesOf({ root }: CompiledTree): readonly [CheckedNode, ...CheckedNode[]] {
  const nodes: CheckedNode[] = []
  const add = (node: CompiledNode, parent: CheckedNode | undefined, place: number): CheckedNode => {
    const children: CheckedNode[] = []
    const checked: CheckedNode = { index: nodes.length, node, parent, place, children }
    nodes.push(checked)
    for (const [i, child] of node.children.entries()) children.push(add(child, checked, i))
    return checked
  }
  const first = add(root, undefined, 0)
  return [first, ...nodes.slice(1)]
}

/** Returns the path of a node in the source of its tree: root, children, 0. */
export function pathOf({ parent, place }: CheckedNode): Path {
  if (parent === undefined) return ['root']
  if (parent.node.manifest === withOnFailure) return [place === 0 ? 'root' : 'on_failure']
  return [...pathOf(parent), 'children', place]
}

/** Returns the parents of a node, inner to outer. */
export function* around({ parent }: CheckedNode): Generator<CheckedNode> {
  for (let at = parent; at !== undefined; at = at.parent) yield at
}
