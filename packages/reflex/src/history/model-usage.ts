import { isObject, type StoryEvent } from '../kernel/index.ts'

/** What a model took. */
export interface ModelUsage {
  readonly tokens: number
  /** US dollars; absent where nobody has a price. */
  readonly usd?: number
  /** How often it was asked until it answered. */
  readonly tries: number
}

/** What an event of a story tells that a model took; undefined where no model had a part in it. */
export function usageOf({ facts = {} }: StoryEvent): ModelUsage | undefined {
  if (!isObject(facts.used)) return undefined
  const { input, output, usd, tries } = facts.used
  return { tokens: amount(input) + amount(output), tries: amount(tries), ...(typeof usd === 'number' ? { usd: amount(usd) } : {}) }
}

/** A file or a tool may state any number: a budget gets nothing back, and sums stay finite. */
function amount(value: unknown): number {
  return typeof value === 'number' && value > 0 ? Math.min(value, Number.MAX_SAFE_INTEGER) : 0
}
