import { programBounds } from '../contract/program-bounds.ts'
import { limitsReached, describeLimit } from '../../../policy/index.ts'
import type { TypedNode } from '../model/typed.ts'
import type { Halt, Middleware, Token } from './middleware.ts'

/**
 * Refuses a node once its pipeline has used up what its own text allows, so that a failure edge can lead on (decisions,
 * budgets; reference pipeline 5.5). What the operator allows is asked for before the chain, and ends in no failure.
 */
export const budget: Middleware = { name: 'budget', before: refuse, again: refuse }

function refuse(token: Token): Halt | undefined {
  const { typed } = token.context
  if (isFree(token.context.node)) return undefined
  const bounds = programBounds(typed)
  const over = bounds === undefined ? undefined : limitsReached(bounds, token.used)[0]
  return over === undefined || bounds === undefined ? undefined : { halt: `budget exceeded: ${describeLimit(over, bounds, token.used)}` }
}

/** What ends a run, and what decides where it goes, is not refused for want of money. */
export function isFree({ canonical }: Pick<TypedNode, 'canonical'>): boolean {
  return canonical === 'exit' || canonical === 'branch' || canonical === 'start'
}
