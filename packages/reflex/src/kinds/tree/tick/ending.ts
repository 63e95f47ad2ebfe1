import type { Fault, Json } from '../../../kernel/index.ts'
import { faults } from '../model/faults.ts'
import { failureTrace } from './failures.ts'
import { hasOpenGlobals } from './globals.ts'
import { hasQueue } from './queue.ts'
import { isRecovering } from './recovery.ts'
import { restarts } from './reload-request.ts'
import { COMPLETED, FAILED } from './states.ts'
import type { TreeState } from './tree-state.ts'
import { argsOf, type TreeStep } from './tree-step.ts'

export const CLOSING_KEY = '_closing'

/** True if a tree waits for another execution after its root has answered. */
export function staysOpen(x: TreeStep): boolean {
  if (restarts(x)) return true
  const mayStay = x.def.source.tick_every !== undefined || argsOf(x).stays
  // Events that came before the message that closes it are handled first, and its recovery tree ends.
  return mayStay && (x.get(CLOSING_KEY) !== true || hasQueue(x) || isRecovering(x))
}

/** Ends the run of a tree whose root has answered, unless it stays open, or keys that all trees share are still being written. */
export function endRun(x: TreeStep, state: TreeState): void {
  if (staysOpen(x) || hasOpenGlobals(x)) return
  if (state.status === FAILED) return x.fail(failureOf(x))
  x.done(resultOf(x, state))
}

function resultOf(x: TreeStep, state: TreeState): Json {
  const { outputs, source } = x.def
  const values = (outputs ?? Object.keys(source.board ?? {})).flatMap((key) => {
    const value = x.get(key)
    return value === undefined ? [] : [[key, value] as const]
  })
  return { status: state.status === COMPLETED ? 'SUCCESS' : 'IDLE', ...Object.fromEntries(values) }
}

function failureOf(x: TreeStep): Fault {
  const reason = x.get('_failure_reason')
  const { entries, total } = failureTrace((key) => x.get(key))
  return faults.make('R1240', `${x.def.id} failed: ${typeof reason === 'string' ? reason : 'its root returned FAILURE'}`, {
    path: x.def.id,
    data: { failure_trace: entries, total_errors: total },
  })
}
