import type { Json, JsonObject } from '../../../../kernel/index.ts'
import { listOf, textOf } from '../../dot/graph.ts'
import type { NodeContext } from '../../contract/handler.ts'

/** The parameters of an action, or the reason why they are invalid. */
export type ActionParameters = { readonly values: JsonObject } | { readonly problem: string }

/**
 * Returns the parameters of an action: `param.x` and `arg.x` as written, then each key of `context_keys` under its last part,
 * which wins. A missing key is left out with a note (reference pipeline 4.5, actions).
 */
export function actionParameters(context: NodeContext): ActionParameters {
  const { attributes, node } = context
  const values: Record<string, Json> = {}
  for (const [key, { value }] of attributes) {
    const [, name] = /^(?:param|arg)\.(.+)$/.exec(key) ?? []
    if (name !== undefined) values[name] = value
  }
  const from = new Map<string, string>()
  for (const key of listOf(attributes, 'context_keys')) {
    const name = key.split('.').at(-1) ?? key
    const other = from.get(name)
    if (other !== undefined && other !== key) return { problem: `${other} and ${key} would both be the parameter ${name}` }
    from.set(name, key)
    const value = context.get(key)
    if (value === undefined) context.note('parameter_missing', { node_id: node.id, key, name })
    else values[name] = value
  }
  return withTimeoutBudget(context, values)
}

const BUDGET = ['deadline_key', 'cap_key', 'reserve_key', 'param'] as const

/** Adds the time until a deadline as a parameter. Needs all four attributes or none (reference pipeline 2.4). */
function withTimeoutBudget(context: NodeContext, values: Record<string, Json>): ActionParameters {
  const words = BUDGET.map((word) => textOf(context.attributes, `timeout_budget.${word}`)?.trim() || undefined)
  if (words.every((word) => word === undefined)) return { values }
  const [deadlineKey, capKey, reserveKey, parameter] = words
  if (deadlineKey === undefined || capKey === undefined || reserveKey === undefined || parameter === undefined)
    return { problem: `timeout_budget needs all of ${BUDGET.join(', ')}` }
  const [deadline, cap, reserve] = [timeOf(context.get(deadlineKey)), Number(context.text(capKey)), Number(context.text(reserveKey))]
  if (![deadline, cap, reserve].every(Number.isFinite))
    return { problem: `timeout_budget: ${deadlineKey}, ${capKey} and ${reserveKey} must be times` }
  return { values: { ...values, [parameter]: Math.max(0, Math.min(cap, deadline - context.now - reserve)) } }
}

/** Returns milliseconds since the epoch from a number or a date text. */
function timeOf(value: Json | undefined): number {
  if (typeof value === 'number') return value
  if (typeof value !== 'string') return Number.NaN
  return /^\d+$/.test(value) ? Number(value) : Date.parse(value)
}
