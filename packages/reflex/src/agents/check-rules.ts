import { equalJson, type Fault, type Json } from '../kernel/index.ts'
import { type Locator, quote } from '../text/index.ts'
import type { Node } from '../kinds/workflow/index.ts'
import { isMet } from './conditions.ts'
import { faults } from './faults.ts'
import type { ValueView } from './lookup.ts'
import { type Condition, listOf, rulesSpec } from './spec.ts'

/**
 * Returns the rules of a spec that apply on no board: rules whose conditions contradict each other, and rules after a rule that
 * applies whenever they would. The schema check reports rules that cannot be read.
 */
export function ruleFindings({ id, spec }: Node, locate: Locator): readonly Fault[] {
  const { data: rules } = rulesSpec.shape.rules.safeParse(spec.rules)
  const all = (rules ?? []).map(({ when }) => listOf(when))
  return all.flatMap((conditions, i) => {
    const pair = contradiction(conditions)
    if (pair !== undefined) {
      const place = locate(['rules', i, 'when'])
      return unusedRule(`rule ${i + 1} of ${id} never applies: ${conditionText(pair[0])} contradicts ${conditionText(pair[1])}`, place)
    }
    const before = all.findIndex((earlier, at) => at < i && earlier.every((one) => conditions.some((other) => equalJson(one, other))))
    return before < 0
      ? []
      : unusedRule(`rule ${i + 1} of ${id} is never reached: rule ${before + 1} applies whenever it would`, locate(['rules', i]))
  })
}

function unusedRule(message: string, place: ReturnType<Locator>): Fault[] {
  return [faults.make('R2122', message, { ...place, fix: 'correct its conditions, move it further up, or remove it' })]
}

/** Returns two conditions that contradict each other, if there are any. */
function contradiction(conditions: readonly Condition[]): readonly [Condition, Condition] | undefined {
  for (const [i, a] of conditions.entries())
    for (const b of conditions.slice(i + 1)) if (a.key === b.key && (excludes(a, b) || excludes(b, a))) return [a, b]
  return undefined
}

/** True if no value fulfils both conditions. */
function excludes(a: Condition, b: Condition): boolean {
  if (a.type === 'not-exists') return !isMet(b, onlyValue(undefined))
  if (a.type === 'equals') return !isMet(b, onlyValue(a.value))
  return a.type === 'above' && b.type === 'below' && a.value >= b.value
}

function onlyValue(value: Json | undefined): ValueView {
  return { find: () => value, names: () => [] }
}

function conditionText(condition: Condition): string {
  const what = quote(condition.key)
  switch (condition.type) {
    case 'exists':
      return `${what} exists`
    case 'not-exists':
      return `${what} does not exist`
    case 'equals':
    case 'not-equals':
      return `${what} ${condition.type === 'equals' ? 'equals' : 'does not equal'} ${JSON.stringify(condition.value)}`
    default:
      return `${what} is ${condition.type} ${condition.value}`
  }
}
