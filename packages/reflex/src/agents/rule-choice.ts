import type { Json } from '../kernel/index.ts'
import type { Decision, DecisionContext, Edge } from '../kinds/workflow/index.ts'
import { isMet, observedText } from './conditions.ts'
import { chooseEdge, edgesNamed, onlyEdge } from './edges.ts'
import { faults } from './faults.ts'
import type { Draft } from './lookup.ts'
import { listOf, type Rule, type RulesSpec } from './spec.ts'
import { fill } from './template.ts'
import { evaluateAll } from './evaluate.ts'

const LONGEST_REASON = 500

/** The edge that a spec chooses, and the reason. */
export interface ChosenEdge {
  /** Undefined if the workflow ends. */
  readonly edge: Edge | undefined
  readonly because: string | undefined
}

/**
 * Returns the edge that the rules of a spec choose. The first rule whose conditions all hold writes its values and names the
 * edge. A rule without `go`, and a spec without rules, take `go` of the spec, else the only open edge.
 */
export function chooseByRules(spec: Pick<RulesSpec, 'rules' | 'go' | 'because'>, context: DecisionContext, draft: Draft): ChosenEdge {
  const rules = spec.rules ?? []
  const index = rules.findIndex((rule) => listOf(rule.when).every((condition) => isMet(condition, draft)))
  const rule = rules[index]
  if (rule === undefined && rules.length > 0 && spec.go === undefined) throw noRule(rules, context, draft)
  const go = rule?.go ?? spec.go
  const edge = go === undefined ? onlyEdge(context) : chooseEdge(go, context)
  const reason = rule?.because ?? spec.because
  const because = reason === undefined ? (rule === undefined ? undefined : reasonOfRule(rule, draft)) : fill(reason, draft, 'because')
  if (rule !== undefined) writeValues(rule.writes, draft, `rules[${index}].writes`)
  return { edge, because }
}

/** Performs the writes of the rule of an edge that a person or a model has chosen. */
export function writeAsRule(rules: readonly Rule[], edge: Edge, context: DecisionContext, draft: Draft): void {
  const index = rules.findIndex((rule) => rule.go !== undefined && edgesNamed(rule.go, context.validEdges).includes(edge))
  writeValues(rules[index]?.writes, draft, `rules[${index}].writes`)
}

function writeValues(values: Readonly<Record<string, Json>> | undefined, draft: Draft, where: string): void {
  for (const [key, value] of Object.entries(evaluateAll(values ?? {}, draft, where))) draft.write(key, value)
}

function reasonOfRule(rule: Rule, draft: Draft): string {
  const conditions = listOf(rule.when)
  return conditions.length === 0 ? 'no other rule applies' : conditions.map((condition) => observedText(condition, draft)).join(', ')
}

function noRule(rules: readonly Rule[], { node }: DecisionContext, draft: Draft): Error {
  const why = rules.map((rule, i) => {
    const failed = listOf(rule.when).find((condition) => !isMet(condition, draft))
    return `rule ${i + 1}: ${failed === undefined ? '' : observedText(failed, draft)}`
  })
  return faults.make('R2106', `no rule of ${node.id} applies; ${why.join('; ')}`, { path: node.id })
}

/** Returns a decision for an edge, with the keys that led to it. */
export function toDecision({ edge, because }: ChosenEdge, draft: Draft, by: string): Decision {
  const { writes } = draft
  const reason = because === undefined || because.length <= LONGEST_REASON ? because : `${because.slice(0, LONGEST_REASON - 1)}…`
  const more = {
    ...(writes.length === 0 ? {} : { writes }),
    by,
    ...(reason === undefined || reason === '' ? {} : { because: reason }),
    ...readKeys(draft),
  }
  return edge === undefined ? { type: 'complete', ...more } : { type: 'advance', edge: edge.id, ...more }
}

/** Returns the keys that were read, so that the decision can be explained. The journal has their values. */
export function readKeys({ reads }: Draft): Pick<Decision, 'saw'> {
  return reads.length === 0 ? {} : { saw: { keys: reads } }
}
