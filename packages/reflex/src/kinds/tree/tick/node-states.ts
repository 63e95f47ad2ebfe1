import { isList, type Json, type Ref } from '../../../kernel/index.ts'
import type { CompiledTree } from '../compile/compiled.ts'
import { Layout } from '../compile/layout.ts'
import { openOf, operationOf } from './position-items.ts'
import { EXECUTION_AT, HEADER, OPEN_AT, START_AT } from './tree-state.ts'

export type NodeStatus = 'FRESH' | 'RUNNING' | 'SUCCESS' | 'FAILURE'

const STATUSES: readonly NodeStatus[] = ['FRESH', 'RUNNING', 'SUCCESS', 'FAILURE']

/** Returns the items of the nodes in a position. */
export function slotsOf(position: Json | undefined): readonly Json[] {
  return isList(position) ? position.slice(HEADER) : []
}

export function statusIn(slot: Json | undefined): NodeStatus {
  return STATUSES[Number(isList(slot) ? slot[0] : (slot ?? 0))] ?? 'FRESH'
}

/** Returns the number and the start of the execution at a position; undefined before the first one. */
export function executionIn(position: Json | undefined): { readonly number: number; readonly start: number } | undefined {
  const number = isList(position) ? Number(position[EXECUTION_AT]) : 0
  return isList(position) && number > 0 ? { number, start: Number(position[START_AT]) } : undefined
}

/** Returns the index of the leaf whose operation has a ref. */
export function operationRefIn(position: readonly Json[], ref: Ref): number | undefined {
  const open = openOf(position[OPEN_AT] ?? 0)
  if (open?.ref === ref) return open.index
  const at = position.findIndex((slot, i) => i >= HEADER && isList(slot) && operationOf(slot[3] ?? 0)?.ref === ref)
  return at < 0 ? undefined : at - HEADER
}

/**
 * Returns the path of the node at which a tree stands: the leaf that its tick waits for, else the last one that is RUNNING. A text is the label
 * of a write, the path of its node.
 */
export function standingAt(def: CompiledTree, position: Json | undefined): string | undefined {
  if (typeof position === 'string') return position
  if (!isList(position)) return undefined
  const paths = pathsOf(def)
  const open = openOf(position[OPEN_AT] ?? 0)
  if (open !== undefined && open.index < paths.length) return paths[open.index]
  const last = position.findLastIndex((slot, i) => i >= HEADER && i - HEADER < paths.length && statusIn(slot) === 'RUNNING')
  return last < 0 ? undefined : paths[last - HEADER]
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
