import { isList, type Json } from '../../../kernel/index.ts'
import type { CompiledTree } from '../compile/compiled.ts'
import { Layout } from '../compile/layout.ts'
import { HEADER, OPEN_AT } from './tree-state.ts'

export type NodeStatus = 'FRESH' | 'RUNNING' | 'SUCCESS' | 'FAILURE'

const STATUSES: readonly NodeStatus[] = ['FRESH', 'RUNNING', 'SUCCESS', 'FAILURE']

/** A node whose status has changed. */
export interface ChangedNode {
  readonly path: string
  readonly status: NodeStatus
  readonly reason?: string
}

/** Returns the nodes whose status differs between two positions, in preorder. Nodes of referenced trees are named by their place. */
export function stateNames(def: CompiledTree, before: Json | undefined, after: Json | undefined): ChangedNode[] {
  if (!isList(after)) return []
  const paths = pathsOf(def)
  const was = isList(before) ? before : []
  const changed: ChangedNode[] = []
  for (let i = HEADER; i < after.length; i++) {
    const [from, to] = [statusIn(was[i]), statusIn(after[i])]
    if (from !== to) changed.push({ path: paths[i - HEADER] ?? `node ${i - HEADER}`, status: to })
  }
  return changed
}

function statusIn(slot: Json | undefined): NodeStatus {
  return STATUSES[Number(isList(slot) ? slot[0] : (slot ?? 0))] ?? 'FRESH'
}

/** Returns the path of the node at which a tree stands: the leaf that its tick waits for, else the last one that is RUNNING. */
export function standingAt(def: CompiledTree, position: Json | undefined): string | undefined {
  if (!isList(position)) return undefined
  const open = position[OPEN_AT]
  if (isList(open)) return pathsOf(def)[Number(open[0])]
  const last = position.findLastIndex((slot, i) => i >= HEADER && statusIn(slot) === 'RUNNING')
  return last < 0 ? undefined : pathsOf(def)[last - HEADER]
}

const PATHS = new WeakMap<CompiledTree, readonly string[]>()

/** The paths of the nodes of a tree in preorder, without those of the trees that it refers to. */
function pathsOf(def: CompiledTree): readonly string[] {
  let paths = PATHS.get(def)
  if (paths === undefined) {
    paths = new Layout(def, () => undefined, { isAlone: true }).nodes.map(({ path }) => path)
    PATHS.set(def, paths)
  }
  return paths
}
