import { didYouMean, quote, quoteAll } from '../../../text/index.ts'
import type { TypedEdge } from '../model/typed.ts'
import { STATUSES } from '../contract/outcome.ts'
import { testsOutcomeOnly } from '../language/condition.ts'
import { outcomesAllowing } from '../language/condition-cases.ts'
import { type LintFinding, type LintRule, listed } from './finding.ts'
import { guesser } from './guess.ts'
import { type DeadReason, type Tie, isStatusWord } from './routes.ts'
import { normaliseLabel } from '../language/edge-labels.ts'
import { edgesThat, valuesThat } from './search.ts'

/** Finds edges that no run can take. Reports only certain cases. */
export const deadRoute: LintRule = {
  name: 'dead_route',
  code: 'R1154',
  *apply({ routes }) {
    const guess = guesser(STATUSES)
    for (const { dead } of valuesThat(routes, ({ dead: { size } }) => size > 0))
      for (const [edge, why] of dead) yield neverTaken(edge, why, guess)
  },
}

function neverTaken(edge: TypedEdge, dead: DeadReason, guess: (word: string) => string | undefined): LintFinding {
  const attribute = edge.condition === undefined ? undefined : 'condition'
  const name = `the edge from ${quote(edge.edge.from)} to ${quote(edge.edge.to)}`
  if (dead.why === 'nothing left') {
    const others = quoteAll([...new Set(dead.by.map(({ edge: { to } }) => to))])
    return { message: `${name} is never taken: one of the edges to ${others} is always open`, edge, fix: 'remove it' }
  }
  if (dead.why === 'shadowed') {
    const heavier = dead.by.weight > edge.weight
    const note = `${quote(dead.by.edge.to)} ${heavier ? 'weighs more' : 'comes first alphabetically'}`
    return { message: `${name} is never taken: the edge to ${quote(dead.by.edge.to)} wins`, edge, attribute, note }
  }
  const wrong = edge.condition?.clauses.find(({ key, literal }) => key === 'outcome' && !STATUSES.some((status) => status === literal))
  if (wrong === undefined) return { message: `the condition of ${name} is never true`, edge, attribute }
  const meant = guess(wrong.literal)
  const fix = meant === undefined ? `write one of ${STATUSES.join(', ')}` : `write ${quote(meant)}`
  return { message: `${name} is never taken: there is no outcome ${quote(wrong.literal)}`, edge, attribute, note: didYouMean(meant), fix }
}

/** Finds edges between which only the alphabetical order of targets decides. */
export const ambiguousRoute: LintRule = {
  name: 'ambiguous_route',
  code: 'R1153',
  *apply({ routes }) {
    for (const { ties } of valuesThat(routes, (one) => one.ties.length > 0)) for (const tie of ties) yield undecided(tie)
  },
}

function undecided({ taken, other }: Tie): LintFinding {
  const [to, late] = [quote(taken.edge.to), quote(other.edge.to)]
  const always = taken.condition === undefined
  return {
    message: `${quote(taken.edge.from)} can go to ${to} and to ${late}${always ? '' : ' at once'}; it goes to ${to}, which comes first alphabetically`,
    edge: other,
    attribute: always ? undefined : 'condition',
    note: 'both have the same weight',
    fix: always ? 'give one of them a condition or a greater weight' : `write weight=1 at the edge to ${late} if it should win`,
  }
}

/** True if edges test for success and never for failure, or the reverse. */
function isOneSided(edges: readonly TypedEdge[]): boolean {
  const asked = edges.flatMap(({ condition }) =>
    condition !== undefined && testsOutcomeOnly(condition) ? outcomesAllowing(condition) : [],
  )
  return asked.length > 0 && asked.includes('success') !== asked.includes('fail')
}

/** Finds branch nodes with an edge for one of the two outcomes and none for the other. */
export const incompleteConditional: LintRule = {
  name: 'incomplete_conditional',
  code: 'R1146',
  *apply({ nodes, outgoing, routes }) {
    for (const { id } of valuesThat(nodes, ({ canonical }) => canonical === 'branch')) {
      const edges = outgoing.get(id) ?? []
      if (routes.get(id)?.covered !== false || !isOneSided(edges)) continue
      const missing = edges.some(({ condition }) => condition !== undefined && outcomesAllowing(condition).includes('success'))
        ? 'fail'
        : 'success'
      yield {
        message: `${quote(id)} has no edge for the outcome ${missing}`,
        node: id,
        fix: `add an edge with condition="outcome=${missing}"`,
      }
    }
  },
}

/** Finds nodes whose edges all have conditions that can be false at the same time. */
export const allConditionalNoDefault: LintRule = {
  name: 'all_conditional_no_default',
  code: 'R1147',
  apply({ nodes, outgoing, routes }) {
    const found = valuesThat(nodes, ({ id, canonical }) => {
      const { covered } = routes.get(id) ?? {}
      if (covered !== false || canonical === 'parallel') return false
      return canonical !== 'branch' || !isOneSided(outgoing.get(id) ?? [])
    })
    return found.map(listed(({ id }) => ({ message: `all edges of ${quote(id)} have conditions, and all of them can be false`, node: id })))
  },
}

export const duplicateEdge: LintRule = {
  name: 'duplicate_edge',
  code: 'R1150',
  *apply({ outgoing }) {
    for (const edges of valuesThat(outgoing, ({ length }) => length > 1)) {
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
    for (const edge of edgesThat(outgoing, ({ label, condition }) => label !== '' && condition === undefined && isStatusWord(label))) {
      const word = normaliseLabel(edge.label)
      const status = FAILURES.includes(word) ? 'fail' : word
      yield {
        message: `the label ${quote(edge.label)} does not make the edge to ${quote(edge.edge.to)} conditional`,
        edge,
        attribute: 'label',
        fix: `write condition="outcome=${status}"`,
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
    for (const { id } of valuesThat(nodes, ({ canonical }) => canonical === 'exec' || canonical === 'gate')) {
      const [only, ...more] = outgoing.get(id) ?? []
      if (only === undefined || more.length > 0 || only.condition !== undefined || !ends.has(only.edge.to)) continue
      yield { message: `a failure of ${quote(id)} ends the run before ${quote(only.edge.to)}`, edge: only }
    }
  },
}
