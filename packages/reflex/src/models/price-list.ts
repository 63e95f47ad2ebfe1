import type { Prices } from './types.ts'

/**
 * The date on which the prices below were copied from the providers' price lists. Prices change; a price file and the
 * option `prices` override them.
 */
export const PRICED_ON = '2025-11-15'

/**
 * USD per million tokens by model name. A name with a date is for that model only, a name without a date for the whole
 * family.
 */
export const PRICE_LIST: Prices = {
  'openai:gpt-5': { input: 1.25, cached: 0.125, output: 10 },
  'openai:gpt-5-mini': { input: 0.25, cached: 0.025, output: 2 },
  'openai:gpt-5-nano': { input: 0.05, cached: 0.005, output: 0.4 },
  'openai:gpt-4.1': { input: 2, cached: 0.5, output: 8 },
  'openai:gpt-4.1-mini': { input: 0.4, cached: 0.1, output: 1.6 },
  'openai:gpt-4.1-nano': { input: 0.1, cached: 0.025, output: 0.4 },
  'openai:gpt-4o': { input: 2.5, cached: 1.25, output: 10 },
  'openai:gpt-4o-2024-05-13': { input: 5, output: 15 },
  'openai:gpt-4o-mini': { input: 0.15, cached: 0.075, output: 0.6 },
  'openai:o3': { input: 2, cached: 0.5, output: 8 },
  'openai:o4-mini': { input: 1.1, cached: 0.275, output: 4.4 },
  'anthropic:claude-opus-4-1': { input: 15, cached: 1.5, cacheWrite: 18.75, output: 75 },
  'anthropic:claude-sonnet-4-5': { input: 3, cached: 0.3, cacheWrite: 3.75, output: 15 },
  'anthropic:claude-sonnet-4': { input: 3, cached: 0.3, cacheWrite: 3.75, output: 15 },
  'anthropic:claude-haiku-4-5': { input: 1, cached: 0.1, cacheWrite: 1.25, output: 5 },
  'anthropic:claude-3-5-haiku': { input: 0.8, cached: 0.08, cacheWrite: 1, output: 4 },
}
