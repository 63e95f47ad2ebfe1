import { type Expression, type ExpressionOptions, type Variables, compileExpression } from '../../src/text/index.ts'

/** Returns the own keys of an object as variables. */
export function variablesOf(values: Readonly<Record<string, unknown>>): Variables {
  return { has: (key) => Object.hasOwn(values, key), get: (key) => values[key], keys: () => Object.keys(values) }
}

/** Compiles an expression that must have no findings. */
export function compiled(text: string, options: ExpressionOptions = { allVariables: 'board' }): Expression {
  const { expression, findings } = compileExpression(text, options)
  if (expression === undefined) throw new Error(findings.map(String).join('\n'))
  return expression
}

/** Returns the outcome of an expression: its value, or `reason: message [part that failed] note`. */
export function outcome(text: string, values: Readonly<Record<string, unknown>> = {}, options?: ExpressionOptions): unknown {
  const result = compiled(text, options).evaluate(variablesOf(values))
  if (result.ok) return result.value
  const { reason, message, note, offset, length } = result.failure
  return `${reason}: ${message} [${text.slice(offset, offset + length)}]${note === undefined ? '' : ` ${note}`}`
}
