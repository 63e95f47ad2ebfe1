import { type FaultData, isObject, isPaused, type Json, type JsonObject, type Ref } from '../../../kernel/index.ts'
import type { StopCause } from '../model/plan-result.ts'
import type { PlannedCall } from './compiled-plan.ts'
import { type Execution, KEYS, keyHashOf } from './execution.ts'

const TIMEOUT = 'timeout'
const BACKOFF = 'backoff'

/** Begins a step or an undo: its call, and the timer that bounds it. `most`: the milliseconds that the plan still has. */
export function beginCall(one: Execution, call: PlannedCall, args: JsonObject, most: number): void {
  const { x, program } = one
  x.enter()
  x.setPlace(`${program.manifest.id}/${call.id}`)
  const due = Math.max(1, Math.min(call.timeout, most))
  if (call.isProgram) {
    const { max_cost_usd } = program.manifest.plan.budget
    x.call(call.tool, { args, isolated: true, limits: { cost: Math.max(0, max_cost_usd - one.used.cost), time: due } })
  } else x.request('tool', { tool: call.tool, args, via: viaOf(one), ...(call.hidden as JsonObject | undefined) }, callKey(one, call))
  x.wait('timer', TIMEOUT, { due: x.now + due })
}

/** What issues a call of a tool, as its record says: mining reads only those of an agent (reference skill 1.17). */
function viaOf({ position: { phase } }: Execution): 'skill' | 'compensation' | 'verify' {
  return phase === 'undo' ? 'compensation' : phase === 'verify' ? 'verify' : 'skill'
}

/** The key under which a tool gets the same step again: in all runs with the key of the plan, else only in this one. */
function callKey(one: Execution, call: PlannedCall): string | undefined {
  const key = one.key(one.values)
  return key !== undefined && 'value' in key ? `${keyHashOf(one, key.value)}:${call.id}` : undefined
}

/** Ends what a step has in progress: its call, its timer. Returns false if nothing of its call has begun yet, because a person is asked. */
export function dropCall({ x }: Execution): void {
  const refs = [...x.pendingEffects().map(({ id }) => id), ...x.waits().map(({ id }) => id)]
  if (refs.length > 0) x.drop(...refs)
}

/** Drops the timers of a step, after its call has ended. */
export function dropTimers({ x }: Execution): void {
  const timers = x.waits().flatMap(({ id, type }) => (type === 'timer' ? [id] : []))
  if (timers.length > 0) x.drop(...timers)
}

/** The name of the timer that has fired: that of a step, or that before its next try. */
export function timerOf({ x }: Execution, ref: Ref): typeof TIMEOUT | typeof BACKOFF | undefined {
  const name = x.waits().find(({ id }) => id === ref)?.name
  return name === TIMEOUT || name === BACKOFF ? name : undefined
}

/** True while the call of a step has not begun, because a person is asked first: its time does not run. */
export function isHeld({ x }: Execution): boolean {
  return x.pendingEffects().some(isPaused)
}

/** Gives a step that is held its whole time again. */
export function extendTimer({ x }: Execution, call: PlannedCall): void {
  x.wait('timer', TIMEOUT, { due: x.now + call.timeout })
}

/** Tries a failed call again if that is safe and may help. Returns false if it is not tried again. */
export function retry(one: Execution, call: PlannedCall, fault: FaultData): boolean {
  const { tries } = one.position
  if (!call.isRepeatable || fault.verdict !== 'retry' || tries >= call.retries) return false
  one.move({ tries: tries + 1 })
  one.x.wait('timer', BACKOFF, { due: one.x.now + call.backoff * 2 ** tries })
  return true
}

/** Keeps what a step gave, and writes what it captures. Returns the cause for which the plan stops, if a captured path is not declared. */
export function keepResult(one: Execution, call: PlannedCall, result: Json): StopCause | undefined {
  const { x, program } = one
  x.setInternal(KEYS.result(call.id), result)
  for (const [path, value] of Object.entries(x.fact('capture', () => call.capture(result)))) {
    if (!program.manifest.effects.writes.includes(path)) return 'undeclared_write'
    x.set(path, value)
  }
  return undefined
}

/** Returns the message of what a call failed with, for readers. */
export function detailOf(fault: Json | FaultData | undefined): string {
  return isObject(fault) && typeof fault['message'] === 'string' ? fault['message'] : 'it failed'
}
