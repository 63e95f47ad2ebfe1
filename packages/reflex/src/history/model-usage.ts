import { isObject } from '../kernel/index.ts'
import type { StoryEvent } from '../programs/kind-view.ts'

/** The usage of a model. */
export interface ModelUsage {
  readonly tokens: number
  /** US dollars; absent if the model has no price. */
  readonly usd?: number
  /** The number of requests until the model answered. */
  readonly tries: number
}

/** Returns the usage of a model in an event of a story; undefined if no model took part. */
export function usageOf({ facts = {} }: StoryEvent): ModelUsage | undefined {
  if (!isObject(facts.used)) return undefined
  const { input, output, usd, tries } = facts.used
  return { tokens: amount(input) + amount(output), tries: amount(tries), ...(typeof usd === 'number' ? { usd: amount(usd) } : {}) }
}

/** Returns a valid amount. A file or a tool can state any number; negative amounts must not refund a budget, and sums must stay finite. */
function amount(value: unknown): number {
  return typeof value === 'number' && value > 0 ? Math.min(value, Number.MAX_SAFE_INTEGER) : 0
}
