import { PRICE_LIST } from './price-list.ts'
import type { Price, Prices, Usage } from './types.ts'

/** The price of replies that no provider bills: recorded, simulated and scripted ones. */
export const FREE: Price = { input: 0, output: 0 }

/** A date that providers append to the name of a model; any other suffix means another model. */
const DATE = /^-(?:\d{8}|\d{4}-\d{2}-\d{2}|\d{4})$/

/**
 * Returns the price of a model: the price for exactly its name, else the price of its family, which has the same name
 * without a date. User prices override the list. Undefined if there is no price, or if it is not an amount from 0 to
 * `HIGHEST_PRICE`.
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

/** Returns the full name of a model with a price, by its name without the provider; undefined for any other. */
export function fullName(short: string): string | undefined {
  return Object.keys(PRICE_LIST).find((name) => name.endsWith(`:${short}`))
}

/** The highest price in USD per million tokens: a higher one is a mistake, and sums of it would not be exact. */
export const HIGHEST_PRICE = 1e9

/** Returns the price if all its amounts are valid. */
function validPrice(price: Price | undefined): Price | undefined {
  if (price === undefined) return undefined
  const { input, output, cached = 0, cacheWrite = 0, reasoning = 0 } = price
  return [input, output, cached, cacheWrite, reasoning].every((usd) => usd >= 0 && usd <= HIGHEST_PRICE) ? price : undefined
}

/** Returns the cost of some tokens in USD. */
export function costOf(usage: Usage, price: Price): number {
  const cached = Math.min(usage.cached ?? 0, usage.input)
  const written = Math.min(usage.cacheWrite ?? 0, usage.input - cached)
  const reasoning = Math.min(usage.reasoning ?? 0, usage.output)
  const read = cached * (price.cached ?? price.input) + written * (price.cacheWrite ?? price.input)
  const thought = reasoning * (price.reasoning ?? price.output)
  const millionths = (usage.input - cached - written) * price.input + read + (usage.output - reasoning) * price.output + thought
  return dollars(millionths / 1e6)
}

/** Rounds a sum of money to remove the errors of binary fractions. */
export function dollars(sum: number): number {
  return Math.round(sum * 1e12) / 1e12
}
