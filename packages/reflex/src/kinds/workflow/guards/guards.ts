import { causeOf } from '../../../kernel/index.ts'
import { checkArguments, shortJson, listOf, OBJECT } from '../../../text/index.ts'
import { READER } from '../model/argument-forms.ts'
import { faults } from '../model/faults.ts'
import { GUARD_FORMS, guardForm } from './guard-forms.ts'
import type { BlackboardReader, BuiltinGuard, CustomGuard, Edge, Guard } from '../types/index.ts'

/**
 * True if a built-in guard passes (seed workflow 2.8): `exists`, `equals` and their opposites, on the scoped board. Throws
 * `R2043` for an unknown type.
 */
export function evaluateBuiltinGuard(guard: BuiltinGuard, blackboard: BlackboardReader): boolean {
  return evaluateGuard(guard, blackboard)
}

/**
 * True if a custom guard passes. Throws the error of its function, `R2042` if there is no function, and `R2041` if its result is
 * not a boolean, such as a promise (reference workflow D16).
 */
export function evaluateCustomGuard(guard: CustomGuard, blackboard: BlackboardReader): boolean {
  checkGuardCall('evaluateCustomGuard', guard, blackboard)
  return GUARD_FORMS.custom.test(guard, blackboard)
}

/** True if a guard of any type passes. Throws as `evaluateBuiltinGuard` and `evaluateCustomGuard` do. */
export function evaluateGuard(guard: Guard, blackboard: BlackboardReader): boolean {
  checkGuardCall('evaluateGuard', guard, blackboard)
  const form = guardForm(guard)
  if (form !== undefined) return form.test(guard, blackboard)
  throw faults.make('R2043', `there is no type of guard ${shortJson(guard.type)}`, {
    fix: `write one of ${Object.keys(GUARD_FORMS).join(', ')}`,
  })
}

/** Checks the arguments of a guard call. Guards are evaluated at each step, so the full check runs only if the arguments look wrong. */
function checkGuardCall(call: string, guard: Guard, blackboard: BlackboardReader): void {
  const values: readonly unknown[] = [guard, blackboard]
  if (values.every((value) => typeof value === 'object' && value !== null) && typeof blackboard.get === 'function') return
  checkArguments(call, { guard: [guard, OBJECT], blackboard: [blackboard, READER] })
}

/** The open and the closed edges, or the first edge whose guard failed, with its error. */
export type FilteredEdges =
  | { readonly ok: true; readonly open: Edge[]; readonly closed: Edge[] }
  | { readonly ok: false; readonly edge: Edge; readonly error: unknown }

/**
 * Sorts edges, in order, into open and closed ones; an edge without a guard is open (seed workflow 2.6). Never throws: it stops
 * at the first guard that fails (seed workflow 3.4).
 */
export function filterEdges(edges: readonly Edge[], blackboard: BlackboardReader): FilteredEdges {
  if (!Array.isArray(edges)) checkArguments('filterEdges', { edges: [edges, listOf(OBJECT)] })
  const open: Edge[] = []
  const closed: Edge[] = []
  for (const edge of edges) {
    try {
      const passes = edge.guard === undefined || evaluateGuard(edge.guard, blackboard)
      ;(passes ? open : closed).push(edge)
    } catch (error) {
      return { ok: false, edge, error }
    }
  }
  return { ok: true, open, closed }
}

/** Returns the result of a guard and its observed value, for people: `total equals 84, needs 100`. Never throws. */
export function explainGuard(guard: Guard, blackboard: BlackboardReader): { readonly open: boolean; readonly why: string } {
  try {
    const open = evaluateGuard(guard, blackboard)
    return { open, why: guardForm(guard)?.describe(guard, blackboard, open) ?? '' }
  } catch (error) {
    const cause = causeOf(error)
    return { open: false, why: `the guard failed: ${typeof cause === 'string' ? cause : cause.message}` }
  }
}

/** Returns the closed edges, each with the reason. */
export function explainClosed(edges: readonly Edge[], blackboard: BlackboardReader): { readonly edge: Edge; readonly why: string }[] {
  return edges.flatMap((edge) => {
    const state = edge.guard === undefined ? undefined : explainGuard(edge.guard, blackboard)
    return state === undefined || state.open ? [] : [{ edge, why: state.why }]
  })
}
