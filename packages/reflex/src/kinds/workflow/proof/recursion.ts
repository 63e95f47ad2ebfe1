import { quote } from '../../../text/index.ts'
import { cyclesOf } from '../../../programs/cycles.ts'
import type { Finding } from './finding.ts'
import type { Prover } from './prover.ts'
import type { Layout, ProofNode } from './layout.ts'

/** The limit of workflows that are followed over calls; the others are assumed to end. */
const MOST_WORKFLOWS = 10_000

/**
 * Returns the findings about calls that never return, because each path of the called workflow leads to such a call: endless
 * recursion (seed workflow 1.5). The set is computed as a least fixed point: a workflow can end if one of its paths, over guards
 * that can be open, meets only calls of workflows that can end. Unknown workflows are assumed to end.
 */
export function endlessCalls(prover: Prover, layout: Layout): Finding[] {
  const endless = endlessOf(prover, layout)
  if (endless.size === 0) return []
  return layout.nodes.flatMap(({ id, invokes, isLinked }): Finding[] => {
    const child = invokes === undefined ? undefined : prover.layoutOf(invokes.workflowId)
    if (!isLinked || child === undefined || !endless.has(child)) return []
    const name = quote(child.workflow.id)
    const isSelf = child === layout
    return [
      {
        rule: 'ENDLESS_RECURSION',
        nodeId: id,
        key: '',
        message: `node ${quote(id)} calls ${isSelf ? 'its own workflow' : name}, which never ends`,
        path: ['nodes', id, 'invokes', 'workflowId'],
        note: isSelf ? `each path of ${name} leads here` : `each path of ${name} leads to a call that never returns`,
        fix: 'add a path to an end without such a call, and let a guard choose between the two paths',
      },
    ]
  })
}

/** Returns the workflows reachable over calls, including the first, that can never end. */
function endlessOf(prover: Prover, start: Layout): ReadonlySet<Layout> {
  const all = new Set([start])
  const callers = new Map<Layout, Set<Layout>>()
  for (const layout of all) {
    for (const { invokes } of layout.nodes) {
      const child = invokes === undefined ? undefined : prover.layoutOf(invokes.workflowId)
      if (child === undefined || (!all.has(child) && all.size >= MOST_WORKFLOWS)) continue
      all.add(child)
      callers.set(child, (callers.get(child) ?? new Set()).add(layout))
    }
  }
  const recursive = recursiveLayouts(all, callers)
  const ending = new Set<Layout>()
  const queue = [...all].reverse()
  for (const layout of queue) {
    if (ending.has(layout)) continue
    const returns = ({ invokes }: ProofNode): boolean => {
      const child = invokes === undefined ? undefined : prover.layoutOf(invokes.workflowId)
      return child === undefined || ending.has(child) || !all.has(child)
    }
    if (!hasPathToEnd(layout, returns) || (recursive.has(layout) && !prover.canEnd(layout, returns))) continue
    ending.add(layout)
    queue.push(...(callers.get(layout) ?? []))
  }
  return new Set([...all].filter((layout) => !ending.has(layout)))
}

/** Returns the workflows that call themselves, directly or through others. Only their guards must be tried. */
function recursiveLayouts(all: ReadonlySet<Layout>, callers: ReadonlyMap<Layout, ReadonlySet<Layout>>): ReadonlySet<Layout> {
  const byName = new Map(Array.from(all, (layout) => [layout.workflow.id, layout]))
  const callersOf = (name: string): string[] => {
    const layout = byName.get(name)
    return Array.from(layout === undefined ? [] : (callers.get(layout) ?? []), ({ workflow }) => workflow.id)
  }
  const cycles = cyclesOf([...byName.keys()], callersOf)
  return new Set(cycles.flat().flatMap((name) => byName.get(name) ?? []))
}

/** True if some path from the entry to an end meets only nodes that return, regardless of guards. */
function hasPathToEnd(layout: Layout, returns: (proofNode: ProofNode) => boolean): boolean {
  // A workflow without an entry or an end is refused for that reason.
  if (layout.entry === -1 || layout.graph.terminals.length === 0) return true
  const passable = new Set<number>()
  for (const [place, proofNode] of layout.nodes.entries()) {
    if (place !== layout.entry && !proofNode.incoming.some(({ from }) => passable.has(from))) continue
    if (!returns(proofNode)) continue
    if (layout.graph.outgoing(proofNode.id).length === 0) return true
    passable.add(place)
  }
  return false
}
