import type { Moment } from '../kind-suite/process-control.ts'

/**
 * What happens to a process at a moment of its life:
 *
 * - `die`: it is over, in the middle of whatever it does.
 * - `fail`: the call of the store fails, and nothing of it took place.
 * - `tear`: the call fails although it took place: a torn write, whose outcome nobody can tell from here.
 * - `full`: from now on the store can be read and not written.
 * - `room`: the same for three calls, then there is room again.
 * - `gone`: from now on the store does not answer.
 * - `back`, `ahead`: the clock jumps, ten minutes back or a year ahead.
 * - `stop`: it stands still while another process takes the run over and carries it to its end, then wakes up.
 * - `nap`: the same, and it wakes up as soon as the other one rests.
 */
export const FAULT_TYPES = ['die', 'fail', 'tear', 'full', 'room', 'gone', 'back', 'ahead', 'stop', 'nap'] as const

export type FaultType = (typeof FAULT_TYPES)[number]

/** Jumps of the clock, in milliseconds. */
export const CLOCK_BACK_MS = -600_000
export const CLOCK_AHEAD_MS = 365 * 86_400_000

const WRITES: ReadonlySet<string> = new Set(['hello', 'beat', 'create', 'claim', 'release', 'commit', 'post', 'append'])

export function isCall({ what }: Moment): boolean {
  return what !== 'record' && what !== 'perform'
}

export function isWrite({ what }: Moment): boolean {
  return WRITES.has(what)
}

/** At which moments each can happen. */
const MOMENT_CHECKS: Readonly<Record<FaultType, (moment: Moment) => boolean>> = {
  die: () => true,
  fail: beforeCall,
  tear: (moment) => isWrite(moment) && moment.when === 'after',
  full: beforeWrite,
  room: beforeWrite,
  gone: beforeCall,
  back: () => true,
  ahead: () => true,
  // What the kernel does between two of these is one piece to everybody else.
  stop: ({ what }) => what !== 'record',
  nap: ({ what }) => what !== 'record',
}

function beforeCall(moment: Moment): boolean {
  return isCall(moment) && moment.when === 'before'
}

function beforeWrite(moment: Moment): boolean {
  return isWrite(moment) && moment.when === 'before'
}

/** Whether this can happen at such a moment. */
export function isPossible(fault: FaultType, moment: Moment): boolean {
  return MOMENT_CHECKS[fault](moment)
}
