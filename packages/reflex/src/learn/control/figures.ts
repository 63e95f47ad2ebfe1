import type { Store } from '../../kernel/index.ts'
import type { UsageRow } from '../../kinds/skill/control/messages.ts'
import type { KeptSkill } from '../registry/kept-skill.ts'
import { readUsage, type Window } from './usage.ts'

/** The figures of one version (seed skill 13). Rates are from 0 to 1, and `null` where nothing was counted. */
export interface SkillFigures {
  readonly skill: string
  readonly version: string
  readonly calls: number
  readonly success_rate: number | null
  /** The saving in cost and the change of the 95th percentile of the time, in milliseconds, as they were measured when it was learned. */
  readonly delta_cost: number | null
  readonly delta_p95: number | null
  /** Of the executions that were denied or failed: those in runs that came to a good end without them. */
  readonly fallback_rate: number | null
  /** The failures in a row up to now. */
  readonly failure_streak: number
  /** Milliseconds since the epoch. */
  readonly last_ci_pass: number | null
}

/** The figures of all skills of a project and environment (seed skill 13). */
export interface SystemFigures {
  readonly learned_skills: number
  readonly active_skills: number
  readonly evictions: number
  readonly ci_failures: number
  /** Of the runs in which a skill was approved: those whose first one succeeded. */
  readonly precision_at_1: number | null
  /** Of all decisions: those that asked for values. */
  readonly clarify_rate: number | null
  readonly policy_denies: number
}

/** Counts what skills did in the runs of a window, and what the registry has. */
export async function skillFigures(
  store: Store,
  window: Window,
  kept: readonly KeptSkill[],
): Promise<{ readonly skills: readonly SkillFigures[]; readonly system: SystemFigures }> {
  const { rows, totals } = await readUsage(store, window, kept)
  const sum = (of: (row: UsageRow) => number): number => rows.reduce((all, row) => all + of(row), 0)
  const count = (is: (one: KeptSkill) => boolean): number => kept.filter(is).length
  return {
    skills: kept.map((one) => figuresOf(one, rows)),
    system: {
      learned_skills: count(({ origin }) => origin === 'mined'),
      active_skills: count(({ share }) => share > 0),
      evictions: count(({ state }) => state.state === 'evicted'),
      ci_failures: count(({ ci }) => ci?.passed === false),
      precision_at_1: rate(totals.firstSucceeded, totals.approved),
      clarify_rate: rate(
        sum((row) => row.clarify),
        sum(({ calls, clarify, denied }) => calls + clarify + denied),
      ),
      policy_denies: totals.policyDenied,
    },
  }
}

function figuresOf({ id, version, manifest, use, ci }: KeptSkill, rows: readonly UsageRow[]): SkillFigures {
  const row = rows.find(({ skill_id, version: of }) => skill_id === id && of === version)
  const { calls = 0, success = 0, denied = 0, fallback = 0 } = row ?? {}
  const { delta_cost = null, delta_p95 = null } = manifest.provenance
  const lastGood = use.ended.findLastIndex(([, , ok]) => ok)
  return {
    skill: id,
    version,
    calls,
    success_rate: rate(success, calls),
    delta_cost,
    delta_p95,
    fallback_rate: rate(fallback, denied + calls - success),
    failure_streak: use.ended.length - 1 - lastGood,
    last_ci_pass: ci?.passed === true ? ci.at : null,
  }
}

function rate(of: number, all: number): number | null {
  return all === 0 ? null : of / all
}
