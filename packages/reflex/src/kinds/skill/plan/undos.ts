import type { StepOutcome, StopCause } from '../model/plan-result.ts'
import type { PlannedCall, PlannedUndo, PlanProgram } from './compiled-plan.ts'
import type { PlanPosition } from './position.ts'

/**
 * Returns the undos of an execution that stops, in their order: first those of steps that have happened or may have, the last one first, then
 * those of the whole plan as they are declared (reference skill 1.19).
 */
export function undosFor(
  { undos }: PlanProgram,
  ended: readonly (readonly [id: string, outcome: StepOutcome])[],
  cause: StopCause,
): readonly PlannedUndo[] {
  const fitting = undos.filter(({ when }) => when === 'any' || when === 'partial_failure' || when === cause)
  const steps = ended.filter(([, outcome]) => outcome === 'ok' || outcome === 'unknown').map(([id]) => id)
  const tied = steps.toReversed().flatMap((id) => fitting.filter(({ forStep }) => forStep === id))
  return [...tied, ...fitting.filter(({ forStep }) => forStep === undefined)]
}

/** The undo that is next or in progress. */
export function undoAt(program: PlanProgram, { cause = 'step_error', ended, i }: PlanPosition): PlannedUndo | undefined {
  return undosFor(program, ended, cause)[i]
}

/** The step or the undo that is next or in progress. */
export function callAt(program: PlanProgram, position: PlanPosition): PlannedCall | undefined {
  if (position.phase === 'step') return program.steps[position.i]
  return position.phase === 'undo' ? undoAt(program, position) : undefined
}

/** True if something has happened, or may have, that changes anything: then a failure is a partial one. */
export function hasEffects({ steps }: PlanProgram, ended: readonly (readonly [id: string, outcome: StepOutcome])[]): boolean {
  return ended.some(([id, outcome]) => {
    if (outcome === 'skipped' || outcome === 'failed') return false
    return steps.find((step) => step.id === id)?.isEffectful === true
  })
}
