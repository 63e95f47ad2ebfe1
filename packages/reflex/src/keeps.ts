import type { AgentChoice } from './decisions.ts'
import type { Surroundings } from './host.ts'
import { isObject, type State } from './kernel/index.ts'
import { readTrust, type Trust, TRUST_LEVELS } from './policy/index.ts'

/** What a run keeps of how it was started: facts of the operator, which a resume goes on under (decisions, trust). */
export interface Keeps {
  readonly actor: string
  readonly trust: Trust
  readonly workdir: string
  readonly file?: string
  readonly agent?: AgentChoice
  /** Who gave more than the usual trust was a user of this machine: proved by a secret that no store holds. */
  readonly proof?: { readonly nonce: string; readonly seal: string }
  /** The journal claims more trust than it can prove, so the run has the usual one. */
  readonly lowered?: true
}

const USUAL: Trust = 'probationary'

function isMore(trust: Trust): boolean {
  return TRUST_LEVELS.indexOf(trust) > TRUST_LEVELS.indexOf(USUAL)
}

/** Adds the proof that a resume will ask for, where a run gets more than the usual trust. */
export function proved(keeps: Keeps, { host, seal }: Surroundings): Keeps {
  if (!isMore(keeps.trust) || seal === undefined) return keeps
  const nonce = host.entropy()
  const made = seal(sealed(keeps, nonce))
  return made === undefined ? keeps : { ...keeps, proof: { nonce, seal: made } }
}

/**
 * What a stored run keeps. A store may have come with a folder from somebody else: more than the usual trust counts
 * only with the proof that a user of this machine gave it here.
 */
export function keepsOf(state: State, surroundings: Surroundings): Keeps {
  const by = state.start?.by
  if (!isObject(by)) return { actor: '', trust: 'untrusted', workdir: '' }
  const keeps = by as unknown as Keeps
  const trust = typeof by.trust === 'string' ? readTrust(by.trust, 'the journal') : 'untrusted'
  if (!isMore(trust)) return { ...keeps, trust }
  const { proof } = keeps
  const right = proof !== undefined && surroundings.seal?.(sealed({ ...keeps, trust }, proof.nonce)) === proof.seal
  return right ? { ...keeps, trust } : { ...keeps, trust: USUAL, lowered: true }
}

function sealed({ trust, workdir }: Keeps, nonce: string): string {
  return JSON.stringify([trust, workdir, nonce])
}
