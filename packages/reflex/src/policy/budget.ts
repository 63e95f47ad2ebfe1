import { isObject, type Json, type JsonObject } from '../kernel/index.ts'

/** What can be bounded: tokens, US dollars, milliseconds, executions of nodes. */
export const LIMITS = ['tokens', 'cost', 'time', 'steps'] as const
type Limit = (typeof LIMITS)[number]
export type UsageLimits = Readonly<Partial<Record<Limit, number>>>

/** What has been used up of each. */
export type Usage = Readonly<Record<Limit, number>>

/** The name of the question whether a run may use more. No node has such a name, so no program can ask in its stead. */
export const BUDGET_QUESTION = 'engine:budget'

/** The name of the question whether a model without a price may be asked although money is bounded. */
export const UNPRICED_QUESTION = 'engine:price'

/** The question before a model without a price is asked. `next` names the place. */
export function unpricedQuestion(model: string, limits: UsageLimits, next: string): JsonObject {
  return {
    text: `${model} has no price, so the budget of $${limits.cost ?? 0} cannot stop it: ask it all the same?`,
    options: [
      { value: 'allow', label: 'Allow', detail: 'it is asked, and its cost is not counted' },
      { value: 'stop', label: 'Stop', detail: 'it fails here' },
    ],
    about: `${next} is next.`,
    model,
  }
}

const UNITS: Readonly<Record<Limit, string>> = { tokens: 'tokens', cost: 'US dollars', time: 'ms', steps: 'steps' }

/** The bounds that are used up. */
export function limitsReached(limits: UsageLimits, used: Usage): Limit[] {
  return LIMITS.filter((bound) => used[bound] >= (limits[bound] ?? Number.POSITIVE_INFINITY))
}

/** A bound and what was used of it, in words. */
export function describeLimit(bound: Limit, limits: UsageLimits, used: Usage): string {
  const format = (amount: number): string => String(Number(amount.toFixed(4)))
  return `${format(used[bound])} of ${format(limits[bound] ?? 0)} ${UNITS[bound]}`
}

/** The same as people read it: `1,880 of 1,000 tok`, `$0.998 of $1.00`, `400 s of 300 s`. Not by the locale of a machine, for it is recorded. */
function limitText(bound: Limit, limits: UsageLimits, used: Usage): string {
  const format = {
    tokens: grouped,
    cost: (usd: number): string => `$${usd >= 1 ? usd.toFixed(2) : usd.toFixed(3)}`,
    time: (ms: number): string => `${grouped(Math.round(ms / 1000))} s`,
    steps: grouped,
  }[bound]
  const unit = { tokens: ' tok', cost: '', time: '', steps: limits.steps === 1 ? ' step' : ' steps' }[bound]
  return `${format(used[bound])} of ${format(limits[bound] ?? 0)}${unit}`
}

function grouped(amount: number): string {
  return String(amount).replace(/\B(?=(?:\d{3}){1,8}$)/g, ',')
}

/** The share of the bounds that is used up, of the one of which most is. */
export function shareUsed(limits: UsageLimits, used: Usage): number {
  return Math.max(0, ...LIMITS.map((bound) => used[bound] / (limits[bound] ?? Number.POSITIVE_INFINITY)))
}

const AMOUNT: JsonObject = { type: 'number', exclusiveMinimum: 0 }

/**
 * The question that a run waits with once the operator's budget is spent (decisions, budgets): raised by as much again, to
 * other amounts, `{"cost": 2}`, or not at all. `next`: what would go on.
 */
export function budgetQuestion(limits: UsageLimits, used: Usage, next: string): JsonObject {
  const amounts = limitsReached(limits, used).map((bound) => limitText(bound, limits, used))
  return {
    text: 'The budget is spent: raise it, or stop?',
    options: [
      { value: 'raise', label: 'Raise it', detail: 'by as much again' },
      { value: 'stop', label: 'Stop', detail: 'it fails here' },
    ],
    schema: {
      type: 'object',
      properties: Object.fromEntries(LIMITS.map((bound) => [bound, AMOUNT])),
      additionalProperties: false,
      minProperties: 1,
    },
    about: `${next} is next; ${amounts.join(', ')} used.`,
  }
}

/**
 * What a run may use after an answer to that question: of all that is used up as much again as was `given` first, from what
 * is used now; or the amounts that the answer names. Undefined for an answer that raises nothing.
 */
export function raisedLimits(limits: UsageLimits, original: UsageLimits, used: Usage, answer: Json): UsageLimits | undefined {
  if (answer === 'raise') {
    const again = limitsReached(limits, used).map((bound) => [bound, (original[bound] ?? 0) + used[bound]])
    return { ...limits, ...(Object.fromEntries(again) as UsageLimits) }
  }
  if (!isObject(answer)) return undefined
  const named = LIMITS.flatMap((bound) => {
    const amount = answer[bound]
    return typeof amount === 'number' && amount > 0 ? [[bound, amount] as const] : []
  })
  return named.length === 0 ? undefined : { ...limits, ...(Object.fromEntries(named) as UsageLimits) }
}
