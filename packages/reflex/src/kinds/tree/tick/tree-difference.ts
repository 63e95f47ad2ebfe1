import { canonicalJson } from '../../../kernel/index.ts'
import type { LaidNode, Layout } from '../compile/layout.ts'

/** The nodes in which two versions of a tree differ, by their paths. */
export interface TreeDifference {
  readonly added: readonly string[]
  readonly removed: readonly string[]
  /** Nodes of both versions whose type, parameters or children differ. */
  readonly changed: readonly string[]
  /** The nodes of both versions with the same type: the path in the new version, by that in the old one. */
  readonly same: ReadonlyMap<string, string>
}

/**
 * Compares two versions of a tree, with the trees to which they refer. Nodes with an id of their own are the same if their paths are. Ids that are
 * made of a type and a line move with every line that is inserted: such nodes are matched among the children of one parent, first equal ones, then
 * those of one type in their order.
 */
export function treeDifference(before: Pick<Layout, 'nodes' | 'root'>, after: Pick<Layout, 'nodes' | 'root'>): TreeDifference {
  const pairs = new Pairs(before.nodes)
  pairs.match([after.root], [before.root])
  const kept = after.nodes.flatMap((node) => {
    const old = pairs.oldOf(node)
    return old === undefined ? [] : [{ node, old }]
  })
  const known = new Set(kept.map(({ old }) => old))
  return {
    added: after.nodes.filter((node) => pairs.oldOf(node) === undefined).map(({ path }) => path),
    removed: before.nodes.filter((node) => !known.has(node)).map(({ path }) => path),
    changed: kept.filter(({ node, old }) => pairs.differs(node, old)).map(({ node }) => node.path),
    same: new Map(kept.filter(({ node, old }) => node.manifest === old.manifest).map(({ node, old }) => [old.path, node.path])),
  }
}

/** Finds the old version of each node. */
class Pairs {
  readonly #byPath: ReadonlyMap<string, LaidNode>
  readonly #old = new Map<LaidNode, LaidNode>()
  readonly #taken = new Set<LaidNode>()
  readonly #texts = new Map<LaidNode, string>()

  constructor(before: readonly LaidNode[]) {
    this.#byPath = new Map(before.filter((node) => !isNumbered(node)).map((node) => [node.path, node]))
  }

  oldOf(node: LaidNode): LaidNode | undefined {
    return this.#old.get(node)
  }

  /** Matches nodes and those below them. `old`: the children of the old version of their parent. */
  match(nodes: readonly LaidNode[], old: readonly LaidNode[]): void {
    const free = old.filter(isNumbered)
    const take = (node: LaidNode, is: (one: LaidNode) => boolean): void => {
      const at = this.#old.has(node) || !isNumbered(node) ? -1 : free.findIndex(is)
      const [found] = at < 0 ? [] : free.splice(at, 1)
      if (found !== undefined) this.#pair(node, found)
    }
    for (const node of nodes) {
      if (isNumbered(node)) take(node, (one) => this.#whole(one) === this.#whole(node))
      else this.#pair(node, old.find(({ id }) => id === node.id) ?? this.#byPath.get(node.path))
    }
    for (const node of nodes) take(node, ({ manifest }) => manifest === node.manifest)
    for (const node of nodes) this.match(node.children, this.#old.get(node)?.children ?? [])
  }

  #pair(node: LaidNode, old: LaidNode | undefined): void {
    if (old === undefined || this.#taken.has(old)) return
    this.#old.set(node, old)
    this.#taken.add(old)
  }

  /** True if a node is, does or contains something else than before. */
  differs(node: LaidNode, old: LaidNode): boolean {
    if (textOf(node) !== textOf(old) || node.children.length !== old.children.length) return true
    return node.children.some((child, i) => this.#old.get(child) !== old.children[i])
  }

  /** A node with everything below it, as text. */
  #whole(node: LaidNode): string {
    let text = this.#texts.get(node)
    if (text === undefined) {
      text = `${isNumbered(node) ? '' : node.id}${textOf(node)}(${node.children.map((child) => this.#whole(child)).join()})`
      this.#texts.set(node, text)
    }
    return text
  }
}

/** True for an id that is made of the type of its node and its line. */
function isNumbered({ id, manifest }: LaidNode): boolean {
  return id.startsWith(`${manifest.type}_`) && /^\d+(?:_\d+)?$/.test(id.slice(manifest.type.length + 1))
}

/** What a node is and does, without what is below it and without its place in a file. */
function textOf({ manifest, params }: LaidNode): string {
  return canonicalJson([manifest.type, params])
}
