import { causeOf, type FaultData, isFault } from '../kernel/index.ts'
import type { Interrupt } from './world.ts'

/** The exit codes, one for each kind of end (experience 1). */
export const EXIT = { done: 0, no: 1, wrong: 2, cannot: 3, bug: 70, suspended: 75 } as const

/** Returns the exit code of a process that a signal ended. */
export function interruptCode(signal: Interrupt): number {
  return signal === 'SIGINT' ? 130 : signal === 'SIGTERM' ? 143 : 129
}

/** Faults of a command that names something missing or invalid: nothing was changed. */
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
  'R2132',
  'R3010',
  'R3011',
  'R3012',
  'R3013',
  'R1026',
  'R1336',
  'R4002',
  'R4021',
  'R4200',
  'R4201',
  'R4210',
  'R5007',
  'R5027',
  'R5043',
  'R5048',
])

/** Returns the exit code of a fault. */
export function exitCodeOf(fault: FaultData): number {
  const { code, verdict } = fault
  if (verdict === 'bug') return EXIT.bug
  if (USAGE_FAULTS.has(code)) return EXIT.wrong
  if (code.startsWith('R9')) return EXIT.bug
  if (code === 'R5008') return EXIT.no
  return code.startsWith('R5') || code === 'R4001' || code === 'R2087' ? EXIT.cannot : EXIT.no
}

/** Errors of the system that a user can solve. Every other thrown value that is not a fault is a bug in Reflex. */
const SYSTEM_FIXES: Readonly<Record<string, string>> = {
  ENOSPC: 'make room on the disk',
  EDQUOT: 'make room on the disk',
  EFBIG: 'raise the limit on the size of files',
  EROFS: 'name a writable place with --store',
  EACCES: 'grant the permission, or name another place with --store',
  EPERM: 'grant the permission, or name another place with --store',
  EMFILE: 'raise the limit on open files',
  ENOTDIR: 'name another place',
  EEXIST: 'name another place',
}

/** Returns a fix for an error of the system; undefined for other errors. */
export function systemFix(thrown: unknown): string | undefined {
  if (isFault(thrown) || !(thrown instanceof Error)) return undefined
  return SYSTEM_FIXES[(thrown as NodeJS.ErrnoException).code ?? '']
}

/** Returns the message of any thrown value. */
export function messageOf(thrown: unknown): string {
  const cause = causeOf(thrown)
  return typeof cause === 'string' ? cause : cause.message
}
