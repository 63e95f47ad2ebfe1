/** The most nodes of an expression that is parsed. */
export const MOST_NODES = 500
/** The deepest nesting of parentheses, operators and calls in a text. Lua's own limit is 200. */
export const MOST_DEPTH = 100
/** The longest text of an expression, in UTF-16 units. */
export const LONGEST_SOURCE = 65_536
/** The longest string that an expression handles as a value, in characters. A longer one can only be tested for nil and truth. */
export const LONGEST_TEXT = 1_048_576

/** A field of `ctx`, besides `ctx.bb`. */
export type ContextField = 'tick_count' | 'node_id' | 'tree_id' | 'event'

/**
 * A literal. `null` is nil. A number that is a safe integer is a Lua integer, every other number a float; `int` and `float` are for those that
 * JSON cannot tell apart. A string is text, `bytes` a string that is not UTF-8, one character for each byte.
 */
export type Literal =
  | null
  | boolean
  | number
  | string
  | readonly ['int', string]
  | readonly ['float', number | '-0' | 'inf' | '-inf']
  | readonly ['bytes', string]

/**
 * A read. `bb` is `bb.key`, `get` is `bb.get("key")`: they differ in the messages of errors and in the keys `get`, `set`, `has` and `delete`,
 * which only `get` can read. `has` is `bb.has("key")`, `ctx` is `ctx.field`.
 */
export type Read = ValueRead | readonly ['has', string]
/** A read that gives the value itself. */
export type ValueRead = readonly ['bb' | 'get', string] | readonly ['ctx', ContextField]

export type UnaryOperator = 'not' | 'neg' | 'len'
export type LogicOperator = 'and' | 'or'
export type Comparison = '==' | '~=' | '<' | '<=' | '>' | '>='
export type Arithmetic = '+' | '-' | '*' | '/' | '//' | '%'
export type BinaryOperator = LogicOperator | Comparison | Arithmetic | '..'

/** The functions of expressions. Each gives one value, does work in proportion to its arguments, and ends. */
export type FunctionName =
  | 'type'
  | 'tostring'
  | 'tonumber'
  | 'math.floor'
  | 'math.ceil'
  | 'math.abs'
  | 'math.min'
  | 'math.max'
  | `string.${MethodName}`

/** The functions that are also methods of strings: `s:len()`. */
export type MethodName = 'len' | 'lower' | 'upper' | 'sub'

/**
 * An expression as data: the loop-free subset of Lua 5.4 in which conditions are written. It is plain JSON.
 *
 * A power has the exponent 2: the last digit of other powers depends on the machine. Powers of two literals with an exact result are literals.
 */
export type Expression =
  | Literal
  | Read
  | readonly ['index', of: Expression, key: Expression]
  | readonly [UnaryOperator, Expression]
  | readonly [BinaryOperator, Expression, Expression]
  | readonly ['^', Expression, 2]
  | readonly ['call', FunctionName, ...Expression[]]
  | readonly ['method', MethodName, of: Expression, ...Expression[]]

/** Returns the parts of an expression, in the order of evaluation. */
export function partsOf(expression: Expression): readonly Expression[] {
  if (!isNode(expression)) return []
  switch (expression[0]) {
    case 'int':
    case 'float':
    case 'bytes':
    case 'bb':
    case 'get':
    case 'has':
    case 'ctx':
      return []
    case '^':
      return [expression[1]]
    case 'call': {
      const [, , ...parts] = expression
      return parts
    }
    case 'method': {
      const [, , ...parts] = expression
      return parts
    }
    case 'not':
    case 'neg':
    case 'len':
      return [expression[1]]
    default:
      return [expression[1], expression[2]]
  }
}

/** True for an expression that is a tuple, false for a literal that is a JSON scalar. */
export function isNode(expression: Expression): expression is Exclude<Expression, null | boolean | number | string> {
  return typeof expression === 'object' && expression !== null
}

/** Returns the keys of the board that an expression reads or tests for presence, each once, in the order of the text. */
export function reads(expression: Expression): string[] {
  const keys = new Set<string>()
  const open: Expression[] = [expression]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (isNode(next) && (next[0] === 'bb' || next[0] === 'get' || next[0] === 'has')) keys.add(next[1])
    else open.push(...partsOf(next).toReversed())
  }
  return [...keys]
}
