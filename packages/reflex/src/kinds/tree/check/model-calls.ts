import type { CompiledNode, CompiledTree } from '../compile/compiled.ts'
import { textOf } from '../model/text-of.ts'
import type { Findings } from './finding.ts'
import { type CheckedNode, nodesOf } from './subject.ts'
import type { TreeOf } from './writes.ts'

/** The most calls of models that one execution of a node makes, and the node that makes them many. */
interface Calls {
  readonly most: number
  readonly least: number
  /** The id of the loop without a bound. */
  readonly because: string | undefined
}

const NO_CALLS: Calls = { most: 0, least: 0, because: undefined }

/** States the most calls of models in one execution, if a loop or a retry multiplies them. */
export function checkModelCalls(nodes: readonly CheckedNode[], treeOf: TreeOf, findings: Findings): void {
  const { most, least, because } = callsOf(nodes, treeOf, new Map())
  if (most <= least) return
  const count = because === undefined ? `at most ${most} times` : `without a limit, because of ${because}`
  findings.add('R1292', undefined, '', () => ({
    at: [],
    message: `one execution asks models ${count}`,
    fix: 'nothing; a count, max_retries or budget_tokens makes it smaller',
    data: { most: because === undefined ? most : 'unbounded', nodes: least },
  }))
}

function callsOf(nodes: readonly CheckedNode[], treeOf: TreeOf, trees: Map<CompiledTree, Calls>): Calls {
  const calls: Calls[] = Array.from({ length: nodes.length })
  const ofTree = (name: string): Calls => {
    const tree = treeOf(name)
    if (tree === undefined) return NO_CALLS
    const known = trees.get(tree)
    if (known !== undefined) return known
    trees.set(tree, NO_CALLS)
    const found = callsOf(nodesOf(tree), treeOf, trees)
    trees.set(tree, found)
    return found
  }
  for (const { index, node, children } of nodes.toReversed()) {
    const below = children.map((child) => calls[child.index] ?? NO_CALLS)
    calls[index] = node.manifest.type === 'subtree_ref' ? ofTree(textOf(node.params.tree_name)) : ofNode(node, below)
  }
  return calls[0] ?? NO_CALLS
}

function ofNode({ manifest, params, source }: CompiledNode, below: readonly Calls[]): Calls {
  if (manifest.type === 'llm_call')
    return { most: 1 + Number(params.max_retries), least: 1 + Number(params.max_retries), because: undefined }
  const most = below.reduce((sum, each) => sum + each.most, 0)
  const least = below.reduce((sum, each) => sum + each.least, 0)
  if (most === 0) return NO_CALLS
  const times = timesOf(manifest.type, params)
  const because = below.find((each) => each.because !== undefined)?.because ?? (times === Infinity ? source.id : undefined)
  return { most: most * times, least, because }
}

function timesOf(type: string, params: CompiledNode['params']): number {
  if (type === 'retry') return 1 + Number(params.max_retries)
  if (type === 'repeater') return params.count === undefined ? Infinity : Number(params.count)
  if (type === 'parallel' && params.on_child_fail === 'retry') return 1 + Number(params.max_child_retries)
  return type === 'for_each' ? Infinity : 1
}
