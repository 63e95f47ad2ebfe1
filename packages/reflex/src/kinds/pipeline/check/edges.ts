import { quote } from '../../../text/index.ts'
import { normaliseLabel } from '../language/edge-labels.ts'
import type { LintRule } from './finding.ts'
import { isStatusWord } from './routes.ts'

export const duplicateEdge: LintRule = {
  name: 'duplicate_edge',
  code: 'R1150',
  *apply({ outgoing }) {
    for (const edges of outgoing.values()) {
      if (edges.length < 2) continue
      const seen = new Set<string>()
      for (const edge of edges) {
        const { from, to, attributes } = edge.edge
        const same = JSON.stringify([to, String(attributes.get('condition')?.value ?? '').trim(), edge.label])
        if (seen.has(same)) yield { message: `the edge from ${quote(from)} to ${quote(to)} exists already`, edge, fix: 'remove it' }
        seen.add(same)
      }
    }
  },
}

/** A label is not a condition; only the label `fail` routes a failure (reference pipeline 2.6, 5). */
export const labelStatusShorthand: LintRule = {
  name: 'label_status_shorthand',
  code: 'R1149',
  *apply({ outgoing }) {
    for (const edges of outgoing.values()) {
      for (const edge of edges) {
        if (edge.label === '' || edge.condition !== undefined || !isStatusWord(edge.label)) continue
        const word = normaliseLabel(edge.label)
        const status = FAILURES.includes(word) ? 'fail' : word
        yield {
          message: `the label ${quote(edge.label)} does not make the edge to ${quote(edge.edge.to)} conditional`,
          edge,
          attribute: 'label',
          fix: `write condition="outcome=${status}"`,
        }
      }
    }
  },
}

const FAILURES = ['failed', 'failure', 'error']

/** An edge without a condition is not taken after a failure (reference pipeline 2.6, 6). */
export const unconditionalToExit: LintRule = {
  name: 'unconditional_to_exit_after_fallible',
  code: 'R1148',
  *apply({ nodes, exits, outgoing }) {
    const ends = new Set(exits)
    for (const { id, canonical } of nodes.values()) {
      if (canonical !== 'exec' && canonical !== 'gate') continue
      const [only, ...more] = outgoing.get(id) ?? []
      if (only === undefined || more.length > 0 || only.condition !== undefined || !ends.has(only.edge.to)) continue
      yield { message: `a failure of ${quote(id)} ends the run before ${quote(only.edge.to)}`, edge: only }
    }
  },
}
