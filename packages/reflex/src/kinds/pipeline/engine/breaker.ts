import { DEFAULTS } from './bounds.ts'
import { type Outcome, reasonOf } from '../contract/outcome.ts'
import { stagesOf } from '../contract/stages.ts'
import { storeRepeated, storeRestarts, type RepeatCount } from '../contract/engine-board.ts'
import type { FrameStep } from './frame-step.ts'

/**
 * Counts a failure that jumps back without an edge. Returns the reason to end the run once it has happened too often
 * (reference pipeline 3.11).
 */
export function jumpsInLoop(step: FrameStep, from: string, outcome: Outcome): string | undefined {
  const reason = reasonOf(outcome)
  const now = countRepeat(step.engineBoard.repeated, `${from}: ${normalized(reason)}`)
  storeRepeated(step.x, ...now)
  return tooOften(now, DEFAULTS.repeated, reason)
}

/**
 * Counts consecutive restarts in which the same stage failed in the same way, whichever stage restarts: a later success
 * does not make it a different failure. Returns the reason to end the run after too many (reference pipeline 3.8).
 */
export function restartsInLoop(step: FrameStep, outcome: Outcome): string | undefined {
  const failure = lastFailure(step, outcome)
  const before = step.engineBoard.restarts
  if (failure === undefined) {
    if (before[1] > 0) storeRestarts(step.x, '', 0)
    return undefined
  }
  const now = countRepeat(before, `${failure.id}: ${normalized(failure.reason)}`)
  storeRestarts(step.x, ...now)
  return tooOften(now, DEFAULTS.restarts, failure.reason)
}

/** Returns the stage of this round that failed last and has not succeeded since. */
function lastFailure({ typed, x, round, node }: FrameStep, outcome: Outcome): { readonly id: string; readonly reason: string } | undefined {
  if (outcome.status === 'fail') return { id: node.id, reason: reasonOf(outcome) }
  const failed = stagesOf(typed, x.frame.kindReader(), round).findLast((stage) => stage.id !== node.id && stage.outcome.status === 'fail')
  return failed === undefined ? undefined : { id: failed.id, reason: reasonOf(failed.outcome) }
}

function countRepeat([last, times]: RepeatCount, signature: string): RepeatCount {
  return [signature, last === signature ? times + 1 : 1]
}

function tooOften([, times]: RepeatCount, most: number, reason: string): string | undefined {
  return times <= most ? undefined : `failure_loop_detected: ${reason}`
}

/** Returns a failure without its variable parts: numbers, addresses, hashes. */
function normalized(reason: string): string {
  return reason
    .toLowerCase()
    .replace(/[0-9a-f]{8,}|\d+/g, '#')
    .replace(/\s+/g, ' ')
    .slice(0, 200)
}
