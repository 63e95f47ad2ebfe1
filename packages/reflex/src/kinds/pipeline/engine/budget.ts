import { describeLimit, type Limits, LIMITS, limitsReached, type StepContext, type UsageMeter } from '../../../kernel/index.ts'
import { shareUsed } from '../../../policy/index.ts'
import { programBounds } from '../contract/program-bounds.ts'
import type { TypedGraph, TypedNode } from '../model/typed.ts'
import type { Halt, Middleware, Token } from './middleware.ts'

/** The share of a limit from which on it is low. */
const LOW = 0.8

/**
 * Refuses a node once its pipeline has used up the budget in its own text, so that a failure edge can be followed
 * (decisions, budgets; reference pipeline 5.5). The operator's budget is checked before the chain, and pauses the run
 * instead of failing it.
 */
export const budget: Middleware = { name: 'budget', before: refuse, again: refuse }

function refuse(token: Token): Halt | undefined {
  const { typed } = token.context
  if (isFree(token.context.node)) return undefined
  const limits = programBounds(typed)
  if (limits === undefined) return undefined
  const { used } = token
  const [reached] = limitsReached(limits, used)
  return reached === undefined ? undefined : { halt: `budget exceeded: ${describeLimit(reached, limits, used)}` }
}

/** True for nodes that end a run or only decide its path: they are not refused for a spent budget. */
export function isFree({ canonical }: Pick<TypedNode, 'canonical'>): boolean {
  return canonical === 'exit' || canonical === 'branch' || canonical === 'start'
}

/** Returns how much is left of the limits of the pipeline and of its run, as conditions read it (reference pipeline 5.5). */
export function budgetStatus(x: StepContext<TypedGraph>): 'normal' | 'low' | 'over' {
  const { meter } = x
  const own = programBounds(x.def)
  const share = Math.max(own === undefined ? 0 : shareUsed(own, meter.program(x.frame)), shareUsed(meter.limits, meter.run))
  return share >= 1 ? 'over' : share >= LOW ? 'low' : 'normal'
}

/** True if the pipeline or its run states a limit: without one, nothing is added up. */
export function isLimited(typed: TypedGraph, { limits }: Pick<UsageMeter, 'limits'>): boolean {
  return programBounds(typed) !== undefined || hasLimits(limits)
}

/** True if a run states a limit. */
export function hasLimits(limits: Limits): boolean {
  for (const limit of LIMITS) if (limits[limit] !== undefined) return true
  return false
}

/** The limits of which the low share is used, in words: those of the pipeline, then those of its run. Empty where there are none. */
export function nearLimits(x: StepContext<TypedGraph>): readonly string[] {
  const { meter } = x
  const own = programBounds(x.def)
  const pairs = [...(own === undefined ? [] : [[own, meter.program(x.frame)] as const]), [meter.limits, meter.run] as const]
  return pairs.flatMap(([limits, used]) =>
    LIMITS.filter((limit) => used[limit] >= LOW * (limits[limit] ?? Number.POSITIVE_INFINITY)).map((limit) =>
      describeLimit(limit, limits, used),
    ),
  )
}
