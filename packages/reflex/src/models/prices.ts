import type { Price, Usage } from './types.ts'

/** Prices by the name of a model, such as `openai:gpt-5-mini`. */
export type Prices = Readonly<Record<string, Price>>

/** The price of replies that no provider bills: recorded, simulated, scripted. */
export const FREE: Price = { input: 0, output: 0 }

/** When the prices below were taken from the providers' price lists. They change; the option `prices` overrides them. */
export const PRICED_ON = '2025-11-15'

const PRICES: Prices = {
  'openai:gpt-5': { input: 1.25, cached: 0.125, output: 10 },
  'openai:gpt-5-mini': { input: 0.25, cached: 0.025, output: 2 },
  'openai:gpt-5-nano': { input: 0.05, cached: 0.005, output: 0.4 },
  'openai:gpt-4.1': { input: 2, cached: 0.5, output: 8 },
  'openai:gpt-4.1-mini': { input: 0.4, cached: 0.1, output: 1.6 },
  'openai:gpt-4.1-nano': { input: 0.1, cached: 0.025, output: 0.4 },
  'openai:gpt-4o': { input: 2.5, cached: 1.25, output: 10 },
  'openai:gpt-4o-mini': { input: 0.15, cached: 0.075, output: 0.6 },
  'openai:o3': { input: 2, cached: 0.5, output: 8 },
  'openai:o4-mini': { input: 1.1, cached: 0.275, output: 4.4 },
  'anthropic:claude-opus-4-1': { input: 15, cached: 1.5, output: 75 },
  'anthropic:claude-sonnet-4-5': { input: 3, cached: 0.3, output: 15 },
  'anthropic:claude-sonnet-4': { input: 3, cached: 0.3, output: 15 },
  'anthropic:claude-haiku-4-5': { input: 1, cached: 0.1, output: 5 },
  'anthropic:claude-3-5-haiku': { input: 0.8, cached: 0.08, output: 4 },
}

/** A date that providers put behind the name of a model; anything else behind it is another model. */
const DATE = /^-(?:\d{8}|\d{4}-\d{2}-\d{2}|\d{4})$/

/** The price of a model: its own, else that of the same name without a date. Undefined when it is not known. */
export function priceOf(names: readonly string[], own: Prices): Price | undefined {
  for (const prices of [own, PRICES])
    for (const name of names) {
      if (Object.hasOwn(prices, name)) return prices[name]
      const dated = Object.keys(prices).find((known) => name.startsWith(known) && DATE.test(name.slice(known.length)))
      if (dated !== undefined) return prices[dated]
    }
  return undefined
}

/** A model that has a price, by its name without the provider; undefined for any other. */
export function fullName(short: string): string | undefined {
  return Object.keys(PRICES).find((name) => name.endsWith(`:${short}`))
}

/** USD for so many tokens. */
export function costOf(usage: Usage, price: Price): number {
  const cached = Math.min(usage.cached ?? 0, usage.input)
  const millionths = (usage.input - cached) * price.input + cached * (price.cached ?? price.input) + usage.output * price.output
  return dollars(millionths / 1e6)
}

/** A sum of money without the noise of binary fractions. */
export function dollars(sum: number): number {
  return Math.round(sum * 1e12) / 1e12
}
