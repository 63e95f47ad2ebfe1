import { PRICE_LIST } from './price-list.ts'
import type { Price, Prices, Usage } from './types.ts'

/** The price of replies that no provider bills: recorded, simulated, scripted. */
export const FREE: Price = { input: 0, output: 0 }

/** A date that providers put behind the name of a model; anything else behind it is another model. */
const DATE = /^-(?:\d{8}|\d{4}-\d{2}-\d{2}|\d{4})$/

/**
 * The price of a model: that of exactly its name, else that of its family, which has the same name without a date. Prices of one's own
 * precede those of the list. Undefined when it is not known, or is no amount between 0 and a thousand million.
 */
export function priceOf(names: readonly string[], userPrices: Prices): Price | undefined {
  return validPrice(findPrice(names, userPrices))
}

function findPrice(names: readonly string[], userPrices: Prices): Price | undefined {
  const lists = [userPrices, PRICE_LIST]
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

/** USD for a million tokens at the most: more is a slip, and sums of it are no numbers. */
export const HIGHEST_PRICE = 1e9

/** The price itself if sums of money can be made of it; nothing else is a price. */
function validPrice(price: Price | undefined): Price | undefined {
  if (price === undefined) return undefined
  const { input, output, cached = 0, cacheWrite = 0, reasoning = 0 } = price
  return [input, output, cached, cacheWrite, reasoning].every((usd) => usd >= 0 && usd <= HIGHEST_PRICE) ? price : undefined
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
