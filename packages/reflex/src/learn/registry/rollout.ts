import type { ActiveEntry, ActiveVersion, FiguresEntry } from '../../kinds/skill/ledger/entries.ts'
import type { RolloutRule } from '../../kinds/skill/model/manifest.ts'
import type { KeptSkill } from './kept-skill.ts'

/** What the rule of a rollout says now, and the numbers that it decides by. */
export interface RolloutJudgement {
  /** `wait`: too few executions, or neither rule holds. `none`: there is nothing to decide, or no rule. */
  readonly verdict: 'promote' | 'rollback' | 'wait' | 'none'
  /** The executions and successes since the version got its share. */
  readonly runs: number
  readonly succeeded: number
  /** The rule that decided, or the one that is waited for. */
  readonly rule?: { readonly name: 'promote' | 'rollback'; readonly runs: number; readonly success: number }
}

/**
 * Judges a version that shares the calls of its skill by the rule that its manifest declares. A roll back comes first: a version that fails is
 * never promoted (design skill 5).
 */
export function judgeRollout({ manifest, version, active, figures }: KeptSkill): RolloutJudgement {
  const counted = figuresSince(version, active, figures)
  const { promote, rollback } = manifest.rollout ?? {}
  const isShared = active !== undefined && active.versions.length > 1
  if (!isShared || (promote === undefined && rollback === undefined)) return { verdict: 'none', ...counted }
  const rate = counted.runs === 0 ? 0 : counted.succeeded / counted.runs
  if (rollback !== undefined && counted.runs >= rollback.runs && rate < rollback.success)
    return { verdict: 'rollback', ...counted, rule: { name: 'rollback', ...rollback } }
  if (promote === undefined) return { verdict: 'wait', ...counted }
  const isGood = counted.runs >= promote.runs && rate >= promote.success
  return { verdict: isGood ? 'promote' : 'wait', ...counted, rule: { name: 'promote', ...promote } }
}

function figuresSince(
  version: string,
  active: ActiveEntry | undefined,
  { runs, succeeded }: FiguresEntry,
): Pick<RolloutJudgement, 'runs' | 'succeeded'> {
  const [before, well] = active?.versions.find((one) => one.version === version)?.from ?? [0, 0]
  return { runs: runs - before, succeeded: succeeded - well }
}

/** The numbers of a judgement in words: `12 of 14 executions succeeded (0.857); promote needs 50 with 0.95`. */
export function judgementText({ runs, succeeded, rule }: RolloutJudgement): string {
  const rate = runs === 0 ? '' : ` (${(succeeded / runs).toFixed(3)})`
  const found = `${succeeded} of ${runs} executions succeeded${rate}`
  if (rule === undefined) return found
  return rule.name === 'promote'
    ? `${found}; promote needs ${rule.runs} with at least ${rule.success}`
    : `${found}; rollback is after ${rule.runs} with less than ${rule.success}`
}

/** A version that comes to an active pointer. */
export interface NewVersion {
  readonly version: string
  readonly hash: string
  readonly figures: FiguresEntry
  readonly rollout: RolloutRule | undefined
  /** From above 0 to 1; absent: what the rollout of its manifest leaves to it, otherwise all. */
  readonly share: number | undefined
}

/** Returns the versions that share the calls once another one has come. The first one gets what the others leave; it alone is left if it gets all. */
export function pointerWith(
  { versions: before }: Pick<ActiveEntry, 'versions'>,
  one: NewVersion,
): Pick<ActiveEntry, 'versions' | 'experiment'> {
  const { version, hash, figures, rollout } = one
  const others = before.filter((other) => other.version !== version)
  const declared = one.share === undefined && rollout !== undefined ? sharesOf(rollout, others) : undefined
  const share = one.share ?? declared?.own ?? 1
  const own: ActiveVersion = { version, hash, from: [figures.runs, figures.succeeded] }
  if (share >= 1 || others.length === 0) return { versions: [own] }
  const kept = declared?.others ?? others
  return { versions: [...withoutShare(kept), { ...own, share }], ...(rollout === undefined ? {} : { experiment: rollout.experiment }) }
}

/** The shares that a manifest declares: what it gives to versions that are active is theirs, and the rest is its own. */
function sharesOf(
  { shares }: RolloutRule,
  others: readonly ActiveVersion[],
): { readonly own: number; readonly others: readonly ActiveVersion[] } | undefined {
  const kept = others.flatMap((other) => {
    const share = shares.find(({ version }) => version === other.version)?.share
    return share === undefined ? [] : [{ ...other, share }]
  })
  const given = kept.reduce((sum, { share }) => sum + share, 0)
  return kept.length === 0 ? undefined : { own: Math.max(0, Math.round((1 - given) * 1e6) / 1e6), others: kept }
}

function withoutShare([first, ...rest]: readonly ActiveVersion[]): readonly ActiveVersion[] {
  if (first === undefined) return []
  const { share: _, ...alone } = first
  return [alone, ...rest]
}
