import { causeOf } from '../../kernel/journal/fault.ts'
import { checkArguments, shortJson, listOf, OBJECT } from '../../text/index.ts'
import { READER } from './argument-forms.ts'
import { faults } from './faults.ts'
import { GUARD_FORMS, guardForm } from './guard-forms.ts'
import type { BlackboardReader, BuiltinGuard, CustomGuard, Edge, Guard } from './types.ts'

/**
 * Whether a built-in guard passes (seed workflow 2.8): `exists`, `equals` and their opposites, on the scoped board.
 * Throws the fault `R2043` for a type that is not known.
 */
export function evaluateBuiltinGuard(guard: BuiltinGuard, blackboard: BlackboardReader): boolean {
  return evaluateGuard(guard, blackboard)
}

/**
 * Whether a custom guard passes. Throws what its function throws, and a fault when there is no function (`R2042`)
 * or it answers something else than a boolean, such as a promise (`R2041`, reference workflow D16).
 */
export function evaluateCustomGuard(guard: CustomGuard, blackboard: BlackboardReader): boolean {
  checkGuardCall('evaluateCustomGuard', guard, blackboard)
  return GUARD_FORMS.custom.test(guard, blackboard)
}

/** Whether a guard of any type passes; throws as the two above do. */
export function evaluateGuard(guard: Guard, blackboard: BlackboardReader): boolean {
  checkGuardCall('evaluateGuard', guard, blackboard)
  const form = guardForm(guard)
  if (form !== undefined) return form.test(guard, blackboard)
  throw faults.make('R2043', `no type of guard is called ${shortJson(guard.type)}`, {
    fix: `write one of ${Object.keys(GUARD_FORMS).join(', ')}`,
  })
}

/** Guards are evaluated at each step: what they are given is only gone into where it looks wrong. */
function checkGuardCall(call: string, guard: Guard, blackboard: BlackboardReader): void {
  const values: readonly unknown[] = [guard, blackboard]
  if (values.every((value) => typeof value === 'object' && value !== null) && typeof blackboard.get === 'function') return
  checkArguments(call, { guard: [guard, OBJECT], blackboard: [blackboard, READER] })
}

/** The open and the closed edges, or the first edge whose guard failed and what it threw. */
export type FilteredEdges =
  | { readonly ok: true; readonly open: Edge[]; readonly closed: Edge[] }
  | { readonly ok: false; readonly edge: Edge; readonly error: unknown }

/**
 * Sorts edges, in their order, by whether their guards pass; an edge without a guard is open (seed workflow 2.6).
 * Never throws: the first guard that does ends the sorting (seed workflow 3.4).
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

/** What a guard says now, and what it saw, for people: `total equals 84, needs 100`. Never throws. */
export function explainGuard(guard: Guard, blackboard: BlackboardReader): { readonly open: boolean; readonly why: string } {
  try {
    const open = evaluateGuard(guard, blackboard)
    return { open, why: guardForm(guard)?.describe(guard, blackboard, open) ?? '' }
  } catch (error) {
    const cause = causeOf(error)
    return { open: false, why: `the guard failed: ${typeof cause === 'string' ? cause : cause.message}` }
  }
}

/** The edges that are closed now, each with the reason. */
export function explainClosed(edges: readonly Edge[], blackboard: BlackboardReader): { readonly edge: Edge; readonly why: string }[] {
  return edges.flatMap((edge) => {
    const state = edge.guard === undefined ? undefined : explainGuard(edge.guard, blackboard)
    return state === undefined || state.open ? [] : [{ edge, why: state.why }]
  })
}
