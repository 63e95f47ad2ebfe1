import { cyclesOf, shortestCycle } from '../../../programs/cycles.ts'
import type { ExpandedGraph } from '../clusters/expand.ts'
import { DefinitionReport, type Report } from '../clusters/report.ts'
import { nodeName } from '../model/graph.ts'

const MAX_SHOWN = 12

/**
 * Reports each group of nodes that are in cycles with each other, with a shortest cycle: rule V.1. `rest`: the nodes that have no order.
 */
export function checkCycles(graph: ExpandedGraph, rest: readonly number[], next: readonly (readonly number[])[], report: Report): void {
  const byEnds = Map.groupBy(graph.edges, ({ from, to }) => `${from?.node} ${to.node}`)
  const after = (node: string): readonly string[] => (next[Number(node)] ?? []).map(String)
  for (const members of cyclesOf(rest.map(String), after)) {
    const cycle = shortestCycle(members, after).map(Number)
    const [last, first] = [cycle.at(-2), cycle.at(-1)]
    const edge = byEnds.get(`${last} ${first}`)?.[0]
    if (edge === undefined) continue
    const names = cycle.map((index) => nodeOf(graph, index))
    const shown =
      names.length <= MAX_SHOWN ? names : [...names.slice(0, MAX_SHOWN - 2), `… ${names.length - MAX_SHOWN + 1} more`, ...names.slice(-1)]
    const owner = new DefinitionReport(report, edge.source, edge.source === graph.source ? 0 : 1)
    owner.add('R1324', `the edges form a cycle: ${shown.join(' → ')}`, ['edges', edge.index], {
      rule: 'V.1',
      note: 'closes the cycle',
      fix: 'remove one of the edges; a value for the next event goes through a key of the context',
    })
  }
}

function nodeOf({ nodes }: ExpandedGraph, index: number): string {
  const node = nodes[index]
  return node === undefined ? '' : nodeName(node)
}
