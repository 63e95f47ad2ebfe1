import type { Span } from '../dot/graph.ts'

/** The operator of a clause: `=` and `!=` compare text, the others numbers (reference pipeline 8.4). */
export type Operator = '=' | '!=' | '<' | '<=' | '>' | '>='

/** A comparison. Without an operator, it tests that the value is not empty. Offsets are positions in the condition's text. */
export interface Clause extends Span {
  readonly key: string
  readonly keyAt: Span
  readonly operator?: Operator | undefined
  /** The literal without quotes and escapes. Empty if there is no operator. */
  readonly literal: string
  readonly literalAt?: Span | undefined
}

/** A condition as plain, frozen data: all its clauses must hold. */
export interface Condition {
  /** The text as written, without the escapes of the attribute. */
  readonly text: string
  /** At least one clause, unless the condition is unreadable. */
  readonly clauses: readonly Clause[]
  /** True if the condition could not be parsed: it is never true (reference pipeline 8.4). */
  readonly unreadable?: true | undefined
}

/** A number: a literal, a value, or a left side that is a literal. */
const NUMBER = /^[+-]?(\d+(?:\.\d*)?|\.\d+)(e[+-]?\d+)?$/i

/** Parses text as a finite number and ignores blanks around it. Undefined if it is not a number. */
export function numberIn(text: string): number | undefined {
  const trimmed = text.trim()
  if (!NUMBER.test(trimmed)) return undefined
  const number = Number(trimmed)
  return Number.isFinite(number) ? number : undefined
}

/** Prints a condition in its simplest spelling. Parsing the result gives the same clauses. */
export function printCondition(condition: Condition): string {
  return condition.unreadable === true ? condition.text : condition.clauses.map(printClause).join(' && ')
}

/** Prints a clause in its simplest spelling, with quotes only if the literal needs them. */
export function printClause({ key, operator, literal }: Clause): string {
  return operator === undefined ? key : `${key} ${operator} ${/^[\w.-]+$/.test(literal) ? literal : quoteLiteral(literal)}`
}

function quoteLiteral(literal: string): string {
  const escaped = literal.replace(/["\\\n\t]/g, (char) => (char === '\n' ? '\\n' : char === '\t' ? '\\t' : `\\${char}`))
  return `"${escaped}"`
}

/** A status that `outcome` is compared with, and its place. */
export interface StatusTest extends Span {
  readonly status: string
  readonly operator: Operator
}

/** Returns the words that a condition compares `outcome` with. */
export function statusesTested(condition: Condition): StatusTest[] {
  return condition.clauses.flatMap(({ key, operator, literal, literalAt }) =>
    key !== 'outcome' || operator === undefined || literalAt === undefined
      ? []
      : [{ status: literal, operator, from: literalAt.from, to: literalAt.to }],
  )
}

/** True if a condition reads the outcome of the last stage or the label that it preferred (reference pipeline 3.4, F5). */
export function mentionsOutcome(condition: Condition): boolean {
  return condition.clauses.some(({ key }) => key === 'outcome' || key === 'preferred_label')
}

/** True if a condition reads only `outcome`. */
export function testsOutcomeOnly(condition: Condition): boolean {
  return condition.clauses.length > 0 && condition.clauses.every(({ key }) => key === 'outcome')
}
