import type { Constraints } from '../model/constraints.ts'

/** A limit of a supervisor that cannot be kept, and the field that states it. */
export interface ConstraintProblem {
  readonly field: keyof Constraints
  readonly message: string
  readonly fix: string
}

/**
 * Returns the limits that cannot be kept (reference 7.2 and appendix, 18): 0 episodes or passes would defer every event for ever, and a number
 * of passes without its window, or a window without its number, limits nothing.
 */
export function constraintProblems(constraints: Constraints): ConstraintProblem[] {
  const { max_per_window: most, rate_window: window } = constraints
  const counts = (['max_in_flight', 'max_per_window', 'rate_window'] as const).flatMap((field) => atLeast(constraints, field, 1))
  const least = (['deadline', 'max_retries'] as const).flatMap((field) => atLeast(constraints, field, 0))
  const lonely: ConstraintProblem[] = []
  if (most !== undefined && window === undefined)
    lonely.push({ field: 'max_per_window', message: 'max_per_window has no rate_window', fix: 'add "rate_window", such as "1m"' })
  if (window !== undefined && most === undefined)
    lonely.push({ field: 'rate_window', message: 'rate_window has no max_per_window', fix: 'add "max_per_window"' })
  return [...counts, ...least, ...lonely]
}

function atLeast(constraints: Constraints, field: keyof Constraints, least: number): ConstraintProblem[] {
  const value = constraints[field]
  if (value === undefined || (Number.isSafeInteger(value) && value >= least)) return []
  const message = `${field} must be a whole number of at least ${least}${field === 'rate_window' ? ' ms' : ''}`
  return [{ field, message, fix: least === 0 ? 'write 0 or more' : 'write 1 or more, or remove it for no limit' }]
}
