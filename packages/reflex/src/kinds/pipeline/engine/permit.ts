import type { Json } from '../../../kernel/index.ts'
import { hasLimits, isFree } from './budget.ts'
import { endNow } from './advance.ts'
import type { FrameStep } from './frame-step.ts'

/** The point at which a walk continues once it is permitted: it enters the node, begins its first attempt, or a further one. */
export type AfterPermit = 'enter' | 'begin' | 'rest'

/**
 * Asks for a permit before a node is entered, or before a further attempt, if the operator's budget is used up (decisions, budgets).
 * The kernel asks a person; nothing of the node has happened. Returns true if the walk waits, or if a person has stopped the run.
 */
export function askBudget(step: FrameStep, next: 'enter' | 'rest'): boolean {
  const { x } = step
  if (x.isStopped) {
    endStopped(step)
    return true
  }
  const { meterBefore: meter } = step
  // A node that is attempted again counts as a step already.
  if (isFree(step.node) || !hasLimits(meter.limits) || meter.reached.every((limit) => next === 'rest' && limit === 'steps')) return false
  requestPermit(step, next, { enters: true })
  return true
}

/** Asks for a permit if the node needs capabilities that are granted on terms (reference pipeline 5.2). Returns true if the walk waits. */
export function askPermission(step: FrameStep): boolean {
  const { terms } = step.permissions
  const needs = step.node.capabilitiesRequired.filter((need) => Object.hasOwn(terms, need))
  if (needs.length === 0) return false
  requestPermit(step, 'begin', { needs })
  return true
}

export function endStopped(step: FrameStep): void {
  endNow(step, { status: 'fail', reason: 'budget exceeded: stopped here' })
}

function requestPermit(step: FrameStep, next: AfterPermit, args: Json): void {
  const { x } = step
  const { limit, ...position } = step.position
  // The time that a person needs does not count for the node's timeout.
  if (limit !== undefined && x.waits().some((open) => open.id === limit)) x.drop(limit)
  step.setPosition({ ...position, phase: 'permit', next, for: { is: 'effect', ids: [x.request('permit', args)] } })
}
