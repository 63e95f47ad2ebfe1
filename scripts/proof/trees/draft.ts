/** A tree that is changed in place. */
import type { Json } from '../../../packages/reflex/src/kernel/index.ts'
import type { NodeSource, TreeSource } from '../../../packages/reflex/src/kinds/tree/model/source.ts'
import type { Dice } from '../random.ts'

export interface DraftNode {
  type: string
  id: string
  params?: Record<string, Json>
  children?: DraftNode[]
}

export type DraftTree = { -readonly [Key in keyof TreeSource]: TreeSource[Key] } & { root: DraftNode }

/** Returns a copy of a tree that can be changed. */
export function draftOf(tree: TreeSource): DraftTree {
  return structuredClone(tree) as unknown as DraftTree
}

/** Returns all nodes in preorder. */
export function all(node: DraftNode): DraftNode[] {
  return [node, ...(node.children ?? []).flatMap(all)]
}

/** Returns a node that fits; undefined if there is none. */
export function pick(tree: DraftTree, dice: Dice, fits: (node: DraftNode) => boolean): DraftNode | undefined {
  const found = all(tree.root).filter(fits)
  return found.length === 0 ? undefined : dice.pick(found)
}

/** Puts a node in front of some sequence, or of the whole tree. */
export function insert(tree: DraftTree, dice: Dice, node: NodeSource): void {
  const sequence = pick(tree, dice, ({ type }) => type === 'sequence')
  if (sequence === undefined) tree.root = { type: 'sequence', id: 'm_front', children: [node as DraftNode, tree.root] }
  else sequence.children = [node as DraftNode, ...(sequence.children ?? [])]
}

/** Puts a node in front of the whole tree: no code has run before it. */
export function insertFirst(tree: DraftTree, node: NodeSource): void {
  tree.root = { type: 'sequence', id: 'm_front', children: [node as DraftNode, tree.root] }
}

/** Puts a decorator, or another parent, around a node. The node keeps its id. */
export function wrap(node: DraftNode, type: string, id: string, params: Record<string, Json> = {}): void {
  const inner: DraftNode = { ...node }
  delete node.params
  Object.assign(node, { type, id, params, children: [inner] })
}

/** Returns a declared key with a default of one of the types. */
export function keyOf(tree: DraftTree, dice: Dice, types: readonly string[]): string | undefined {
  const keys = Object.entries(tree.board ?? {}).filter(
    ([, { type, default: first }]) => typeof type === 'string' && types.includes(type) && first !== undefined,
  )
  return keys.length === 0 ? undefined : dice.pick(keys.map(([key]) => key))
}

/** True if no code can write any key. */
export function isClosed(tree: DraftTree): boolean {
  return all(tree.root).every(({ type, params }) => (type !== 'action' && type !== 'script') || params?.contract !== undefined)
}

/** Returns a word with two letters exchanged. */
export function slip(word: string): string {
  return `${word.slice(0, -2)}${word.slice(-1)}${word.slice(-2, -1)}x`
}
