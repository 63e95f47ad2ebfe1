import type { FaultDetails } from '../../../kernel/journal/fault.ts'
import type { Source } from '../../../text/source.ts'
import type { TypedGraph } from '../model/typed.ts'
import type { Attributes, DotEdge, Span } from '../dot/graph.ts'
import type { LintFinding } from './finding.ts'

/**
 * Says where a finding stands: at its attribute, else at its edge or node. Where no source holds it, a path names it:
 * `build -> ship`. Without any of these it stands at the first line.
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

/** One id of an edge, where the text has it bare at that end. */
function endOf({ at, from, to }: DotEdge, end: LintFinding['end'], source: Source | undefined): Span | undefined {
  if (at === undefined || end === undefined) return undefined
  const span = end === 'to' ? { from: at.to - to.length, to: at.to } : { from: at.from, to: at.from + from.length }
  return source?.text.slice(span.from, span.to) === (end === 'to' ? to : from) ? span : undefined
}

function attributeAt(attributes: Attributes, key: string | undefined): Span | undefined {
  const attribute = key === undefined ? undefined : attributes.get(key)
  return attribute?.valueAt ?? attribute?.keyAt
}
