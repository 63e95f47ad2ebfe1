import type { Json } from '../journal/json.ts'
import type { Asker, Outputs } from '../journal/record.ts'
import { type Limits, limitsRaised, type Usage } from '../journal/usage.ts'

const PRICE = 'price:'

/** The grant under which a model without a price is asked. It holds in the whole run: its place is empty. */
export function priceGrant(model: string): string {
  return `${PRICE}${model}`
}

/** A question before an effect, and the place that the permission is for. */
export interface EffectQuestion {
  readonly asker: Asker
  readonly grants: readonly string[] | undefined
  readonly place: string
}

/** Returns what an answer permits, raises or stops. After any other answer the question is asked again. */
export function outputsOfAnswer(
  { asker, grants = [], place }: EffectQuestion,
  answer: Json,
  meter: { readonly original: Limits; readonly limits: Limits; readonly run: Usage },
): Pick<Outputs, 'decided' | 'raise' | 'stop'> {
  const isWord = answer === 'allow' || answer === 'deny'
  if (asker === 'permission') return isWord ? { decided: grants.map((grant) => [grant, place, answer === 'allow'] as const) } : {}
  if (asker !== 'budget') return {}
  if (answer === 'stop') return { stop: 1 }
  if (grants.length > 0) return answer === 'allow' ? { decided: grants.map((grant) => [grant, '', true] as const) } : {}
  const raise = limitsRaised({ original: meter.original, limits: meter.limits, used: meter.run }, answer)
  return raise === undefined ? {} : { raise }
}

/** An answer of a person to a question that an effect asked while it was performed. */
export interface EffectAnswer {
  /** The question as it was asked. */
  readonly about: Json
  readonly answer: Json
}

/** A person who stopped a run before an effect, and why the question was asked. */
export interface StoppedEffect {
  readonly by: string
  readonly why: string
}

/** Returns who stopped the run, and why the question about the grants was asked. */
export function stoppedEffect(grants: readonly string[] | undefined, by = 'somebody'): StoppedEffect {
  const [grant] = grants ?? []
  return { by, why: grant?.startsWith(PRICE) === true ? `${grant.slice(PRICE.length)} has no price` : 'the budget is spent' }
}
