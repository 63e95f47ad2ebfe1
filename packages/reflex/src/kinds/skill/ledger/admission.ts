import type { JsonObject } from '../../../kernel/index.ts'
import type { AdmissionResult } from '../model/decision.ts'
import { type KeyEntry, type Owner, type UseEntry } from './entries.ts'

/** An execution that asks to begin. */
export interface AdmissionRequest {
  readonly owner: Owner
  /** The digest of the idempotency key with its scope; absent for a skill that changes nothing. */
  readonly keyHash?: string
  /** The digest of the arguments. */
  readonly fingerprint: string
  /** Milliseconds. */
  readonly keyLasts: number
  readonly cooldown: number
  readonly most: number
  /** Milliseconds since the epoch. */
  readonly now: number
  /** What the step `verify` has found about an earlier execution under the same key. */
  readonly verified?: 'done' | 'not_done'
  /** True for a skill with a step `verify`. */
  readonly verifies: boolean
}

/** What is known of a run that holds a claim: it goes on, its process is gone, or it has ended. */
export type RunLife = 'goes_on' | 'interrupted' | 'ended'

/** The entries that an admission reads. */
export interface AdmissionView {
  readonly key?: KeyEntry | undefined
  readonly use: UseEntry
  readonly life: (run: string) => RunLife
}

/** The verdict on an execution, and the entries with which it is written down. */
export interface Admission {
  readonly result: AdmissionResult
  /** The stored outputs of an earlier success. */
  readonly outputs?: JsonObject
  /** True if an earlier execution has to be verified before anything is decided. */
  readonly verify?: true
  readonly key?: KeyEntry
  readonly use?: UseEntry
}

/**
 * Decides whether an execution begins: the earlier execution under its key, then the pause after the last one, then the number of those that
 * go on (reference skill 1.8, 1.19). Nothing waits in a queue. An execution that asks a second time, because its process was killed before
 * it had the answer, gets the same answer.
 */
export function admit(request: AdmissionRequest, view: AdmissionView): Admission {
  const earlier = request.keyHash === undefined ? undefined : earlierExecution(request, view)
  if (earlier !== undefined) return earlier
  const { use, life } = view
  const { owner, now, cooldown, most, keyHash } = request
  const { finished } = use
  // The clock of another machine may be ahead: without a pause, an execution that finished there "later" forbids nothing.
  if (finished !== undefined && cooldown > 0 && now < finished + cooldown)
    return denied('cooldown', { retry_after_ms: finished + cooldown - now })
  const running = use.running.filter((one) => !isSame(one, owner) && life(one[0]) === 'goes_on')
  if (running.length >= most) return denied('concurrency')
  return {
    result: { verdict: 'admitted', ...(keyHash === undefined ? {} : { key_hash: keyHash }) },
    ...(keyHash === undefined ? {} : { key: claim(request) }),
    use: { ...use, running: [...running, owner] },
  }
}

/** Returns what follows from an earlier execution under the key; undefined if this one may go on. */
function earlierExecution(request: AdmissionRequest, { key, use, life }: AdmissionView): Admission | undefined {
  const { now, owner, fingerprint, keyHash, verified, verifies } = request
  if (key === undefined || key.expires <= now || isSame(key.owner, owner)) return undefined
  if (key.status === 'succeeded' && key.fingerprint !== fingerprint) return denied('idempotence_conflict')
  if (key.status === 'in_progress' && life(key.owner[0]) === 'goes_on') return denied('idempotence_in_progress')
  if (verified === 'not_done') return undefined
  if (verifies && verified === undefined) return { result: { verdict: 'short_circuit' }, verify: true }
  if (key.status !== 'succeeded' && verified !== 'done') return denied('idempotence_unknown')
  const { outputs = {} } = key
  const settled = key.status === 'succeeded' ? {} : { key: { ...key, status: 'succeeded' as const }, use }
  return { result: { verdict: 'short_circuit', ...(keyHash === undefined ? {} : { key_hash: keyHash }) }, outputs, ...settled }
}

function claim({ fingerprint, owner, now, keyLasts }: AdmissionRequest): KeyEntry {
  return { status: 'in_progress', fingerprint, owner, at: now, expires: now + keyLasts }
}

function denied(verdict: AdmissionResult['verdict'], more: Pick<AdmissionResult, 'retry_after_ms'> = {}): Admission {
  return { result: { verdict, ...more } }
}

export function isSame([run, frame]: Owner, [otherRun, otherFrame]: Owner): boolean {
  return run === otherRun && frame === otherFrame
}
