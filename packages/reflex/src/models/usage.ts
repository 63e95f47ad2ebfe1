import type { Usage } from './types.ts'

/** What a provider or an adapter says of its tokens. */
type Counts = { readonly [key in keyof Usage]?: unknown }

/**
 * Tokens as they can be kept: whole numbers. Undefined where nothing was said, which is not the same as zero, and where
 * what was said can be no number of tokens: an answer is not lost over that, only unpriced.
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

/** The sum, as far as whole numbers are exact. */
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
