import { applyOperator, concatenate, indexed, measure, NEGATE, OPERATORS, SQUARE, type NumberOperator } from './arithmetic.ts'
import { isAtMost, isEqual, isLess } from './compare.ts'
import { isNode, type Arithmetic, type Comparison, type ContextField, type Expression, type MethodName, type ValueRead } from './forms.ts'
import { callFunction, callMethod } from './functions.ts'
import { literalValue } from './literals.ts'
import { operandName } from './operand-name.ts'
import { fromJson, LuaError, typeName, type LuaValue } from './values.ts'
import type { Json } from '../../../../kernel/index.ts'

/** The board and the context of an evaluation. Each is asked only for what the expression reaches. */
export interface Environment {
  /** Returns the value of a key; undefined if it has none. */
  bb(key: string): Json | undefined
  has(key: string): boolean
  ctx(field: ContextField): Json | undefined
}

/** A compiled expression: returns its value, or throws a LuaError. */
export type Code = (environment: Environment) => LuaValue
/** A compiled condition: returns true unless the value is nil or false, or throws a LuaError. */
export type Test = (environment: Environment) => boolean

/** Compiles an expression once to closures. What the environment throws passes through them. */
export function compileExpression(expression: Expression): Code {
  const literal = literalValue(expression)
  if (literal.literal) return () => literal.value
  if (!isNode(expression)) throw new TypeError('every scalar is a literal')
  if (isArithmetic(expression)) return compileArithmetic(...expression)
  switch (expression[0]) {
    case 'bb':
    case 'get':
    case 'ctx':
      return compileRead(expression)
    case 'and':
    case 'or':
      return compileLogic(expression[0], expression[1], expression[2])
    case '^':
      return compileSingle(SQUARE, expression[1], 2n)
    case 'neg':
      return compileSingle(NEGATE, expression[1])
    case 'len': {
      const [of, name] = [compileExpression(expression[1]), operandName(expression[1])]
      return (environment) => measure(of(environment), name)
    }
    case '..':
      return compileConcatenation(expression[1], expression[2])
    case 'index':
      return compileIndex(expression[1], expression[2])
    case 'call': {
      const [, name, ...parts] = expression
      const given = parts.map(compileExpression)
      return (environment) =>
        callFunction(
          name,
          given.map((part) => part(environment)),
        )
    }
    case 'method': {
      const [, name, of, ...parts] = expression
      return compileMethod(name, of, parts.map(compileExpression))
    }
    default:
      return compileCondition(expression)
  }
}

/** Compiles a condition: its truth alone, which needs no value of a key that is only tested. */
export function compileCondition(expression: Expression): Test {
  if (isNode(expression)) {
    switch (expression[0]) {
      case 'bb':
      case 'get':
      case 'ctx': {
        const raw = compileRaw(expression)
        return (environment) => isTrue(raw(environment) ?? undefined)
      }
      case 'has': {
        const key = expression[1]
        return (environment) => environment.has(key)
      }
      case 'not': {
        const test = compileCondition(expression[1])
        return (environment) => !test(environment)
      }
      case 'and': {
        const [left, right] = [compileCondition(expression[1]), compileCondition(expression[2])]
        return (environment) => left(environment) && right(environment)
      }
      case 'or': {
        const [left, right] = [compileCondition(expression[1]), compileCondition(expression[2])]
        return (environment) => left(environment) || right(environment)
      }
      case '==':
      case '~=':
      case '<':
      case '<=':
      case '>':
      case '>=':
        return compileComparison(expression[0], expression[1], expression[2])
      default:
    }
  }
  const value = compileExpression(expression)
  return (environment) => isTrue(value(environment))
}

function isTrue(value: unknown): boolean {
  return value !== undefined && value !== false
}

function compileRaw(read: ValueRead): (environment: Environment) => Json | undefined {
  if (read[0] === 'ctx') {
    const field = read[1]
    return (environment) => environment.ctx(field)
  }
  const key = read[1]
  return (environment) => environment.bb(key)
}

function compileRead(read: ValueRead): Code {
  const raw = compileRaw(read)
  const root = read[0] === 'ctx' ? 'ctx' : 'bb'
  const key = read[1]
  return (environment) => fromJson(raw(environment), root, key)
}

function compileLogic(operator: 'and' | 'or', first: Expression, second: Expression): Code {
  const [left, right] = [compileExpression(first), compileExpression(second)]
  const goesOn = operator === 'and'
  return (environment) => {
    const value = left(environment)
    return isTrue(value) === goesOn ? right(environment) : value
  }
}

function compileComparison(operator: Comparison, first: Expression, second: Expression): Test {
  if (operator === '==' || operator === '~=') return compileEquality(operator === '==', first, second)
  const [left, right] = [compileExpression(first), compileExpression(second)]
  if (operator === '<') return (environment) => isLess(left(environment), right(environment))
  if (operator === '<=') return (environment) => isAtMost(left(environment), right(environment))
  // Lua exchanges the sides of the other two, which its messages show.
  const compare = operator === '>' ? isLess : isAtMost
  return (environment) => {
    const value = left(environment)
    return compare(right(environment), value)
  }
}

function compileEquality(expected: boolean, first: Expression, second: Expression): Test {
  if (second === null || first === null) {
    const isNil = compileNilTest(second === null ? first : second)
    return (environment) => isNil(environment) === expected
  }
  const [left, right] = [compileExpression(first), compileExpression(second)]
  return (environment) => isEqual(left(environment), right(environment)) === expected
}

function compileNilTest(expression: Expression): Test {
  if (isNode(expression) && (expression[0] === 'bb' || expression[0] === 'get' || expression[0] === 'ctx')) {
    const raw = compileRaw(expression)
    return (environment) => (raw(environment) ?? undefined) === undefined
  }
  const value = compileExpression(expression)
  return (environment) => value(environment) === undefined
}

function isArithmetic(expression: Expression & { 0: unknown }): expression is readonly [Arithmetic, Expression, Expression] {
  return Object.hasOwn(OPERATORS, String(expression[0]))
}

function compileArithmetic(operator: Arithmetic, first: Expression, second: Expression): Code {
  const [left, right] = [compileExpression(first), compileExpression(second)]
  const names = { left: operandName(first), right: operandName(second) }
  const numbers = OPERATORS[operator]
  return (environment) => applyOperator(numbers, left(environment), right(environment), names)
}

/** Compiles an operator with one operand, which stands for both sides, or with a constant on the right. */
function compileSingle(operator: NumberOperator, operand: Expression, constant?: bigint): Code {
  const code = compileExpression(operand)
  const name = operandName(operand)
  const names = { left: name, right: name }
  return (environment) => {
    const value = code(environment)
    return applyOperator(operator, value, constant ?? value, names)
  }
}

function compileConcatenation(first: Expression, second: Expression): Code {
  const [left, right] = [compileExpression(first), compileExpression(second)]
  const names = { left: operandName(first), right: operandName(second) }
  return (environment) => concatenate(left(environment), right(environment), names)
}

function compileIndex(first: Expression, second: Expression): Code {
  const [of, key, name] = [compileExpression(first), compileExpression(second), operandName(first)]
  return (environment) => indexed(of(environment), key(environment), name)
}

function compileMethod(method: MethodName, first: Expression, parts: readonly Code[]): Code {
  const [of, name] = [compileExpression(first), operandName(first)]
  return (environment) => {
    const self = of(environment)
    const member = typeof self === 'string' ? undefined : indexed(self, method, name)
    const given = parts.map((part) => part(environment))
    if (typeof self === 'string') return callMethod(method, [self, ...given])
    throw new LuaError(`attempt to call a ${typeName(member)} value (method '${method}')`)
  }
}
