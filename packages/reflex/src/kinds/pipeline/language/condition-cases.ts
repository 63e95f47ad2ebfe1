import type { Json } from '../../../kernel/index.ts'
import { numberIn, type Clause, type Condition } from './condition.ts'
import { evaluateCondition, type ConditionScope } from './condition-evaluate.ts'
import { renderText } from './render.ts'

/** The stage statuses that edges see: `retry` has become another status before routing (reference pipeline 3.2). */
const ROUTED = ['success', 'partial_success', 'fail', 'skipped']

/** A text that no author writes. */
const OTHER = '\u0000other'

const MOST_CASES = 4096
const MOST_KEYS = 64

/**
 * Returns situations that represent everything that these conditions can distinguish: each key takes each literal that it is
 * compared with, no value, another value, and a number on either side of each bound. Two keys count as independent, also `x`
 * and `context.x`. Undefined if there would be more than 4,096 cases or 64 keys.
 */
export function casesOf(conditions: readonly Condition[]): ConditionScope[] | undefined {
  const clauses = conditions.flatMap((condition) => condition.clauses)
  const keys = new Set(clauses.map(({ key }) => key))
  if (keys.size > MOST_KEYS) return undefined
  let cases: ReadonlyMap<string, Json>[] = [new Map()]
  for (const key of keys) {
    const values = valuesFor(
      key,
      clauses.filter((clause) => clause.key === key),
    )
    if (cases.length * values.length > MOST_CASES) return undefined
    cases = cases.flatMap((one) => values.map((value) => new Map([...one, [key, value]])))
  }
  return cases.map((one) => ({
    outcome: renderText(one.get('outcome') ?? 'success'),
    preferredLabel: renderText(one.get('preferred_label')),
    get: (key) => one.get(key),
  }))
}

function valuesFor(key: string, clauses: readonly Clause[]): readonly Json[] {
  if (key === 'outcome') return ROUTED
  if (numberIn(key) !== undefined) return [key]
  const texts = clauses.filter(({ operator }) => operator !== undefined).map(({ literal }) => literal)
  const bounds = texts.flatMap((text) => numberIn(text) ?? []).sort((a, b) => a - b)
  const ordered = clauses.some(({ operator }) => operator !== undefined && operator !== '=' && operator !== '!=')
  const between = ordered ? bounds.flatMap((bound, index) => [bound, (bound + (bounds[index + 1] ?? bound + 2)) / 2]) : []
  const below = ordered ? [(bounds[0] ?? 0) - 1] : []
  return [...new Set<Json>([...texts, '', OTHER, ...below, ...between])]
}

/** Returns the statuses with which a condition can be true, for any context. */
export function outcomesAllowing(condition: Condition): string[] {
  const cases = casesOf([condition])
  return ROUTED.filter((outcome) =>
    isTrueInAny(
      condition,
      cases?.map((scope) => ({ ...scope, outcome })),
    ),
  )
}

function isTrueInAny(condition: Condition, cases: readonly ConditionScope[] | undefined): boolean {
  return cases?.some((scope) => evaluateCondition(condition, scope)) ?? condition.unreadable !== true
}
