import type { Json } from '../../../../kernel/index.ts'
import { compileExpression, type Code, type Environment, type Test } from './compile.ts'
import type { Expression } from './forms.ts'
import { LuaError, toJson } from './values.ts'

/** The value of an expression, nil as null, or the message of Lua's error. */
export type Evaluated = { readonly value: Json } | { readonly error: string }
/** The truth of a condition, or the message of Lua's error. */
export type Tested = { readonly value: boolean } | { readonly error: string }

/**
 * Evaluates an expression. The result depends on the environment alone, and a bounded number of operations ends it: each node of the
 * expression is evaluated once at most. Compile an expression that is evaluated often, and use `run`.
 */
export function evaluate(expression: Expression, environment: Environment): Evaluated {
  return run(compileExpression(expression), environment)
}

/** Evaluates a compiled expression. */
export function run(code: Code, environment: Environment): Evaluated {
  return caught(() => toJson(code(environment)))
}

/** Evaluates a compiled condition. */
export function runCondition(code: Test, environment: Environment): Tested {
  return caught(() => code(environment))
}

function caught<Value>(evaluated: () => Value): { readonly value: Value } | { readonly error: string } {
  try {
    return { value: evaluated() }
  } catch (error) {
    if (error instanceof LuaError) return { error: error.message }
    throw error
  }
}
