import type { Fault } from '../../../kernel/index.ts'
import { type Behaviour, FAILURE, type Flow, RUNNING, SKIPPED, SUCCESS, type TreeNode } from '../manifest/behaviour.ts'
import { faults } from '../model/faults.ts'
import type { NodeManifest } from '../manifest/manifest.ts'
import type { CompiledNode, CompiledTree } from './compiled.ts'
import { textOf } from '../model/text-of.ts'
import type { StandIns } from './substitutes.ts'

/** In place of what follows an answer of a child: the behaviour is called. */
export const CALL = 0

/** What follows the answers of the children of a node: an answer, NEXT, or CALL. */
export type Turns = { readonly [Part in keyof Flow]: Part extends 'isReactive' ? boolean : number }

/** A node of a laid out tree, with what its tree knows of it. */
export interface LaidNode extends TreeNode {
  readonly compiled: CompiledNode
  readonly tree: CompiledTree
  readonly manifest: NodeManifest
  /** That of its manifest. */
  readonly behaviour: Behaviour
  /** True if it has neither conditions nor a contract. */
  readonly isPlain: boolean
  /** True if its behaviour is a flow. */
  readonly hasFlow: boolean
  readonly turns: Turns
  /** The next child of its parent. */
  readonly next: LaidNode | undefined
  /** The place after the last node below it; -1 if these do not stand right behind it. */
  readonly end: number
  readonly parent: LaidNode | undefined
  readonly children: readonly LaidNode[]
}

/** Finds the tree of a name. */
export type FindTree = (name: string) => CompiledTree | undefined

/**
 * The nodes of a tree in preorder, and behind them those of the trees to which it refers. Each reference has nodes of its own, so two references
 * to one tree share no states. The tree of a lazy reference is added when it is first ticked.
 */
export class Layout {
  readonly nodes: LaidNode[] = []
  readonly root: LaidNode
  readonly #find: FindTree
  readonly #standIns: StandIns | undefined

  /** `isAlone`: the trees of references are left out. `standIns`: what stands in place of nodes; the nodes below them stay, and are not ticked. */
  constructor(
    tree: CompiledTree,
    find: FindTree,
    { isAlone, standIns }: { readonly isAlone?: true; readonly standIns?: StandIns | undefined } = {},
  ) {
    this.#find = find
    this.#standIns = standIns
    this.root = this.#add(tree.root, tree, undefined, 0, '')
    if (isAlone !== true) this.#linkReferences(0)
  }

  /** Links the references among the nodes from a place on, and those of the trees that are linked. */
  #linkReferences(from: number): void {
    for (let i = from; i < this.nodes.length; i++) {
      const node = this.nodes[i]
      // A reference that something stands in for keeps its tree, so that every node keeps its place.
      if (node?.compiled.manifest.type !== 'subtree_ref' || node.compiled.params.lazy === true) continue
      const fault = this.#linkOne(node)
      if (fault !== undefined) throw fault
    }
  }

  /** Links the tree of a reference. Returns what is wrong if it is missing (R1231, or R1204) or contains itself (R1232). */
  link(node: LaidNode): Fault | undefined {
    const from = this.nodes.length
    const fault = this.#linkOne(node)
    if (fault === undefined) {
      this.#linkReferences(from)
    }
    return fault
  }

  /** Gives a node so many children, each like its first: the copies have the paths `each.1/body`, `each.2/body` and so on. */
  repeat(node: LaidNode, count: number): void {
    const [first] = node.compiled.children
    if (first === undefined) return
    for (let place = node.children.length; place < count; place++) {
      const from = this.nodes.length
      const before: Mutable | undefined = node.children[place - 1]
      const added = this.#add(first, node.tree, node, place, `${node.path}.${place}/`)
      if (before !== undefined) before.next = added
      ;(node.children as LaidNode[]).push(added)
      endElsewhere(node)
      this.#linkReferences(from)
    }
  }

  #linkOne(node: LaidNode): Fault | undefined {
    if (node.children.length > 0) return undefined
    const name = textOf(node.compiled.params.tree_name)
    const chain = [...chainOf(node)]
    if (chain.includes(name)) {
      const cycle = [...chain.slice(0, chain.indexOf(name) + 1).toReversed(), name]
      return faults.make('R1232', `${node.path} refers to ${name}, which contains it: ${cycle.join(' → ')}`, {
        rule: 'E3002',
        path: node.path,
      })
    }
    const tree = node.tree.trees.get(name) ?? this.#find(name)
    if (tree === undefined)
      return faults.make('R1231', `${node.path} refers to the tree ${name}, which is not registered`, { rule: 'E3001', path: node.path })
    // The nodes of the other tree would have the rights of this one.
    if (tree.isUntrusted && !this.root.tree.isUntrusted)
      return faults.make('R1258', `${node.path} refers to the tree ${name}, which a run wrote; it may run only as a program of its own`, {
        path: node.path,
        fix: `write BT.call("${name}"), or read the file and save it with a change: then it is yours`,
      })
    const root = this.#add(tree.root, tree, node, 0, `${node.path}/`)
    ;(node.children as LaidNode[]).push(root)
    endElsewhere(node)
    return undefined
  }

  #add(compiled: CompiledNode, tree: CompiledTree, parent: LaidNode | undefined, place: number, prefix: string): LaidNode {
    const { source } = compiled
    const path = prefix + source.id
    const { manifest, params } = this.#standIns?.of(path) ?? compiled
    const children: LaidNode[] = []
    const node: LaidNode = {
      index: this.nodes.length,
      id: source.id,
      path,
      manifest,
      behaviour: manifest.behaviour,
      isPlain: compiled.conditions === undefined && compiled.contract === undefined,
      hasFlow: manifest.behaviour.flow !== undefined,
      turns: turnsOf(manifest.behaviour),
      next: undefined,
      end: -1,
      params,
      parent,
      place,
      children,
      compiled,
      tree,
    }
    this.nodes.push(node)
    for (const [i, child] of compiled.children.entries()) {
      const added = this.#add(child, tree, node, i, prefix)
      const before: Mutable | undefined = children[i - 1]
      if (before !== undefined) before.next = added
      children.push(added)
    }
    ;(node as Mutable).end = this.nodes.length
    return node
  }
}

/** A node while it is laid out. */
type Mutable = { -readonly [Part in keyof LaidNode]: LaidNode[Part] }

/** Notes that nodes below this one do not stand right behind it. */
function endElsewhere(node: LaidNode): void {
  for (let at: LaidNode | undefined = node; at !== undefined && at.end >= 0; at = at.parent) (at as Mutable).end = -1
}

const CALLED: Turns = { running: CALL, success: CALL, failure: CALL, skipped: CALL, last: CALL, isReactive: false }
/** A node that does nothing with the answers of its child gives the same ones. */
const PASSED_ON: Turns = { running: RUNNING, success: SUCCESS, failure: FAILURE, skipped: SKIPPED, last: CALL, isReactive: false }

function turnsOf(behaviour: Behaviour): Turns {
  return behaviour.flow ?? (behaviour.child === undefined ? PASSED_ON : CALLED)
}

/** The names of the trees around a node, inner to outer. */
function* chainOf(node: LaidNode): Generator<string> {
  let last: CompiledTree | undefined
  for (let at: LaidNode | undefined = node; at !== undefined; at = at.parent) {
    if (at.tree !== last) yield at.tree.id
    last = at.tree
  }
}
