import type { KeptSkill } from './kept-skill.ts'

/** A version that leaves its place. */
export interface Eviction {
  readonly skill: KeptSkill
  readonly to: 'deprecated' | 'evicted'
  readonly reason: string
}

const DAY = 86_400_000
/** A version that is used less often in a week is not worth its place, after the first days in which nobody knows it (reference skill 1.24). */
const [LEAST_USES, WEEK, GRACE] = [5, 7 * DAY, 14 * DAY]
/** A deprecated version can still be called by its version so long. */
const DEPRECATED_FOR = 7 * DAY
const MOST_FAILED_TESTS = 2
/** The most active skills of a project and environment, and the share from which there is a warning. */
export const MOST_ACTIVE = 500
const WARNING = 0.8

/**
 * Returns the versions that leave their place now: what is hardly used, what has failed its tests twice in a row, the least useful of more than
 * 500, and what was deprecated a week ago. A manifest stays in the registry for ever, so that its runs can be replayed. Skills with `x_keep` are
 * exempt from usage, and so is everything if nobody knows the usage, as in the registry of an organisation.
 */
export function planEvictions(
  skills: readonly KeptSkill[],
  now: number,
  { isUseKnown = true }: { readonly isUseKnown?: boolean } = {},
): { readonly changes: readonly Eviction[]; readonly warning?: string } {
  const active = skills.filter(({ state }) => state.state === 'active')
  const judged = skills.flatMap((skill): Eviction[] => {
    const eviction = judgedAlone(skill, now, isUseKnown)
    return eviction === undefined ? [] : [eviction]
  })
  const leaving = new Set(judged.map(({ skill }) => skill))
  const staying = active.filter((skill) => !leaving.has(skill))
  const surplus = staying
    .sort((a, b) => utility(a, now) - utility(b, now) || a.state.since - b.state.since)
    .slice(0, Math.max(0, staying.length - MOST_ACTIVE))
  const changes = [
    ...judged,
    ...surplus.map(
      (skill): Eviction => ({ skill, to: 'deprecated', reason: `more than ${MOST_ACTIVE} skills are active, and it saves the least` }),
    ),
  ]
  const left = active.length - changes.filter(({ skill }) => skill.state.state === 'active').length
  return left >= MOST_ACTIVE * WARNING ? { changes, warning: `${left} of at most ${MOST_ACTIVE} skills are active` } : { changes }
}

function judgedAlone(skill: KeptSkill, now: number, isUseKnown: boolean): Eviction | undefined {
  const { state, since } = skill.state
  if (state === 'deprecated')
    return now - since >= DEPRECATED_FOR ? { skill, to: 'evicted', reason: 'it was deprecated a week ago' } : undefined
  if (state !== 'active') return undefined
  const failures = skill.ci?.failures ?? 0
  if (failures >= MOST_FAILED_TESTS) return { skill, to: 'deprecated', reason: `its last ${failures} tests have failed` }
  const uses = usesOf(skill, now)
  if (!isUseKnown || skill.manifest.extra['x_keep'] === true || now - since < GRACE || uses >= LEAST_USES) return undefined
  return { skill, to: 'deprecated', reason: `it was used ${uses} times in the last 7 days, fewer than ${LEAST_USES}` }
}

/** The executions of the last week. */
function usesOf({ use }: KeptSkill, now: number): number {
  return use.ended.filter(([at]) => at > now - WEEK).length
}

/** What a skill saves in a week, in executions that cost nothing. */
function utility(skill: KeptSkill, now: number): number {
  return usesOf(skill, now) * Math.max(0, -(skill.manifest.provenance.delta_cost ?? 0))
}
