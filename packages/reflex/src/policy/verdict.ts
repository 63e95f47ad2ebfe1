import type { Call } from '../kernel/index.ts'
import type { RunSettings } from './settings.ts'
import type { Terms } from './terms.ts'

/** The part of a call that the policy reads: the settings of its run, and whether somebody vouches for the text of its programs. */
export type JudgedCall = Pick<Call<RunSettings>, 'run' | 'settings' | 'untrusted'> &
  Partial<Pick<Call, 'frame' | 'definition' | 'place' | 'isPermitted'>>

/** Whether something is allowed, and who says so. */
export interface PolicyVerdict {
  readonly allowed: boolean
  /** Such as `probationary`, `deploy.policy.json`, or `nobody`. */
  readonly by: string
  /** The grant or the denial that decided, or why the capability cannot be understood. */
  readonly rule?: string | undefined
  /** It would be allowed on these terms. */
  readonly terms?: Terms | undefined
}
