import type { FaultData, Json, Ref } from '../../../kernel/index.ts'
import { quote } from '../../../text/index.ts'
import type { StepOutcome, StopCause } from '../model/plan-result.ts'
import { beginCall, detailOf, dropCall, dropTimers, extendTimer, isHeld, keepResult, retry, timerOf } from './call-step.ts'
import type { PlannedCall } from './compiled-plan.ts'
import type { Execution } from './execution.ts'
import { beginUndo, type EndOfPlan } from './run-undo.ts'

/** Runs the plan from its step on until a step is in progress, or the plan is done. */
export function goOn(one: Execution, end: EndOfPlan): void {
  const { steps, manifest } = one.program
  const problem = one.position.i === 0 ? uncallable(one) : undefined
  if (problem !== undefined) return stop(one, 'template', problem, end)
  for (;;) {
    const step = steps[one.position.i]
    if (step === undefined) return end(one)
    const { max_latency_ms, max_cost_usd } = manifest.plan.budget
    const { time, cost } = one.used
    if (time >= max_latency_ms) return stop(one, 'budget_exceeded', `${Math.round(time)} of ${max_latency_ms} ms are used`, end)
    if (cost + step.estimatedCost > max_cost_usd)
      return stop(one, 'budget_exceeded', `$${cost} of $${max_cost_usd} are used, and ${step.id} may cost $${step.estimatedCost}`, end)
    const { values } = one
    const failed = one.x.fact('guard', () => step.guard(values))
    if (failed === undefined) {
      const args = one.rendered('args', () => step.args(values))
      if ('problem' in args) return stop(one, 'template', args.problem, end)
      return beginCall(one, step, args.value, max_latency_ms - time)
    }
    if (step.onGuardFalse === 'stop') return stop(one, 'guard', `${step.id}: ${failed}`, end)
    one.move({ i: one.position.i + 1, ended: [...one.position.ended, [step.id, 'skipped']] })
  }
}

/**
 * Before the first step: a slot that a later step or an undo needs and that has no value would stop the plan in the middle, and so would a
 * program that cannot be called.
 */
function uncallable({ x, program, values }: Execution): string | undefined {
  for (const { id, needs = [], isProgram, tool } of [...program.steps, ...program.undos]) {
    if (isProgram && !x.mayCall(tool.slice(0, tool.indexOf(':')))) return `${id}: ${tool} cannot be called where no contents are kept`
    const missing = needs.find((slot) => !Object.hasOwn(values.slots, slot))
    if (missing !== undefined) return `${id}: ${quote(missing)} has no value`
  }
  return undefined
}

/** A step has given its result. */
export function stepDone(one: Execution, result: Json, end: EndOfPlan): void {
  const step = current(one)
  if (step === undefined) return
  dropTimers(one)
  const cause = keepResult(one, step, result)
  after(one, step, 'ok')
  if (cause !== undefined) return stop(one, cause, `${step.id} captures what effects.writes does not declare`, end)
  const { cost } = one.used
  const isLast = one.position.i >= one.program.steps.length
  if (cost > one.program.manifest.plan.budget.max_cost_usd && !isLast) return stop(one, 'budget_exceeded', `$${cost} are used`, end)
  goOn(one, end)
}

/** A step has failed. */
export function stepFailed(one: Execution, fault: FaultData, end: EndOfPlan): void {
  const step = current(one)
  if (step === undefined) return
  dropTimers(one)
  if (retry(one, step, fault)) return
  after(one, step, 'failed')
  stop(one, 'step_error', `${step.id}: ${detailOf(fault)}`, end)
}

/** A timer of a step has fired: its time is over, or its next try is due. */
export function stepTimer(one: Execution, ref: Ref, end: EndOfPlan): void {
  const step = current(one)
  if (step === undefined) return
  if (timerOf(one, ref) === 'backoff') return goOn(one, end)
  if (isHeld(one)) return extendTimer(one, step)
  interrupt(one, 'timeout', `${step.id} took more than its time`, end)
}

/** Ends the step in progress from outside. What it may have changed is unknown. */
export function interrupt(one: Execution, cause: StopCause, detail: string, end: EndOfPlan): void {
  const step = current(one)
  const isBegun = !isHeld(one) && (one.x.pendingEffects().length > 0 || one.x.frame.callee !== undefined)
  dropCall(one)
  if (step !== undefined && isBegun) after(one, step, step.isEffectful ? 'unknown' : 'failed')
  if (one.x.frame.callee === undefined) return stop(one, cause, detail, end)
  one.x.unwind()
  one.move({ cause, detail, isLeaving: true })
}

/** Stops the plan: what has happened is undone, and what follows is written down. */
export function stop(one: Execution, cause: StopCause, detail: string, end: EndOfPlan): void {
  one.move({ cause, detail, tries: 0 })
  beginUndo(one, cause, end)
}

function current({ program, position }: Execution): PlannedCall | undefined {
  return program.steps[position.i]
}

function after(one: Execution, step: PlannedCall, outcome: StepOutcome): void {
  const { i, ended } = one.position
  one.move({ i: i + 1, tries: 0, ended: [...ended, [step.id, outcome]] })
}
