import type { FaultDetails } from '../../../kernel/journal/fault.ts'
import type { Source } from '../../../text/source.ts'
import type { TypedGraph } from '../model/typed.ts'
import type { Attributes, DotEdge, Span } from '../dot/graph.ts'
import type { LintFinding } from './finding.ts'

/**
 * Returns a function that finds the position of a finding: its attribute, otherwise its edge or node. Without a source, a path
 * names the place: `build -> ship`. Otherwise the position is the first line.
 */
export function placer({ graph }: TypedGraph, source: Source | undefined): (finding: LintFinding) => FaultDetails {
  return ({ edge, end, node, attribute, note }) => {
    const owner = edge?.edge ?? (node === undefined ? undefined : graph.nodes.get(node))
    const path = edge === undefined ? (node ?? graph.id) : `${edge.edge.from} -> ${edge.edge.to}`
    const at = attributeAt(owner?.attributes ?? graph.attributes, attribute) ?? (edge && endOf(edge.edge, end, source)) ?? owner?.at
    if (source === undefined) return { path }
    if (at === undefined) return source.file === undefined ? { path } : { path, file: source.file, line: 1, column: 1 }
    return { path, ...source.details(at.from, Math.max(1, at.to - at.from), note) }
  }
}

/** Returns the span of one id of an edge, if the text has it unquoted at that end. */
function endOf({ at, from, to }: DotEdge, end: LintFinding['end'], source: Source | undefined): Span | undefined {
  if (at === undefined || end === undefined) return undefined
  const span = end === 'to' ? { from: at.to - to.length, to: at.to } : { from: at.from, to: at.from + from.length }
  return source?.text.slice(span.from, span.to) === (end === 'to' ? to : from) ? span : undefined
}

function attributeAt(attributes: Attributes, key: string | undefined): Span | undefined {
  const attribute = key === undefined ? undefined : attributes.get(key)
  return attribute?.valueAt ?? attribute?.keyAt
}
