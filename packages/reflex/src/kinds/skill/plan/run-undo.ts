import type { FaultData, Ref } from '../../../kernel/index.ts'
import type { StopCause } from '../model/plan-result.ts'
import { beginCall, dropCall, dropTimers, extendTimer, isHeld, retry, timerOf } from './call-step.ts'
import type { PlannedUndo } from './compiled-plan.ts'
import type { Execution } from './execution.ts'
import { hasEffects, undoAt } from './undos.ts'

/** Continues after a plan that is done or undone. */
export type EndOfPlan = (one: Execution) => void

/**
 * The most milliseconds for all undos together: they stand outside the budget of the plan (reference skill 1.19). Time in which no process
 * lived does not count: an undo that is not carried out would be lost.
 */
const UNDO_TIME = 60_000

/** Begins to undo a plan that stops. One that has changed nothing has nothing to undo. */
export function beginUndo(one: Execution, cause: StopCause, end: EndOfPlan): void {
  if (!hasEffects(one.program, one.position.ended)) return end(one)
  one.move({ phase: 'undo', i: 0, tries: 0, cause })
  nextUndo(one, end)
}

/** Carries out the undos one after another. One that fails does not keep the others back. */
export function nextUndo(one: Execution, end: EndOfPlan): void {
  for (;;) {
    const undo = current(one)
    if (undo === undefined) return end(one)
    const left = leftOf(one)
    const { values } = one
    const held = one.x.fact('guard', () => undo.guard(values))
    if (held === undefined && left > 0) {
      const args = one.rendered('args', () => undo.args(values))
      if ('value' in args) {
        one.move({ undoAt: one.x.now })
        return beginCall(one, undo, args.value, left)
      }
      failed(one, undo)
    } else if (held === undefined) failed(one, undo)
    else one.move({ i: one.position.i + 1 })
  }
}

export function undoDone(one: Execution, end: EndOfPlan): void {
  dropTimers(one)
  count(one)
  one.move({ i: one.position.i + 1, undone: (one.position.undone ?? 0) + 1, tries: 0 })
  nextUndo(one, end)
}

export function undoFailed(one: Execution, fault: FaultData, end: EndOfPlan): void {
  const undo = current(one)
  if (undo === undefined) return
  dropTimers(one)
  count(one)
  if (retry(one, undo, fault)) return
  failed(one, undo)
  nextUndo(one, end)
}

export function undoTimer(one: Execution, ref: Ref, end: EndOfPlan): void {
  const undo = current(one)
  if (undo === undefined) return
  if (timerOf(one, ref) === 'backoff') return nextUndo(one, end)
  // A timer that fires this late was due while no process lived: the call has only now begun again.
  if (isHeld(one) || lateness(one, ref) > undo.timeout) return extendTimer(one, undo)
  dropCall(one)
  count(one)
  failed(one, undo)
  if (one.x.frame.callee === undefined) return nextUndo(one, end)
  one.x.unwind()
  one.move({ isLeaving: true })
}

/** The milliseconds that the undos have left. */
function leftOf({ position }: Execution): number {
  return UNDO_TIME - (position.undoTime ?? 0)
}

/** Counts the time of the undo in progress, at most that which it was given. */
function count(one: Execution): void {
  const { undoAt = one.x.now, undoTime = 0 } = one.position
  const given = Math.min(current(one)?.timeout ?? 0, leftOf(one))
  one.move({ undoTime: undoTime + Math.min(one.x.now - undoAt, given) })
}

/** The milliseconds between the time at which a timer was due and now. */
function lateness({ x }: Execution, ref: Ref): number {
  return x.now - (x.waits().find(({ id }) => id === ref)?.due ?? x.now)
}

function current({ program, position }: Execution): PlannedUndo | undefined {
  return undoAt(program, position)
}

function failed(one: Execution, undo: PlannedUndo): void {
  const { i, notUndone = [] } = one.position
  one.move({ i: i + 1, tries: 0, notUndone: [...notUndone, undo.id] })
}
