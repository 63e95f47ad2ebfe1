import { isList, isObject, type Json, type JsonObject } from '../kernel/index.ts'
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

/**
 * Returns the usage of a model from its reply, or from the fault of the call, as facts of an event: tokens, and money if the model has a price.
 */
export function usedBy(value: Json | undefined): JsonObject | undefined {
  if (!isObject(value)) return undefined
  const { usage, cost, tries, estimated, data } = value
  if (!isObject(usage)) return isObject(data) && isObject(data.used) ? data.used : undefined
  return {
    input: usage.input ?? 0,
    output: usage.output ?? 0,
    ...(typeof cost === 'number' ? { usd: cost } : {}),
    ...(isList(tries) && tries.length > 1 ? { tries: tries.length } : typeof tries === 'number' && tries > 1 ? { tries } : {}),
    ...(estimated === true ? { estimated } : {}),
  }
}

/** Returns the author of a reply: the name of a model, or a note that no model wrote it. */
export function replyAuthor(value: Json | undefined): string {
  const { by, model } = isObject(value) ? value : {}
  if (by === 'hand') return 'a reply written by hand'
  const name = by ?? model
  return typeof name === 'string' ? name : ''
}
