import { quote } from '../../../text/index.ts'
import { nodeName } from '../model/graph.ts'
import type { PlannedNode } from '../pass/plan.ts'
import type { Known } from './known.ts'
import type { Lint } from './lint.ts'
import type { Writer } from './memory.ts'

interface KeyEdge {
  readonly from: string
  readonly writer: Writer
  /** The first append on the way. */
  readonly append: PlannedNode | undefined
}

/** Finds keys whose series an `append` makes longer at each event, with no `window` on the way from the key to itself. */
export function* unboundedSeries({ plan, writers }: Known, never: readonly PlannedNode[]): Generator<Lint> {
  const edges = plan.nodes.flatMap((source) =>
    edgesFrom(
      source,
      plan.nodes,
      writers.filter(({ planned }) => !never.includes(planned)),
    ),
  )
  const seen = new Set<string>()
  for (const { from, writer, append } of edges) {
    if (append === undefined || seen.has(writer.key) || !leadsTo(edges, writer.key, from)) continue
    seen.add(writer.key)
    const { node } = writer.planned
    const message = `the series of the key ${quote(writer.key)} grows without a bound: ${nodeName(append.node)} adds to it, and ${nodeName(node)} writes all of it`
    yield { code: 'R1399', message, node: append.node, fix: `put window between ${nodeName(append.node)} and ${nodeName(node)}` }
  }
}

/** Returns the writers that a source of a series reaches without a window. */
function edgesFrom(source: PlannedNode, nodes: readonly PlannedNode[], writers: readonly Writer[]): KeyEdge[] {
  const read = source.keys.find(({ type }) => type === 'Series')
  if (read === undefined) return []
  const reached = new Map<number, PlannedNode | undefined>([[source.index, undefined]])
  for (const planned of nodes) {
    const series = planned.node.primitive.op === 'append' ? planned.inputs.find(({ port }) => port === 'series') : undefined
    if (series === undefined || !reached.has(series.from.node)) continue
    reached.set(planned.index, reached.get(series.from.node) ?? planned)
  }
  return writers.flatMap((writer): KeyEdge[] => {
    const from = writer.planned.inputs.find(({ port }) => port === writer.port)?.from
    return from === undefined || !reached.has(from.node) ? [] : [{ from: read.key, writer, append: reached.get(from.node) }]
  })
}

/** True if what is written to a key can come back to another one. */
function leadsTo(edges: readonly KeyEdge[], key: string, goal: string): boolean {
  const reached = new Set([key])
  for (const at of reached) for (const { from, writer } of edges) if (from === at) reached.add(writer.key)
  return reached.has(goal)
}
