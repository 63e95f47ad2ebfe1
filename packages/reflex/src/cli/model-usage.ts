import { usageOf } from '../history/model-usage.ts'
import type { StoryEvent } from '../kernel/index.ts'
import { objectOf } from './event-text.ts'
import { count } from './units.ts'

/** What a run has spent on models. */
export interface ModelUsage {
  tokens: number
  usd: number
  /** Tokens that nobody has a price for. */
  unpriced: number
  /** How often a model was asked where once should have been enough. */
  tries: number
}

export function noUsage(): ModelUsage {
  return { tokens: 0, usd: 0, unpriced: 0, tries: 0 }
}

/** Adds what an event tells that a model took. */
export function addEventUsage(usage: ModelUsage, event: StoryEvent): void {
  const used = usageOf(event)
  if (used === undefined) return
  usage.tries += used.tries
  usage.tokens += used.tokens
  if (used.usd === undefined) usage.unpriced += used.tokens
  else usage.usd += used.usd
}

export function sumUsage(one: ModelUsage, other: ModelUsage): ModelUsage {
  return {
    tokens: one.tokens + other.tokens,
    usd: one.usd + other.usd,
    unpriced: one.unpriced + other.unpriced,
    tries: one.tries + other.tries,
  }
}

/** `1,212 tok`, `$0.003`: what a node took, as facts. A reply that no model gave took nothing. */
export function usageFacts({ tokens, usd, unpriced, tries }: ModelUsage): readonly string[] {
  if (tokens === 0) return []
  return [
    `${count(tokens)} tok`,
    ...(unpriced === tokens ? ['unpriced'] : [money(usd), ...(unpriced === 0 ? [] : [`${count(unpriced)} tok unpriced`])]),
    ...(tries > 1 ? [`${tries} tries`] : []),
  ]
}

/** What all of it came to: `$0.004`, `640 tok unpriced`, or both; nothing where no model was asked. */
export function usageText({ usd, tokens, unpriced }: Omit<ModelUsage, 'tries'>): string | undefined {
  if (tokens === 0) return undefined
  const parts = [...(unpriced === tokens ? [] : [money(usd)]), ...(unpriced === 0 ? [] : [`${count(unpriced)} tok unpriced`])]
  return parts.join(' and ')
}

/** `$0.003`, `$12.40`; small sums keep two digits that say something. */
export function money(usd: number): string {
  if (usd === 0) return '$0'
  if (usd >= 1) return `$${usd.toFixed(2)}`
  return usd >= 0.001 ? `$${usd.toFixed(3)}` : `$${usd.toFixed(Math.min(12, 1 - Math.floor(Math.log10(usd))))}`
}

/** Whether a model had its part in a decision. */
export function isByModel({ facts = {} }: StoryEvent): boolean {
  return facts.used !== undefined
}

/** What a model was shown: `saw order, identity · cut log`; with nothing left to say, nothing. */
export function promptKeysText({ facts = {} }: StoryEvent): string | undefined {
  const { keys, cut, left } = objectOf(facts.saw)
  const names = (list: unknown): string => (Array.isArray(list) ? list.map(String).join(', ') : '')
  const parts = [
    ['saw', names(keys)],
    ['cut', names(cut)],
    ['only named', names(left)],
  ].flatMap(([word, list]) => (list === '' ? [] : [`${word} ${list}`]))
  return parts.length === 0 ? undefined : parts.join(' · ')
}
