import type { Moment } from '../kind-suite/process-control.ts'

/**
 * The faults that can be injected at a moment of a process:
 *
 * - `die`: the process ends in the middle of its work.
 * - `fail`: the call of the store fails and has no effect.
 * - `tear`: the call fails although it took place: a torn write, with an outcome that the process cannot know.
 * - `full`: from now on the store can be read but not written.
 * - `room`: three writes fail, then the store works again.
 * - `gone`: from now on the store does not answer.
 * - `back`, `ahead`: the clock jumps back by ten minutes or ahead by a year.
 * - `stop`: the process stops while another process takes over the run and completes it; then it resumes.
 * - `nap`: the process stops while another process takes over the run; it resumes when the other process rests.
 */
export const FAULT_TYPES = ['die', 'fail', 'tear', 'full', 'room', 'gone', 'back', 'ahead', 'stop', 'nap'] as const

export type FaultType = (typeof FAULT_TYPES)[number]

/** The jumps of the clock, in milliseconds. */
export const CLOCK_BACK_MS = -600_000
export const CLOCK_AHEAD_MS = 365 * 86_400_000

const WRITES: ReadonlySet<string> = new Set([
  'hello',
  'beat',
  'create',
  'claim',
  'release',
  'commit',
  'post',
  'postAll',
  'append',
  'appendAll',
  'compact',
])

export function isCall({ what }: Moment): boolean {
  return what !== 'record' && what !== 'perform'
}

export function isWrite({ what }: Moment): boolean {
  return WRITES.has(what)
}

/** The moments at which each fault is possible. */
const MOMENT_CHECKS: Readonly<Record<FaultType, (moment: Moment) => boolean>> = {
  die: () => true,
  fail: beforeCall,
  tear: (moment) => isWrite(moment) && moment.when === 'after',
  full: beforeWrite,
  room: beforeWrite,
  gone: beforeCall,
  back: () => true,
  ahead: () => true,
  // Other processes cannot see the steps of the kernel between two store calls, so stopping there has no meaning.
  stop: ({ what }) => what !== 'record',
  nap: ({ what }) => what !== 'record',
}

function beforeCall(moment: Moment): boolean {
  return isCall(moment) && moment.when === 'before'
}

function beforeWrite(moment: Moment): boolean {
  return isWrite(moment) && moment.when === 'before'
}

/** True if a fault is possible at a moment. */
export function isPossible(fault: FaultType, moment: Moment): boolean {
  return MOMENT_CHECKS[fault](moment)
}
