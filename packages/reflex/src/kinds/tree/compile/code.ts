import { type Fault, isObject, type Json } from '../../../kernel/index.ts'
import {
  type Code,
  compileCondition,
  compileExpression,
  type Environment,
  type Expression,
  parseExpression,
  reads,
  run,
  type Test,
  runCondition,
} from '../lua/expression/index.ts'
import { textOf } from '../model/text-of.ts'

/** An expression that is evaluated in the step. */
export interface ExpressionCode {
  readonly is: 'expression'
  readonly text: string
  readonly expression: Expression
  readonly code: Code
  readonly test: Test
  readonly reads: readonly string[]
}

/** The code of a condition: an expression, Lua that has to be run, or a function of the host. */
export type ConditionCode =
  | ExpressionCode
  | { readonly is: 'script'; readonly text: string }
  | { readonly is: 'function'; readonly name: string; readonly args?: Json | undefined; readonly inputs?: Json | undefined }

/** Where a text of Lua begins. */
export interface CodePlace {
  readonly file?: string | undefined
  readonly line?: number | undefined
}

/** Reads a condition: Lua, or { fn = name }. Returns the fault of a text that is not Lua. */
export function conditionCode(condition: Json, place: CodePlace): ConditionCode | Fault {
  if (isObject(condition)) return { is: 'function', name: textOf(condition.fn), args: condition.args, inputs: condition.inputs }
  const text = textOf(condition)
  const parsed = parseExpression(text, place)
  if ('fault' in parsed) return parsed.fault
  return 'outside' in parsed ? { is: 'script', text } : expressionCode(text, parsed.expression)
}

/** Reads an expression that must be data. Returns a fault for a text that is not, or the reason why it is outside of the subset. */
export function dataCode(text: string, place: CodePlace): ExpressionCode | Fault | { readonly outside: string } {
  const parsed = parseExpression(text, place)
  if ('fault' in parsed) return parsed.fault
  return 'outside' in parsed ? parsed : expressionCode(text, parsed.expression)
}

function expressionCode(text: string, expression: Expression): ExpressionCode {
  return {
    is: 'expression',
    text,
    expression,
    code: compileExpression(expression),
    test: compileCondition(expression),
    reads: reads(expression),
  }
}

/** Evaluates an expression. An error of Lua is a result. */
export function valueOf({ code }: ExpressionCode, environment: Environment): { readonly value: Json } | { readonly error: string } {
  return run(code, environment)
}

/** Evaluates an expression as a condition. */
export function truthOf(code: ExpressionCode, environment: Environment): { readonly value: boolean } | { readonly error: string } {
  return runCondition(code.test, environment)
}
