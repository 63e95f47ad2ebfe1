import { digestFraction } from '../../../kernel/index.ts'
import type { Rollout } from '../model/decision.ts'
import type { ActiveEntry, ActiveVersion } from './entries.ts'

/** The version that a caller gets, and how it was chosen; `rollout` is absent if only one version is active. */
export interface ChosenVersion {
  readonly active: ActiveVersion
  readonly rollout?: Rollout
}

/** The experiment of a skill that names none. */
export const EXPERIMENT = 'default'

/**
 * Chooses the version of a skill for a caller. `key`: the conversation, or the root run of a program that has none. The same key gets the same
 * version for as long as the shares stay, and a share that grows takes none away from those who have it (design skill 5).
 */
export function chooseVersion(id: string, { versions, experiment = EXPERIMENT }: ActiveEntry, key: string): ChosenVersion | undefined {
  const [first, ...others] = versions
  if (first === undefined) return undefined
  if (others.length === 0) return { active: first }
  const fraction = millionths(digestFraction(`${id}\n${key}\n${experiment}`))
  let upTo = 0
  const other = others.find(({ share = 0 }) => fraction < (upTo += millionths(share)))
  const active = other ?? first
  return { active, rollout: { experiment, fraction, share: millionths(shareOf(active, versions)) } }
}

/** Returns the share of a version, from 0 to 1: the first one gets what the others leave. */
export function shareOf({ version }: Pick<ActiveVersion, 'version'>, versions: readonly ActiveVersion[]): number {
  const [first, ...others] = versions
  if (first?.version !== version) return others.find((one) => one.version === version)?.share ?? 0
  return Math.max(0, 1 - others.reduce((sum, { share = 0 }) => sum + share, 0))
}

function millionths(share: number): number {
  return Math.floor(share * 1e6 + 1e-6)
}
