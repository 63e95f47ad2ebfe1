import type { Fault, FaultDetails } from '../../../kernel/index.ts'
import {
  shortJson,
  compileExpression,
  readValuesText,
  evaluationText,
  type CompiledExpression,
  type Evaluation,
  type Expression,
  type ExpressionFailure,
  type TextSpan,
} from '../../../text/index.ts'
import { faults } from '../model/faults.ts'
import type { BlackboardReader, CelGuard } from '../types/index.ts'

/** The name by which an expression reads every key of the board, also keys that are not identifiers. */
const BOARD = 'board'

const compiled = new WeakMap<CelGuard, { readonly expr: string; readonly result: CompiledExpression }>()

/** Returns the compiled expression of a guard and its findings, cached by guard object. Never throws. */
export function guardExpression(guard: CelGuard): CompiledExpression {
  const known = compiled.get(guard)
  if (known !== undefined && known.expr === guard.expr) return known.result
  const result = compile(guard)
  compiled.set(guard, { expr: guard.expr, result })
  return result
}

/** Returns the findings about the expression of a guard, each at its place in the file. */
export function guardFindings(guard: CelGuard, locate: (span: TextSpan, note?: string) => FaultDetails): readonly Fault[] {
  const { expression, findings } = guardExpression(guard)
  return expression === undefined || findings.length > 0 ? compile(guard, locate).findings : []
}

function compile({ expr }: CelGuard, locate?: (span: TextSpan, note?: string) => FaultDetails): CompiledExpression {
  return compileExpression(expr, { allVariables: BOARD, result: 'boolean', rule: 'SCHEMA_VIOLATION', locate })
}

/** True if the expression holds on a board. Throws `R2044` if it fails, or if its result is not a boolean. */
export function testExpression(guard: CelGuard, board: BlackboardReader): boolean {
  const { expression, findings } = guardExpression(guard)
  if (expression === undefined) {
    const [first] = findings
    throw faults.make('R2044', `the expression cannot be read: ${first?.message ?? ''}`, {
      frame: first?.frame,
      fix: first?.fix,
      cause: first,
    })
  }
  const result = expression.evaluate(board)
  if (result.ok && typeof result.value === 'boolean') return result.value
  throw evaluationFault(expression, board, failureOf(expression, result))
}

/** Returns the observed values of a guard, given its result: `order.total >= 100 is false (84)`. */
export function describeExpression(guard: CelGuard, board: BlackboardReader, open: boolean): string {
  const { expression } = guardExpression(guard)
  return expression === undefined ? '' : evaluationText(expression, board, String(open))
}

function failureOf({ text }: Expression, result: Evaluation): ExpressionFailure {
  if (!result.ok) return result.failure
  return { reason: 'type', message: `the expression gives ${shortJson(result.value)}, not true or false`, offset: 0, length: text.length }
}

function evaluationFault(
  expression: Expression,
  board: BlackboardReader,
  { reason, message, note, offset, length }: ExpressionFailure,
): Fault {
  const read = readValuesText(expression, board)
  const { frame } = expression.details({ offset, length }, note)
  const messageText = note === undefined ? message : `${message}; ${note}`
  return faults.make('R2044', messageText, {
    frame,
    fix: note?.replace(/^did you mean (.*)\?$/, 'write $1') ?? (reason === 'absent' || reason === 'field' ? ADVICE : undefined),
    data: { expr: expression.text, offset, length, ...(read === '' ? {} : { read }) },
  })
}

const ADVICE = 'first test a key that may be missing, as in has(board.total) && total > 5'
