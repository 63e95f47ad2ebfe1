import { didYouMean, quote } from '../../../text/index.ts'
import { isOn, textOf } from '../dot/graph.ts'
import { isBlock } from '../model/joins.ts'
import type { TypedEdge } from '../model/typed.ts'
import type { LintFinding, LintRule } from './finding.ts'
import { guesser } from './guess.ts'
import { reachedFrom } from './reach.ts'
import { valuesThat } from './search.ts'
import type { LintSubject } from './subject.ts'

/** The budget of visited nodes for one pipeline. The rule ignores further blocks when it is used up. */
const WORK = 200_000

/** Finds parallel blocks with a branch that never reaches the join of the others (reference pipeline 3.9.2). */
export const lostJoin: LintRule = {
  name: 'lost_join',
  code: 'R1151',
  *apply(subject) {
    const guess = guesser(subject.nodes.keys())
    let work = WORK
    for (const { id, node } of valuesThat(subject.nodes, isBlock)) {
      const written = textOf(node.attributes, 'join_target') ?? ''
      if (written !== '' && !subject.nodes.has(written)) {
        yield noSuchJoin(id, written, guess(written))
        continue
      }
      const inferred = subject.joins.get(id)
      if (written === '' && inferred !== undefined && subject.nodes.get(inferred)?.canonical === 'fan_in') continue
      const branches = reachOf(subject, id)
      work -= branches.reduce((sum, { reached }) => sum + reached.size, 0)
      if (work < 0) return
      yield* unjoinedBranches(subject, id, written, branches)
    }
  },
}

function noSuchJoin(node: string, target: string, meant: string | undefined): LintFinding {
  return {
    message: `the branches of ${quote(node)} must join at ${quote(target)}; there is no such node`,
    node,
    attribute: 'join_target',
    note: didYouMean(meant),
    fix: meant === undefined ? 'name a node, or leave the attribute out' : `write ${quote(meant)}`,
  }
}

interface Branch {
  readonly edge: TypedEdge
  readonly reached: ReadonlySet<string>
}

/** Returns the nodes that each branch can reach without passing the parallel node again. */
function reachOf({ outgoing }: LintSubject, id: string): Branch[] {
  const without = new Map(outgoing)
  without.set(id, [])
  return (outgoing.get(id) ?? []).map((edge) => ({ edge, reached: reachedFrom({ outgoing: without }, [edge.edge.to]) }))
}

/**
 * Yields the branches that miss the written join target, or otherwise the fan-in that another branch reaches. A single branch
 * has nothing to join.
 */
function* unjoinedBranches({ nodes }: LintSubject, id: string, written: string, branches: readonly Branch[]): Generator<LintFinding> {
  if (branches.length < 2) return
  const met = written !== '' ? written : nearest(branches, (node) => nodes.get(node)?.canonical === 'fan_in')
  if (met === undefined) return
  for (const { edge, reached } of branches) {
    if (reached.has(met)) continue
    yield {
      message: `the branch of ${quote(id)} through ${quote(edge.edge.to)} never reaches ${quote(met)}`,
      edge,
      note: 'this branch is not joined',
      fix: `lead it to ${quote(met)}`,
    }
  }
}

/** Returns the fitting node that most branches reach; the first one found wins a tie. */
function nearest(branches: readonly Branch[], fits: (node: string) => boolean): string | undefined {
  const count = new Map<string, number>()
  for (const { reached } of branches) for (const node of reached) if (fits(node)) count.set(node, (count.get(node) ?? 0) + 1)
  let best: string | undefined
  for (const [node, many] of count) if (many > (count.get(best ?? '') ?? 0)) best = node
  return best
}

/** A fan-in without branches fails (reference pipeline 3.9.6). Nodes that `adapt` may add are unknown. */
export const fanInWithoutParallel: LintRule = {
  name: 'fan_in_without_parallel',
  code: 'R1152',
  *apply(subject) {
    const nodes = [...subject.nodes.values()]
    if (!nodes.some(({ canonical }) => canonical === 'fan_in')) return
    const feeds = nodes.filter(
      ({ canonical, custom, node }) =>
        custom !== undefined || canonical === 'parallel' || canonical === 'adapt' || isOn(node.attributes, 'fan_out'),
    )
    const fed = reachedFrom(
      subject,
      feeds.map(({ id }) => id),
    )
    for (const { id, canonical, custom } of nodes) {
      if (canonical !== 'fan_in' || custom !== undefined || fed.has(id)) continue
      yield { message: `no parallel node leads to the fan-in ${quote(id)}`, node: id, fix: 'put a node with shape=component before it' }
    }
  },
}
