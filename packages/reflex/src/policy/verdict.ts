import type { Call } from '../kernel/index.ts'
import type { RunSettings } from './settings.ts'
import type { Terms } from './terms.ts'

/** The part of a call that the policy reads: the settings of its run, and whether the text of its programs is untrusted. */
export type JudgedCall = Pick<Call<RunSettings>, 'run' | 'settings' | 'untrusted'> &
  Partial<Pick<Call, 'frame' | 'definition' | 'place' | 'isPermitted'>>

/** The verdict on a capability, and its source. */
export interface PolicyVerdict {
  readonly allowed: boolean
  /** The source: `probationary`, `deploy.policy.json`, or `nobody`. */
  readonly by: string
  /** The grant or the denial that decided, or why the capability cannot be understood. */
  readonly rule?: string | undefined
  /** The terms on which it would be allowed. */
  readonly terms?: Terms | undefined
}
