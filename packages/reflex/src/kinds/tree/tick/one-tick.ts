import { isList } from '../../../kernel/index.ts'
import type { LaidNode } from '../compile/layout.ts'
import { FAILURE, OPEN, type Outcome, RUNNING } from '../manifest/behaviour.ts'
import { faults } from '../model/faults.ts'
import { setAlarm } from './alarm.ts'
import { endRun, staysOpen } from './ending.ts'
import { endEvents } from './end-events.ts'
import { forgetFailures, keepFailures, markRecovered } from './failures.ts'
import { faultEvents } from './fault-events.ts'
import { appendGlobals } from './globals.ts'
import { hasQueue } from './queue.ts'
import { countFailure } from './recovery.ts'
import { hasReload } from './reload-request.ts'
import { save, skip } from './save.ts'
import { stopAll } from './stopping.ts'
import type { TreeStep } from './tree-step.ts'
import { Ticking } from './ticking.ts'
import { ACTIVE, COMPLETED, FAILED, HAS_FAILED } from './states.ts'
import type { Execution, TreeState } from './tree-state.ts'
import { walk } from './walk.ts'
import { againOrYield, dropToken } from './yielding.ts'

export interface TickOptions {
  /** What happens before the first node is ticked. */
  readonly prepare?: (ticking: Ticking) => void
  /** The leaf at which the last tick has stopped, and which is RUNNING now. */
  readonly running?: LaidNode
  /** True for a tick that the last one asked for; only these count towards the budget. */
  readonly isAgain?: true
  /** The execution as it is recorded, for a tick of the clock: if it leaves everything as it was, it is no record. */
  readonly recorded?: Execution
}

/** Ticks the tree, or continues the tick that has stopped at a leaf, and records what has changed. */
export function oneTick(x: TreeStep, state: TreeState, { prepare, running, isAgain, recorded }: TickOptions = {}): void {
  const ticking = Ticking.begin(x, state)
  const isContinued = state.open !== undefined
  prepare?.(ticking)
  if (!isContinued) {
    state.execution.ticks++
    ticking.isFirst = state.execution.ticks === 1
    state.execution.agains = isAgain === true ? state.execution.agains + 1 : 0
    if (isOver(x, state, ticking.now)) return stopExecution(x, state, ticking, 'timeout')
  }
  const outcome = walk(ticking, state.layout.root, running)
  ticking.store()
  if (outcome !== OPEN) answered(x, state, ticking, outcome)
  else if (x.def.source.max_execution_ms !== undefined && state.alarm === undefined) setAlarm(x, state, endOf(x, state))
  if (recorded !== undefined && x.isEmpty && isIdle(x, state, ticking)) {
    state.execution = recorded
    return skip(x, state)
  }
  finish(x, state, ticking, isContinued)
}

function isIdle(x: TreeStep, state: TreeState, ticking: Ticking): boolean {
  return ticking.events.length === 0 && ticking.changedFailures.length === 0 && isList(x.position) && state.isUnchanged(x.position)
}

function answered(x: TreeStep, state: TreeState, ticking: Ticking, outcome: Outcome): void {
  if (outcome !== RUNNING) return endExecution(x, state, outcome)
  againOrYield(x, state, ticking)
  const end = endOf(x, state)
  if (end !== undefined) ticking.wake(end)
  setAlarm(x, state, ticking.wakeTime)
}

/** The time at which an execution is stopped; undefined if its tree states none. */
function endOf({ def }: TreeStep, { execution }: TreeState): number | undefined {
  const { max_execution_ms: limit } = def.source
  return limit === undefined ? undefined : execution.start + limit
}

/** True for an execution that has lasted longer than its tree allows. */
export function isOver(x: TreeStep, state: TreeState, now = x.now): boolean {
  return now >= (endOf(x, state) ?? Number.POSITIVE_INFINITY)
}

/** A root that is skipped has nothing to do: that is no failure. */
function endExecution(x: TreeStep, state: TreeState, outcome: Outcome): void {
  dropToken(x, state)
  state.status = outcome === FAILURE ? FAILED : COMPLETED
  setAlarm(x, state, undefined)
}

function finish(x: TreeStep, state: TreeState, ticking: Ticking, isContinued = false): void {
  appendGlobals(x, ticking.globals)
  if (ticking.isFirst) forgetFailures(x)
  const failures = ticking.failures
  if (failures.length > 0) {
    keepFailures(x, failures, (node) => isRecovered(state, node))
    ticking.events.push(...faultEvents(failures, ticking.events))
  }
  const hasEnded = state.status === COMPLETED || state.status === FAILED
  if (hasEnded) {
    markRecovered(x, state.layout.nodes, (node) => isRecovered(state, node))
    ticking.events.push(...endEvents(x, state))
    if (state.status === FAILED && staysOpen(x)) ticking.events.push(...countFailure(x))
    endRun(x, state)
  }
  if (state.open === undefined && hasQueue(x) && (!hasEnded || staysOpen(x))) x.again()
  else if (hasEnded && hasReload(x) && staysOpen(x)) x.again()
  // A result that came while this tick waited may belong to a leaf that the walk had passed.
  else if (isContinued && state.open === undefined && state.status === ACTIVE && state.hasStored) x.again()
  save(x, state, ticking.events)
}

/** True for a failure that a node above has absorbed. */
function isRecovered(state: TreeState, node: LaidNode): boolean {
  for (let at: LaidNode | undefined = node; at !== undefined; at = at.parent) if (state.state(at) !== HAS_FAILED) return true
  return false
}

/** Ends an execution before its root has answered: everything that is RUNNING is halted and has failed, and so has the tree. */
export function stopExecution(x: TreeStep, state: TreeState, ticking: Ticking, reason: string): void {
  const { root } = state.layout
  stopAll(x, state, ticking, reason)
  ticking.fail(root, faults.make('R1236', `cancelled:${reason}`, { rule: 'E3006' }))
  ticking.failed(root)
  state.setState(root.index, HAS_FAILED, x.now)
  endExecution(x, state, FAILURE)
  finish(x, state, ticking)
}
