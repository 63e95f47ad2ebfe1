import type { BinaryOperator, ContextField, Expression, FunctionName, MethodName } from './forms.ts'
import { literalOf, negated, powerOf } from './literals.ts'
import { BOARD_FUNCTIONS } from './print.ts'
import { toBytes } from './values.ts'

/** Constructors of expressions. Each gives the form that parsing gives for the same Lua. */
export const build = {
  /** An integer of 64 bits as a bigint, a float as a number. */
  value(value: null | boolean | bigint | number | string): Expression {
    return literalOf(typeof value === 'string' ? toBytes(value) : (value ?? undefined))
  },
  key(key: string): Expression {
    return [BOARD_FUNCTIONS.has(key) ? 'get' : 'bb', key]
  },
  has(key: string): Expression {
    return ['has', key]
  },
  context(field: ContextField): Expression {
    return ['ctx', field]
  },
  index(of: Expression, key: Expression): Expression {
    return ['index', of, key]
  },
  not(of: Expression): Expression {
    return ['not', of]
  },
  negate: negated,
  length(of: Expression): Expression {
    return ['len', of]
  },
  binary(operator: BinaryOperator, left: Expression, right: Expression): Expression {
    return [operator, left, right]
  },
  /** Returns undefined for a power whose last digit depends on the machine: `^` has the exponent 2, or two literals with an exact result. */
  power: powerOf,
  call(name: FunctionName, ...parts: readonly Expression[]): Expression {
    return ['call', name, ...parts]
  },
  method(name: MethodName, of: Expression, ...parts: readonly Expression[]): Expression {
    return ['method', name, of, ...parts]
  },
} as const
