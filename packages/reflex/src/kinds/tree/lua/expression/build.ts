import type { BinaryOperator, ContextField, Expression, FunctionName, MethodName } from './forms.ts'
import { literalOf, negated, powerOf } from './literals.ts'
import { BOARD_FUNCTIONS } from './print.ts'
import { toBytes } from './values.ts'

/** Constructors of expressions. Each gives the form that parsing gives for the same Lua. */
export const build = {
  /** An integer of 64 bits as a bigint, a float as a number. */
  value: (value: null | boolean | bigint | number | string): Expression =>
    literalOf(typeof value === 'string' ? toBytes(value) : (value ?? undefined)),
  key: (key: string): Expression => [BOARD_FUNCTIONS.has(key) ? 'get' : 'bb', key],
  has: (key: string): Expression => ['has', key],
  context: (field: ContextField): Expression => ['ctx', field],
  index: (of: Expression, key: Expression): Expression => ['index', of, key],
  not: (of: Expression): Expression => ['not', of],
  negate: negated,
  length: (of: Expression): Expression => ['len', of],
  binary: (operator: BinaryOperator, left: Expression, right: Expression): Expression => [operator, left, right],
  /** Returns undefined for a power whose last digit depends on the machine: `^` has the exponent 2, or two literals with an exact result. */
  power: powerOf,
  call: (name: FunctionName, ...parts: readonly Expression[]): Expression => ['call', name, ...parts],
  method: (name: MethodName, of: Expression, ...parts: readonly Expression[]): Expression => ['method', name, of, ...parts],
} as const
