import { type Fault, isObject, type Json } from '../../../kernel/index.ts'
import type { StatedCondition } from '../../../programs/property-tests.ts'
import { compileExpression, type Expression, quote, readJson } from '../../../text/index.ts'
import { searchFaults } from './faults.ts'

/** The names that conditions read. */
export const NAMES = ['event', 'context', 'outputs', 'effects', 'fired', 'failed', 'refused', 'memory', 'first', 'last'] as const
export type Situation = Readonly<Record<(typeof NAMES)[number], Json>>

/** A condition that is ready to be judged. */
export interface Condition {
  readonly stated: StatedCondition
  readonly expression: Expression
}

/** The reason why a situation breaks a condition; undefined if it does not. `why`: the condition has no value. */
export type Breach = { readonly why?: string } | undefined

/** Reads a file of conditions: `{"conditions": {"name": "fired.size() <= 1"}}`. Never throws. */
export function readConditions(
  text: string,
  file: string,
): { readonly conditions: readonly StatedCondition[]; readonly findings: readonly Fault[] } {
  const json = readJson(text, file)
  const { value, findings } = json
  const details = (path: readonly string[]) => json.details(path)
  if (value === undefined) return { conditions: [], findings }
  const stated = isObject(value) ? value['conditions'] : undefined
  if (!isObject(value) || !isObject(stated)) {
    const fix = 'write {"conditions": {"one-order": "fired.size() <= 1"}}'
    return { conditions: [], findings: [searchFaults.finding('R1335', `${file} has no object "conditions"`, { ...details([]), fix })] }
  }
  const conditions: StatedCondition[] = []
  const wrong: Fault[] = []
  for (const [name, one] of Object.entries(stated)) {
    const holds = isObject(one) ? one['holds'] : one
    if (typeof holds === 'string' && name !== '') conditions.push({ name, text: holds, file })
    else
      wrong.push(
        searchFaults.finding('R1335', `the condition ${quote(name)} is not a text`, {
          ...details(['conditions', name]),
          fix: 'write it in CEL',
        }),
      )
  }
  for (const key of Object.keys(value))
    if (key !== 'conditions' && key !== 'about' && key !== '$schema')
      wrong.push(searchFaults.finding('R1335', `${file} has the unknown key ${quote(key)}`, { ...details([key]), fix: 'remove it' }))
  return { conditions, findings: wrong }
}

/** Compiles conditions. Throws the first mistake. */
export function compileConditions(stated: readonly StatedCondition[]): Condition[] {
  if (stated.length === 0) throw searchFaults.make('R1336', 'there is no condition to test')
  return stated.map((one) => {
    const place = one.file === undefined ? {} : { file: one.file }
    const locate = () => ({ ...place, path: `conditions.${one.name}` })
    const { expression, findings } = compileExpression(one.text, { names: NAMES, result: 'boolean', locate })
    const [first] = findings
    if (expression === undefined) throw first ?? new TypeError('an expression without a finding has a value')
    return { stated: one, expression }
  })
}

/** Returns the first of the situations of an event that breaks a condition, and why; undefined if none does. */
export function firstBreach(
  condition: Condition,
  situations: readonly Situation[],
): { readonly situation: Situation; readonly breach: NonNullable<Breach> } | undefined {
  for (const situation of situations) {
    const breach = breachOf(condition, situation)
    if (breach !== undefined) return { situation, breach }
  }
  return undefined
}

/** Judges a situation. */
export function breachOf({ expression }: Condition, situation: Situation): Breach {
  const result = expression.evaluate(new Map<string, Json>(Object.entries(situation)))
  if (!result.ok) return { why: result.failure.message }
  return result.value === true ? undefined : {}
}
