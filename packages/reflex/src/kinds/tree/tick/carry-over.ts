import type { TreeState } from './tree-state.ts'

/**
 * Gives another version of a tree what outlives a version: the count of executions, the time of the tree, and what nodes keep. `paths`: the nodes
 * that are the same in both, old path to new one.
 */
export function carryOver(before: TreeState, next: TreeState, paths: ReadonlyMap<string, string>): void {
  next.status = before.status
  next.execution = { ...before.execution }
  next.stopped = before.stopped
  const placeOf = (index: number): number => {
    const path = paths.get(before.layout.nodes[index]?.path ?? '')
    return path === undefined ? -1 : next.layout.nodes.findIndex((node) => node.path === path)
  }
  // The further children of a node come back when it is ticked next.
  for (const link of before.links) if (typeof link === 'number') next.linkNode(placeOf(link))
  for (const [index, value] of before.lasting) {
    const place = placeOf(index)
    if (place >= 0) next.lasting.set(place, value)
  }
}
