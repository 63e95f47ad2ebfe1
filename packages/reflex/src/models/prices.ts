import { PRICE_LIST } from './price-list.ts'
import type { Price, Prices, Usage } from './types.ts'

/** The price of replies that no provider bills: recorded, simulated, scripted. */
export const FREE: Price = { input: 0, output: 0 }

/** A date that providers put behind the name of a model; anything else behind it is another model. */
const DATE = /^-(?:\d{8}|\d{4}-\d{2}-\d{2}|\d{4})$/

/**
 * The price of a model: that of exactly its name, else that of its family, which has the same name without a date. The user's
 * prices precede those of the list. Undefined when it is unknown.
 */
export function priceOf(names: readonly string[], own: Prices): Price | undefined {
  const lists = [own, PRICE_LIST]
  for (const prices of lists) for (const name of names) if (Object.hasOwn(prices, name)) return prices[name]
  for (const prices of lists)
    for (const name of names) {
      const family = Object.keys(prices).find((known) => name.startsWith(known) && DATE.test(name.slice(known.length)))
      if (family !== undefined) return prices[family]
    }
  return undefined
}

/** A model that has a price, by its name without the provider; undefined for any other. */
export function fullName(short: string): string | undefined {
  return Object.keys(PRICE_LIST).find((name) => name.endsWith(`:${short}`))
}

/** USD for so many tokens. */
export function costOf(usage: Usage, price: Price): number {
  const cached = Math.min(usage.cached ?? 0, usage.input)
  const written = Math.min(usage.cacheWrite ?? 0, usage.input - cached)
  const reasoning = Math.min(usage.reasoning ?? 0, usage.output)
  const read = cached * (price.cached ?? price.input) + written * (price.cacheWrite ?? price.input)
  const thought = reasoning * (price.reasoning ?? price.output)
  const millionths = (usage.input - cached - written) * price.input + read + (usage.output - reasoning) * price.output + thought
  return dollars(millionths / 1e6)
}

/** A sum of money without the noise of binary fractions. */
export function dollars(sum: number): number {
  return Math.round(sum * 1e12) / 1e12
}
