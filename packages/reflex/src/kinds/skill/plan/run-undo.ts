import type { FaultData, Ref } from '../../../kernel/index.ts'
import type { StopCause } from '../model/plan-result.ts'
import { beginCall, dropCall, dropTimers, extendTimer, isHeld, retry, timerOf } from './call-step.ts'
import type { PlannedUndo } from './compiled-plan.ts'
import type { Execution } from './execution.ts'
import { hasEffects, undoAt } from './undos.ts'

/** Continues after a plan that is done or undone. */
export type EndOfPlan = (one: Execution) => void

/** The most milliseconds for all undos together: they stand outside the budget of the plan (reference skill 1.19). */
const UNDO_TIME = 60_000

/** Begins to undo a plan that stops. One that has changed nothing has nothing to undo. */
export function beginUndo(one: Execution, cause: StopCause, end: EndOfPlan): void {
  if (!hasEffects(one.program, one.position.ended)) return end(one)
  one.move({ phase: 'undo', i: 0, tries: 0, cause, undoAt: one.x.now })
  nextUndo(one, end)
}

/** Carries out the undos one after another. One that fails does not keep the others back. */
export function nextUndo(one: Execution, end: EndOfPlan): void {
  for (;;) {
    const undo = current(one)
    if (undo === undefined) return end(one)
    const left = UNDO_TIME - (one.x.now - (one.position.undoAt ?? one.x.now))
    const { values } = one
    const held = undo.guard(values)
    if (held === undefined && left > 0) {
      const args = undo.args(values)
      if (args.ok) return beginCall(one, undo, args.value, left)
      failed(one, undo)
    } else if (held === undefined) failed(one, undo)
    else one.move({ i: one.position.i + 1 })
  }
}

export function undoDone(one: Execution, end: EndOfPlan): void {
  dropTimers(one)
  one.move({ i: one.position.i + 1, undone: (one.position.undone ?? 0) + 1, tries: 0 })
  nextUndo(one, end)
}

export function undoFailed(one: Execution, fault: FaultData, end: EndOfPlan): void {
  const undo = current(one)
  if (undo === undefined) return
  dropTimers(one)
  if (retry(one, undo, fault)) return
  failed(one, undo)
  nextUndo(one, end)
}

export function undoTimer(one: Execution, ref: Ref, end: EndOfPlan): void {
  const undo = current(one)
  if (undo === undefined) return
  if (timerOf(one, ref) === 'backoff') return nextUndo(one, end)
  if (isHeld(one)) return extendTimer(one, undo)
  dropCall(one)
  failed(one, undo)
  if (one.x.frame.callee === undefined) return nextUndo(one, end)
  one.x.unwind()
  one.move({ isLeaving: true })
}

function current({ program, position }: Execution): PlannedUndo | undefined {
  return undoAt(program, position)
}

function failed(one: Execution, undo: PlannedUndo): void {
  const { i, notUndone = [] } = one.position
  one.move({ i: i + 1, tries: 0, notUndone: [...notUndone, undo.id] })
}
