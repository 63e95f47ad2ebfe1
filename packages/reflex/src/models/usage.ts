import type { Usage } from './types.ts'

/** The token counts that a provider or an adapter reports. */
type Counts = { readonly [key in keyof Usage]?: unknown }

/**
 * Returns token counts as whole numbers. Undefined if nothing was reported, which differs from zero, or if a reported
 * value cannot be a number of tokens: the answer is then kept without a price.
 */
export function validUsage({ input, output, cached, cacheWrite, reasoning }: Counts): Usage | undefined {
  const [sent, written] = [countOf(input), countOf(output)]
  if (sent === undefined && written === undefined) return undefined
  if ((sent === undefined && isPresent(input)) || (written === undefined && isPresent(output))) return undefined
  return addUsage({
    input: sent ?? 0,
    output: written ?? 0,
    cached: countOf(cached),
    cacheWrite: countOf(cacheWrite),
    reasoning: countOf(reasoning),
  })
}

/** Returns the sum, limited to the largest exact whole number. */
export function addUsage(...parts: readonly Usage[]): Usage {
  const total = (key: keyof Usage): number => parts.reduce((all, part) => Math.min(all + (part[key] ?? 0), Number.MAX_SAFE_INTEGER), 0)
  const [cached, cacheWrite, reasoning] = [total('cached'), total('cacheWrite'), total('reasoning')]
  return {
    input: total('input'),
    output: total('output'),
    ...(cached === 0 ? {} : { cached }),
    ...(cacheWrite === 0 ? {} : { cacheWrite }),
    ...(reasoning === 0 ? {} : { reasoning }),
  }
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null
}

function countOf(value: unknown): number | undefined {
  const whole = typeof value === 'number' ? Math.floor(value) : -1
  return Number.isSafeInteger(whole) && whole >= 0 ? whole : undefined
}
