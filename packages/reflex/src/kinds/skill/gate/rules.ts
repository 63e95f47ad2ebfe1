import type { Variables } from '../../../text/index.ts'
import type { CompiledRule } from '../manifest/compiled.ts'

/** The value of a condition, or why it has none. */
export type RuleResult = { readonly value: boolean } | { readonly error: string }

const LONGEST_ERROR = 200

/** Evaluates a condition. Never throws. What is not true or false is an error, and the caller decides for which side an error counts. */
export function evaluateRule({ expression }: CompiledRule, variables: Variables): RuleResult {
  const result = expression.evaluate(variables)
  if (!result.ok) return { error: result.failure.message.slice(0, LONGEST_ERROR) }
  return typeof result.value === 'boolean' ? { value: result.value } : { error: 'the result is not true or false' }
}

/** Returns the variables of an expression: the own keys of an object. */
export function variablesOf(values: Readonly<Record<string, unknown>>): Variables {
  return {
    has: (name) => Object.hasOwn(values, name),
    get: (name) => (Object.hasOwn(values, name) ? values[name] : undefined),
    keys: () => Object.keys(values),
  }
}
