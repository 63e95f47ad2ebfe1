import { canonicalJson } from '../../../kernel/index.ts'
import type { LaidNode, Layout } from '../compile/layout.ts'

/** The nodes in which two versions of a tree differ, by their paths. */
export interface TreeDifference {
  readonly added: readonly string[]
  readonly removed: readonly string[]
  /** Nodes of both versions whose type, parameters or children differ. */
  readonly changed: readonly string[]
  /** The nodes of both versions with the same type. */
  readonly same: ReadonlySet<string>
}

/** Compares two versions of a tree, with the trees to which they refer. */
export function treeDifference(before: Pick<Layout, 'nodes'>, after: Pick<Layout, 'nodes'>): TreeDifference {
  const old = new Map(before.nodes.map((node) => [node.path, node]))
  const fresh = new Map(after.nodes.map((node) => [node.path, node]))
  const common = [...fresh.values()].filter(({ path }) => old.has(path))
  return {
    added: [...fresh.keys()].filter((path) => !old.has(path)),
    removed: [...old.keys()].filter((path) => !fresh.has(path)),
    changed: common.filter((node) => textOf(node) !== textOf(old.get(node.path))).map(({ path }) => path),
    same: new Set(common.filter(({ path, manifest }) => old.get(path)?.manifest.type === manifest.type).map(({ path }) => path)),
  }
}

/** What a node is and does, without what is below it and without its place in a file. */
function textOf(node: LaidNode | undefined): string {
  if (node === undefined) return ''
  return canonicalJson([node.manifest.type, node.params, node.children.map(({ id }) => id)])
}
