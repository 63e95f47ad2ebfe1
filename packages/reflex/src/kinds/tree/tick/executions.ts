import { type FaultData, isObject, type Json } from '../../../kernel/index.ts'
import { CLOSING_KEY, endRun } from './ending.ts'
import { mirrorGlobals, requestGlobals } from './globals.ts'
import { keepFailures } from './failures.ts'
import { isOver, oneTick, stopExecution, type TickOptions } from './one-tick.ts'
import { hasReload } from './reload-request.ts'
import { save, skip } from './save.ts'
import { stopAll } from './stopping.ts'
import type { TreeStep } from './tree-step.ts'
import { EVENT_KEY, Ticking } from './ticking.ts'
import { ACTIVE, COMPLETED, FAILED, FRESH, IDLE, YIELDED } from './states.ts'
import type { TreeState } from './tree-state.ts'

/** Begins an execution: at once, or after the keys that trees share were read. */
export function execute(x: TreeStep, state: TreeState, options: TickOptions = {}): void {
  if (x.def.readsGlobals) {
    state.status = IDLE
    requestGlobals(x)
    return save(x, state)
  }
  beginExecution(x, state)
  oneTick(x, state, options)
}

function beginExecution(x: TreeStep, state: TreeState): void {
  state.status = ACTIVE
  state.execution = { number: state.execution.number + 1, start: state.timeAt(x.now), ticks: 0, agains: 0 }
  for (const { index } of state.layout.nodes) state.setState(index, FRESH, state.timeAt(x.now))
}

/** The shared keys are there: an execution begins. Or they are written: a tree that waited for it ends. */
export function ledgerAnswered(x: TreeStep, state: TreeState, result: Json): void {
  if (state.status !== IDLE) {
    if (hasEnded(state)) endRun(x, state)
    return save(x, state)
  }
  mirrorGlobals(x, result)
  beginExecution(x, state)
  oneTick(x, state)
}

/** Without the shared keys an execution cannot begin; a write that was refused is an event. */
export function ledgerFailed(x: TreeStep, state: TreeState, fault: Json): void {
  if (state.status === IDLE) return x.fail(fault as unknown as FaultData)
  if (hasEnded(state)) endRun(x, state)
  save(x, state, [['tree.global.failed', { error_message: isObject(fault) ? (fault.message ?? null) : null }]])
}

/** The clock, or the alarm of the tree: ticks it, or begins an execution. A tree that has yielded does not follow the clock. */
export function timer(x: TreeStep, state: TreeState, isAlarm: boolean): void {
  if (isAlarm) state.alarm = undefined
  if (isAlarm && state.open !== undefined && isOver(x, state)) return stopExecution(x, state, Ticking.begin(x, state), 'timeout')
  const isBusy = state.open !== undefined || state.status === IDLE || (hasEnded(state) && hasReload(x))
  if (!isAlarm && (isBusy || state.status === YIELDED)) return skip(x, state)
  if (isBusy || (isAlarm && hasEnded(state))) return save(x, state)
  if (isAlarm) return oneTick(x, state)
  const recorded = { ...state.execution }
  if (state.status === ACTIVE) return oneTick(x, state, { recorded })
  // An execution that the clock begins handles no event.
  x.delete(EVENT_KEY)
  execute(x, state, { recorded })
}

/** Ends the run once its execution has ended. One that has yielded is stopped. */
export function close(x: TreeStep, state: TreeState): void {
  x.setInternal(CLOSING_KEY, true)
  if (state.status === YIELDED) return stopExecution(x, state, Ticking.begin(x, state), 'budget')
  if (hasEnded(state)) endRun(x, state)
  save(x, state)
}

export function cancel(x: TreeStep, state: TreeState, reason: string): void {
  const ticking = Ticking.begin(x, state)
  stopAll(x, state, ticking, reason)
  keepFailures(x, ticking.failures, () => false)
  state.status = FAILED
  save(x, state, ticking.events)
  x.cancelled({ status: 'CANCELLED' })
}

export function hasEnded({ status }: TreeState): boolean {
  return status === COMPLETED || status === FAILED
}
