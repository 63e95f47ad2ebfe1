import { type JsonObject, type Limit, type Limits, LIMITS, limitsReached } from '../kernel/index.ts'

/** The amounts that were used of what can be limited. */
type Amounts = Readonly<Record<Limit, number>>

/** The question before a model without a price is asked. `next` names the place. */
export function priceQuestion(model: string, limits: Limits, next: string): JsonObject {
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

/** The same as people read it: `1,880 of 1,000 tok`, `$0.998 of $1.00`, `400 s of 300 s`. Not by the locale of a machine, for it is recorded. */
function limitText(bound: Limit, limits: Limits, used: Amounts): string {
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
export function shareUsed(limits: Limits, used: Amounts): number {
  return Math.max(0, ...LIMITS.map((bound) => used[bound] / (limits[bound] ?? Number.POSITIVE_INFINITY)))
}

const AMOUNT: JsonObject = { type: 'number', exclusiveMinimum: 0 }

/**
 * The question that a run waits with once the operator's budget is spent (decisions, budgets): raised by as much again, to
 * other amounts, `{"cost": 2}`, or not at all. `next`: what would go on.
 */
export function budgetQuestion(limits: Limits, used: Amounts, next: string): JsonObject {
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
