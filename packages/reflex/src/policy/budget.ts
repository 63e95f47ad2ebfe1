import { isObject, type Json, type JsonObject } from '../kernel/index.ts'

/** What can be bounded: tokens, US dollars, milliseconds, executions of nodes. */
export const BOUNDS = ['tokens', 'cost', 'time', 'steps'] as const
type Bound = (typeof BOUNDS)[number]
export type Bounds = Readonly<Partial<Record<Bound, number>>>

/** What has been used up of each. */
export type Used = Readonly<Record<Bound, number>>

/** The name of the question whether a run may use more. No node has such a name, so no program can ask in its stead. */
export const BUDGET = 'engine:budget'

/** The name of the question whether a model without a price may be asked although money is bounded. */
export const UNPRICED = 'engine:price'

/** The question before a model without a price is asked. `next` names the place. */
export function unpricedQuestion(model: string, bounds: Bounds, next: string): JsonObject {
  return {
    text: `${model} has no price, so the budget of $${bounds.cost ?? 0} cannot stop it: ask it all the same?`,
    options: [
      { value: 'allow', label: 'Allow', detail: 'it is asked, and its cost is not counted' },
      { value: 'stop', label: 'Stop', detail: 'it fails here' },
    ],
    about: `${next} is next.`,
    model,
  }
}

const UNITS: Readonly<Record<Bound, string>> = { tokens: 'tokens', cost: 'US dollars', time: 'ms', steps: 'steps' }

/** The bounds that are used up. */
export function boundsReached(bounds: Bounds, used: Used): Bound[] {
  return BOUNDS.filter((bound) => used[bound] >= (bounds[bound] ?? Number.POSITIVE_INFINITY))
}

/** A bound and what was used of it, in words. */
export function describeBound(bound: Bound, bounds: Bounds, used: Used): string {
  const shown = (amount: number): string => String(Number(amount.toFixed(4)))
  return `${shown(used[bound])} of ${shown(bounds[bound] ?? 0)} ${UNITS[bound]}`
}

/** The same as people read it: `1,880 of 1,000 tok`, `$0.998 of $1.00`, `400 s of 300 s`. Not by the locale of a machine, for it is recorded. */
function shownBound(bound: Bound, bounds: Bounds, used: Used): string {
  const shown = {
    tokens: grouped,
    cost: (usd: number): string => `$${usd >= 1 ? usd.toFixed(2) : usd.toFixed(3)}`,
    time: (ms: number): string => `${grouped(Math.round(ms / 1000))} s`,
    steps: grouped,
  }[bound]
  const unit = { tokens: ' tok', cost: '', time: '', steps: bounds.steps === 1 ? ' step' : ' steps' }[bound]
  return `${shown(used[bound])} of ${shown(bounds[bound] ?? 0)}${unit}`
}

function grouped(amount: number): string {
  return String(amount).replace(/\B(?=(?:\d{3}){1,8}$)/g, ',')
}

/** The share of the bounds that is used up, of the one of which most is. */
export function shareUsed(bounds: Bounds, used: Used): number {
  return Math.max(0, ...BOUNDS.map((bound) => used[bound] / (bounds[bound] ?? Number.POSITIVE_INFINITY)))
}

const AMOUNT: JsonObject = { type: 'number', exclusiveMinimum: 0 }

/**
 * The question that a run waits with once the operator's budget is spent (decisions, budgets): raised by as much again, to
 * other amounts, `{"cost": 2}`, or not at all. `next`: what would go on.
 */
export function budgetQuestion(bounds: Bounds, used: Used, next: string): JsonObject {
  const said = boundsReached(bounds, used).map((bound) => shownBound(bound, bounds, used))
  return {
    text: 'The budget is spent: raise it, or stop?',
    options: [
      { value: 'raise', label: 'Raise it', detail: 'by as much again' },
      { value: 'stop', label: 'Stop', detail: 'it fails here' },
    ],
    schema: {
      type: 'object',
      properties: Object.fromEntries(BOUNDS.map((bound) => [bound, AMOUNT])),
      additionalProperties: false,
      minProperties: 1,
    },
    about: `${next} is next; ${said.join(', ')} used.`,
  }
}

/**
 * What a run may use after an answer to that question: of all that is used up as much again as was `given` first, from what
 * is used now; or the amounts that the answer names. Undefined for an answer that raises nothing.
 */
export function raisedBounds(bounds: Bounds, given: Bounds, used: Used, answer: Json): Bounds | undefined {
  if (answer === 'raise') {
    const again = boundsReached(bounds, used).map((bound) => [bound, (given[bound] ?? 0) + used[bound]])
    return { ...bounds, ...(Object.fromEntries(again) as Bounds) }
  }
  if (!isObject(answer)) return undefined
  const named = BOUNDS.flatMap((bound) => {
    const amount = answer[bound]
    return typeof amount === 'number' && amount > 0 ? [[bound, amount] as const] : []
  })
  return named.length === 0 ? undefined : { ...bounds, ...(Object.fromEntries(named) as Bounds) }
}
