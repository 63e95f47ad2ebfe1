import { quote } from '../../../text/index.ts'
import { versionOf } from '../dot/version.ts'
import type { TypedGraph } from '../model/typed.ts'
import type { LintFinding, LintRule } from './finding.ts'

/**
 * Unreachable nodes after an unreachable node are counted there: they are the same mistake. In a pipeline that its own run has
 * changed, the finding is only a warning: a later change may add an edge (reference pipeline 9).
 */
export const reachability: LintRule = {
  name: 'reachability',
  code: 'R1127',
  *apply(typed) {
    if (typed.start === undefined) return
    const { reached } = typed
    const lost = [...typed.nodes.keys()].filter((node) => !reached.has(node))
    const first = lost.filter((node) => (typed.incoming.get(node) ?? []).length === 0)
    const reported = new Set<string>()
    const severity = versionOf(typed.graph) > 0 ? 'warning' : undefined
    for (const node of [...first, ...lost]) {
      if (reported.has(node)) continue
      const before = reported.size
      spread(typed, node, reached, reported)
      yield { ...unreachable(node, reported.size - before - 1, typed.start), severity }
    }
  },
}

/** Adds a node, and the unreachable nodes after it, to the reported ones. */
function spread({ outgoing }: TypedGraph, from: string, reached: ReadonlySet<string>, reported: Set<string>): void {
  const pending = [from]
  reported.add(from)
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    for (const { edge } of outgoing.get(node) ?? []) {
      if (reached.has(edge.to) || reported.has(edge.to)) continue
      reported.add(edge.to)
      pending.push(edge.to)
    }
  }
}

function unreachable(node: string, behind: number, start: string): LintFinding {
  const more = behind === 0 ? '' : `, nor ${behind === 1 ? 'the node' : `the ${behind} nodes`} after it`
  return { message: `${quote(node)} cannot be reached${more}`, node, note: `no path leads here from ${quote(start)}` }
}

/** A node without edges is valid if a jump or a join leads to it (reference pipeline 2.6, 24). */
export const orphanNode: LintRule = {
  name: 'orphan_node',
  code: 'R1128',
  *apply(typed) {
    for (const [node, before] of typed.incoming) {
      if (before.length > 0 || (typed.outgoing.get(node) ?? []).length > 0) continue
      if (typed.reached.has(node) && node !== typed.start) continue
      yield { message: `${quote(node)} has no edge`, node }
    }
  },
}
