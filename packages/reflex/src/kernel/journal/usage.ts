import { isList, isObject, type Json, type JsonObject } from './json.ts'

/** The amounts that can be limited: tokens, US dollars, milliseconds of activity, executed nodes. */
export const LIMITS = ['tokens', 'cost', 'time', 'steps'] as const
export type Limit = (typeof LIMITS)[number]
export type Limits = Readonly<Partial<Record<Limit, number>>>

/** The amounts that a program can limit, for itself and for what it calls: also the effects that state their usage, such as calls of models. */
export const CALL_LIMITS = [...LIMITS, 'calls'] as const
export type CallLimit = (typeof CALL_LIMITS)[number]
export type CallLimits = Readonly<Partial<Record<CallLimit, number>>>

/**
 * The usage of a run or a program. `time`: milliseconds in which something was in progress, without those in which the run
 * waited for people or was released. `calls`: effects that stated their usage. `unpriced`: tokens without a price.
 */
export interface Usage extends Readonly<Record<Limit, number>> {
  readonly calls: number
  readonly unpriced: number
}

/** The part of a usage that an effect or a step can state. Time is measured. */
export type StatedUsage = Readonly<Partial<Omit<Usage, 'time'>>>

/** Returns the non-zero amounts of a sum. */
export function amountsOf(sum: UsageSum): StatedUsage {
  return Object.fromEntries(STATED.flatMap((name) => (sum[name] === 0 ? [] : [[name, sum[name]]])))
}

const STATED = ['tokens', 'cost', 'steps', 'calls', 'unpriced'] as const satisfies readonly (keyof StatedUsage)[]

/** A sum of usages. */
export class UsageSum {
  tokens = 0
  cost = 0
  steps = 0
  calls = 0
  unpriced = 0

  add({ tokens = 0, cost = 0, steps = 0, calls = 0, unpriced = 0 }: StatedUsage): void {
    this.tokens += tokens
    this.cost += cost
    this.steps += steps
    this.calls += calls
    this.unpriced += unpriced
  }

  /** Returns the current sum with a time. */
  withTime(time: number): Usage {
    const { tokens, cost, steps, calls, unpriced } = this
    return { tokens, cost, time, steps, calls, unpriced }
  }
}

/** Returns a valid amount. A file or a tool may state any number: amounts below 0 count as 0, and sums stay finite. */
export function amountOf(value: unknown): number {
  return typeof value === 'number' && value > 0 ? Math.min(value, Number.MAX_SAFE_INTEGER) : 0
}

/** Returns the amounts above 0 of a usage; undefined if there are none. */
export function soundUsage(stated: Readonly<Partial<Record<keyof StatedUsage, unknown>>>): StatedUsage | undefined {
  const found = STATED.flatMap((name) => {
    const amount = amountOf(stated[name])
    return amount === 0 ? [] : [[name, amount] as const]
  })
  return found.length === 0 ? undefined : Object.fromEntries(found)
}

/**
 * Reads the usage that a result states: for a model's reply `{ usage: { input, output }, cost }`, for any other result `{ used:
 * { input, output, usd } }`, for a fault the same in its data. Undefined if the result states none.
 */
export function usageOfResult(result: Json | undefined): StatedUsage | undefined {
  if (!isObject(result)) return undefined
  const { usage, cost, used, data } = result
  if (isTokens(usage)) return usageOfTokens(usage, cost)
  const stated = used ?? (isObject(data) ? data.used : undefined)
  return isTokens(stated) ? usageOfTokens(stated, stated.usd) : undefined
}

function isTokens(value: Json | undefined): value is JsonObject {
  return isObject(value) && (typeof value.input === 'number' || typeof value.output === 'number')
}

/** Returns the usage of one model call. Tokens without a price are unpriced. */
export function usageOfTokens({ input, output }: { readonly input?: unknown; readonly output?: unknown }, usd: unknown): StatedUsage {
  const tokens = amountOf(input) + amountOf(output)
  const money = typeof usd === 'number' ? { cost: amountOf(usd) } : { unpriced: tokens }
  return soundUsage({ tokens, ...money, calls: 1 }) ?? {}
}

/** Returns the limits in the facts of a start. */
export function limitsOf(by: Json | undefined): Limits {
  const stated = isObject(by) && isObject(by.limits) ? by.limits : {}
  return pickLimits((limit) => stated[limit])
}

/** Returns the limits with an amount above 0. */
export function pickLimits(amount: (limit: Limit) => unknown): Limits {
  const found = LIMITS.flatMap((limit) => {
    const value = amount(limit)
    return typeof value === 'number' && value > 0 ? [[limit, value] as const] : []
  })
  return Object.fromEntries(found)
}

/** Returns limits with each amount at most that of other limits; the other limits themselves if no amount is below them. */
export function limitsAtMost(most: Limits, limits: Limits): Limits {
  const lower = pickLimits((limit) => {
    const amounts = [most[limit], limits[limit]].filter((amount) => amount !== undefined)
    return amounts.length === 0 ? undefined : Math.min(...amounts)
  })
  return LIMITS.every((limit) => lower[limit] === most[limit]) ? most : lower
}

/** Returns the last records of the imports in the facts of a start after which limits that were raised before do not count. */
export function raisedElsewhere(by: Json | undefined): readonly number[] {
  const stated = isObject(by) ? by.raisedElsewhere : undefined
  return isList(stated) ? stated.filter((record) => typeof record === 'number') : []
}

const UNITS: Readonly<Record<CallLimit, string>> = { tokens: 'tokens', cost: 'US dollars', time: 'ms', steps: 'steps', calls: 'calls' }

/** Returns a limit and the used part of it in words: `12 of 10 tokens`. */
export function describeLimit<Name extends CallLimit>(limit: Name, limits: CallLimits, used: Readonly<Record<Name, number>>): string {
  const format = (amount: number): string => String(Number(amount.toFixed(4)))
  return `${format(used[limit])} of ${format(limits[limit] ?? 0)} ${UNITS[limit]}`
}

/** Returns the limits that are used up. */
export function limitsReached(limits: Limits, used: Readonly<Record<Limit, number>>): Limit[] {
  return LIMITS.filter((limit) => used[limit] >= (limits[limit] ?? Number.POSITIVE_INFINITY))
}

/** Returns the limits of a program or a call that are used up. */
export function callLimitsReached(limits: CallLimits, used: Readonly<Record<CallLimit, number>>): CallLimit[] {
  return CALL_LIMITS.filter((limit) => used[limit] >= (limits[limit] ?? Number.POSITIVE_INFINITY))
}

/** Returns the valid amounts of the limits of a call: amounts below 0, and what is no amount, allow nothing. Undefined if there are none. */
export function soundCallLimits(limits: Readonly<Partial<Record<CallLimit, unknown>>> | undefined): CallLimits | undefined {
  if (limits === undefined) return undefined
  const found = CALL_LIMITS.flatMap((limit) => {
    const amount = limits[limit]
    return typeof amount === 'number' && amount !== Number.POSITIVE_INFINITY ? [[limit, amountOf(amount)] as const] : []
  })
  return found.length === 0 ? undefined : Object.fromEntries(found)
}

/** Returns the name of a limit of a call that has no number, or an empty name if the limits are not an object; undefined if there is none. */
export function badCallLimit(limits: unknown): string | undefined {
  if (limits === undefined) return undefined
  if (!isObject(limits)) return ''
  return CALL_LIMITS.find((limit) => limits[limit] !== undefined && typeof limits[limit] !== 'number')
}

/**
 * Returns the limits that an answer to a budget question changes: with `raise`, each limit that is used up gets its original
 * amount on top of the current usage; otherwise the amounts in the answer. Undefined for an answer that raises nothing.
 */
export function limitsRaised(
  { original, limits, used }: { readonly original: Limits; readonly limits: Limits; readonly used: Usage },
  answer: Json,
): Limits | undefined {
  const raised =
    answer === 'raise'
      ? Object.fromEntries(limitsReached(limits, used).map((limit) => [limit, (original[limit] ?? 0) + used[limit]]))
      : isObject(answer)
        ? pickLimits((limit) => answer[limit])
        : {}
  return Object.keys(raised).length === 0 ? undefined : raised
}
