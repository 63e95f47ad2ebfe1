import { causeOf, type FaultData, isFault } from '../kernel/index.ts'
import type { Interrupt } from './world.ts'

/** Exit codes, one for each kind of end (experience 1). */
export const EXIT = { done: 0, no: 1, wrong: 2, cannot: 3, bug: 70, suspended: 75 } as const

/** What a signal makes of the exit code. */
export function interruptCode(signal: Interrupt): number {
  return signal === 'SIGINT' ? 130 : signal === 'SIGTERM' ? 143 : 129
}

/** The command names something that is not there or cannot be meant: nothing was done. */
const USAGE_FAULTS: ReadonlySet<string> = new Set([
  'R1020',
  'R1021',
  'R1022',
  'R1024',
  'R2002',
  'R2016',
  'R2020',
  'R2021',
  'R2030',
  'R2031',
  'R2032',
  'R2033',
  'R2035',
  'R2036',
  'R2037',
  'R2038',
  'R2045',
  'R2064',
  'R2065',
  'R2120',
  'R3010',
  'R3011',
  'R3012',
  'R3013',
  'R1026',
  'R4002',
  'R4021',
  'R4200',
  'R4201',
  'R4210',
  'R5007',
  'R5027',
  'R5043',
])

/** What a thrown value makes of the exit code. */
export function exitCodeOf(fault: FaultData): number {
  const { code, verdict } = fault
  if (verdict === 'bug') return EXIT.bug
  if (USAGE_FAULTS.has(code)) return EXIT.wrong
  if (code.startsWith('R9')) return EXIT.bug
  if (code === 'R5008') return EXIT.no
  return code.startsWith('R5') || code === 'R4001' || code === 'R2087' ? EXIT.cannot : EXIT.no
}

/** Errors of the system that a user can mend; everything else that is no fault is a bug of ours. */
const SYSTEM_FIXES: Readonly<Record<string, string>> = {
  ENOSPC: 'make room on the disk',
  EDQUOT: 'make room on the disk',
  EFBIG: 'raise the limit on the size of files',
  EROFS: 'name a place that can be written, with --store',
  EACCES: 'grant the permission, or name another place with --store',
  EPERM: 'grant the permission, or name another place with --store',
  EMFILE: 'raise the limit on open files',
  ENOTDIR: 'name another place',
  EEXIST: 'name another place',
}

/** What a person can do about an error of the system, if it is one. */
export function systemFix(thrown: unknown): string | undefined {
  if (isFault(thrown) || !(thrown instanceof Error)) return undefined
  return SYSTEM_FIXES[(thrown as NodeJS.ErrnoException).code ?? '']
}

/** The message of anything that was thrown. */
export function messageOf(thrown: unknown): string {
  const cause = causeOf(thrown)
  return typeof cause === 'string' ? cause : cause.message
}
