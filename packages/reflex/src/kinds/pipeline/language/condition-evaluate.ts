import type { Json } from '../../../kernel/index.ts'
import { shortJson, printable, checkArguments, objectWith, listOf, OBJECT, shape } from '../../../text/index.ts'
import { numberIn, printClause, type Clause, type Condition } from './condition.ts'
import { lookUp, type ReadKey } from './look-up.ts'
import { renderText } from './render.ts'

/** The values that a condition reads. In a branch node, the outcome is that of the last stage (reference pipeline 3.4). */
export interface ConditionScope {
  readonly outcome: string
  readonly preferredLabel?: string | undefined
  /** Reads a key of the context as stored. Spellings and paths are resolved by the evaluation. */
  readonly get: ReadKey
}

const CONDITION = shape('a condition, as parseCondition() gives it', { clauses: listOf(OBJECT) })

/**
 * Returns true if a condition holds. Never throws: a missing key is empty text, and an unreadable condition is false (reference
 * pipeline 8.4).
 */
export function evaluateCondition(condition: Condition, scope: ConditionScope): boolean {
  // Conditions are evaluated at every edge, so the full check of the arguments runs only if they look wrong.
  if (!Array.isArray(condition?.clauses) || typeof scope?.get !== 'function')
    checkArguments('evaluateCondition', { condition: [condition, CONDITION], scope: [scope, objectWith('a scope', 'get')] })
  return condition.unreadable !== true && condition.clauses.every((clause) => isTrue(clause, valueOf(clause, scope)))
}

/** Returns the clauses that compare a value by size that is not a number. They are false, and a reader should know that. */
export function incomparableClauses(condition: Condition, scope: ConditionScope): Clause[] {
  return condition.clauses.filter((clause) => isOrdering(clause) && numbersOf(clause, valueOf(clause, scope)) === undefined)
}

/**
 * Explains why a condition is true or false, with the values read: `total >= 100 is false (84 @6)`. For a false condition, only
 * the false clauses. `from` returns the origin of a key's value, such as `@6`; it is called only for keys that have a value.
 */
export function explainCondition(condition: Condition, scope: ConditionScope, from?: (key: string) => string | undefined): string {
  if (condition.unreadable === true) return `${printable(condition.text)} cannot be read`
  const answer = evaluateCondition(condition, scope)
  const deciding = condition.clauses
    .map((clause) => ({ clause, value: valueOf(clause, scope) }))
    .filter(({ clause, value }) => isTrue(clause, value) === answer)
  return deciding
    .map(({ clause, value }) => `${printable(printClause(clause))} is ${answer} (${valueText(clause, value, from)})`)
    .join(', ')
}

function valueText(clause: Clause, value: Json | undefined, from?: (key: string) => string | undefined): string {
  if (value === undefined) return 'not there'
  const shown = shortJson(value)
  const source = from?.(clause.key)
  const note = isOrdering(clause) && numbersOf(clause, value) === undefined ? ', no number' : ''
  return `${shown}${source === undefined ? '' : ` ${source}`}${note}`
}

function valueOf({ key }: Clause, { outcome, preferredLabel, get }: ConditionScope): Json | undefined {
  if (key === 'outcome') return outcome
  if (key === 'preferred_label') return preferredLabel
  const value = lookUp(get, key)
  return value === undefined && numberIn(key) !== undefined ? key : value
}

function isTrue(clause: Clause, value: Json | undefined): boolean {
  const { operator, literal } = clause
  if (operator === undefined) return !['', 'false', '0'].includes(renderText(value))
  if (operator === '=') return renderText(value) === literal
  if (operator === '!=') return renderText(value) !== literal
  const [left, right] = numbersOf(clause, value) ?? []
  if (left === undefined || right === undefined) return false
  if (operator === '<') return left < right
  if (operator === '<=') return left <= right
  return operator === '>' ? left > right : left >= right
}

function isOrdering({ operator }: Clause): boolean {
  return operator !== undefined && operator !== '=' && operator !== '!='
}

/** Returns both sides as numbers; undefined if one is not a number: text has no order. */
function numbersOf({ literal }: Clause, value: Json | undefined): readonly [number, number] | undefined {
  const left = typeof value === 'number' ? value : typeof value === 'string' ? numberIn(value) : undefined
  const right = numberIn(literal)
  return left === undefined || right === undefined || !Number.isFinite(left) ? undefined : [left, right]
}
