import type { Span } from '../dot/graph.ts'

/** How a clause compares: `=` and `!=` as text, the others as numbers (reference pipeline 8.4). */
export type Operator = '=' | '!=' | '<' | '<=' | '>' | '>='

/** One comparison; without an operator it asks whether the value is something. Offsets are those of the condition's text. */
export interface Clause extends Span {
  readonly key: string
  readonly keyAt: Span
  readonly operator?: Operator | undefined
  /** Without its quotes, escapes processed; empty where there is no operator. */
  readonly literal: string
  readonly literalAt?: Span | undefined
}

/** A condition as plain, frozen data: all its clauses must hold. */
export interface Condition {
  /** As it was written, without the escapes of the attribute. */
  readonly text: string
  /** At least one, unless it is unreadable. */
  readonly clauses: readonly Clause[]
  /** It could not be read and is never true (reference pipeline 8.4). */
  readonly unreadable?: true | undefined
}

/** A number, as a literal, a value or a left side that stands for itself. */
const NUMBER = /^[+-]?(\d+(?:\.\d*)?|\.\d+)(e[+-]?\d+)?$/i

/** Text as a finite number, blanks around it ignored; nothing if it is none. */
export function numberIn(text: string): number | undefined {
  const trimmed = text.trim()
  if (!NUMBER.test(trimmed)) return undefined
  const number = Number(trimmed)
  return Number.isFinite(number) ? number : undefined
}

/** The condition in its plainest spelling: parsed again it has the same clauses. */
export function printCondition(condition: Condition): string {
  return condition.unreadable === true ? condition.text : condition.clauses.map(printClause).join(' && ')
}

/** One clause in its plainest spelling: the literal in quotes only where it needs them. */
export function printClause({ key, operator, literal }: Clause): string {
  return operator === undefined ? key : `${key} ${operator} ${/^[\w.-]+$/.test(literal) ? literal : quoteLiteral(literal)}`
}

function quoteLiteral(literal: string): string {
  const escaped = literal.replace(/["\\\n\t]/g, (char) => (char === '\n' ? '\\n' : char === '\t' ? '\\t' : `\\${char}`))
  return `"${escaped}"`
}

/** A status that `outcome` is compared with, and where the word stands. */
export interface StatusTest extends Span {
  readonly status: string
  readonly operator: Operator
}

/** The words that a condition compares `outcome` with. */
export function statusesTested(condition: Condition): StatusTest[] {
  return condition.clauses.flatMap(({ key, operator, literal, literalAt }) =>
    key !== 'outcome' || operator === undefined || literalAt === undefined
      ? []
      : [{ status: literal, operator, from: literalAt.from, to: literalAt.to }],
  )
}

/** Whether a condition asks how the last stage ended, or which label it preferred (reference pipeline 3.4, F5). */
export function mentionsOutcome(condition: Condition): boolean {
  return condition.clauses.some(({ key }) => key === 'outcome' || key === 'preferred_label')
}

/** Whether a condition looks at nothing but `outcome`. */
export function testsOutcomeOnly(condition: Condition): boolean {
  return condition.clauses.length > 0 && condition.clauses.every(({ key }) => key === 'outcome')
}
