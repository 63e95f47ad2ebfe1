import { usageOf } from '../history/model-usage.ts'
import type { OpenRun } from '../kernel/index.ts'
import type { StoryEvent } from '../programs/kind-view.ts'
import { objectOf } from './event-text.ts'
import { count } from '../protocol/plain.ts'

/** The usage of models by a run. */
export interface ModelUsage {
  tokens: number
  usd: number
  /** The tokens without a known price. */
  unpriced: number
  /** The calls of a model, including repeated ones. */
  tries: number
}

export function noUsage(): ModelUsage {
  return { tokens: 0, usd: 0, unpriced: 0, tries: 0 }
}

/** Adds the usage that an event reports. */
export function addEventUsage(usage: ModelUsage, event: StoryEvent): void {
  const used = usageOf(event)
  if (used === undefined) return
  usage.tries += used.tries
  usage.tokens += used.tokens
  if (used.usd === undefined) usage.unpriced += used.tokens
  else usage.usd += used.usd
}

/** The usage of a whole run. */
export type TotalUsage = Omit<ModelUsage, 'tries'>

/** Returns the usage of a run so far. What a fork shares with its source was used by that. */
export function usageOfRun({ state }: Pick<OpenRun, 'state'>): TotalUsage {
  const { cost: usd, tokens, unpriced } = state.meter.own
  return { usd, tokens, unpriced }
}

/** Returns the usage of a node as facts: `1,212 tok`, `$0.003`. A reply without tokens has none. */
export function usageFacts({ tokens, usd, unpriced, tries }: ModelUsage): readonly string[] {
  if (tokens === 0) return []
  return [
    `${count(tokens)} tok`,
    ...(unpriced === tokens ? ['unpriced'] : [money(usd), ...(unpriced === 0 ? [] : [`${count(unpriced)} tok unpriced`])]),
    ...(tries > 1 ? [`${tries} tries`] : []),
  ]
}

/** Returns the total usage: `$0.004`, `640 tok unpriced`, or both; undefined if no model was used. */
export function usageText({ usd, tokens, unpriced }: TotalUsage): string | undefined {
  if (tokens === 0) return undefined
  const parts = [...(unpriced === tokens ? [] : [money(usd)]), ...(unpriced === 0 ? [] : [`${count(unpriced)} tok unpriced`])]
  return parts.join(' and ')
}

/** Returns an amount in US dollars: `$0.003`, `$12.40`; small amounts keep two significant digits. */
export function money(usd: number): string {
  if (usd === 0) return '$0'
  if (usd >= 1) return `$${usd.toFixed(2)}`
  return usd >= 0.001 ? `$${usd.toFixed(3)}` : `$${usd.toFixed(Math.min(12, 1 - Math.floor(Math.log10(usd))))}`
}

/** True if a model took part in a decision. */
export function isByModel({ facts = {} }: StoryEvent): boolean {
  return facts.used !== undefined
}

/** Returns the keys that a model was shown: `saw order, identity · cut log`; undefined if there are none. */
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
