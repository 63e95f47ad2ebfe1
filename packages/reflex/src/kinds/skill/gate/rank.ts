import { compareVersions } from '../manifest/semantic-version.ts'
import { ratio } from './millionths.ts'

/** A skill that others are compared with, after each was judged on its own. */
export interface RankedSkill {
  readonly id: string
  readonly version: string
  /** The normalised score, in millionths. */
  readonly normalised: number
  /** How well its words fit the text of the user, compared with the other skills: see `relevanceOf`. */
  readonly relevance: number
  /** The number of unmet postconditions that it satisfies. */
  readonly progress: number
  /** How often it came after the skill that was executed last in this session. */
  readonly followed: number
  readonly successes: number
}

/** What applies to a whole comparison. */
export interface RankOptions {
  /** Scores that differ by at most so many millionths count as equal. */
  readonly epsilon: number
  /** How often the last skill was executed, and the number of skills: the transition prior is `(followed + 1) / (executed + skills)`. */
  readonly transitions: { readonly executed: number; readonly skills: number }
}

export type RankRule = 'score' | 'relevance' | 'progress' | 'transition' | 'runs' | 'version' | 'id'

/** Which rule has put a skill before the next one, and the two values that it compared. */
export interface TieBreak {
  readonly first: string
  readonly second: string
  readonly rule: RankRule
  readonly values: readonly [string | number, string | number]
}

export interface Ranking<Skill> {
  readonly order: readonly Skill[]
  /** One entry for each pair of neighbours. */
  readonly tie_break: readonly TieBreak[]
}

/**
 * Orders skills: score, relevance to the text, progress to the goal, transition prior, successful runs, version, id; the first difference
 * decides (reference skill 1.10, which has no relevance: there, skills that share a keyword were in the order of their ids). Scores within
 * `epsilon` of the highest of their group are equal, so that the order stays transitive. The order approves nothing.
 */
export function rankSkills<Skill extends RankedSkill>(skills: readonly Skill[], { epsilon, transitions }: RankOptions): Ranking<Skill> {
  const compare = comparison(transitions)
  const open = [...skills].sort((a, b) => b.normalised - a.normalised)
  const groups: Skill[][] = []
  for (const skill of open) {
    const group = groups.at(-1)
    const most = group?.[0]?.normalised ?? Number.POSITIVE_INFINITY
    if (group !== undefined && most - skill.normalised <= epsilon) group.push(skill)
    else groups.push([skill])
  }
  const ranked = groups.map((group) => ({ most: group[0]?.normalised ?? 0, members: [...group].sort((a, b) => compare(a, b).order) }))
  const order = ranked.flatMap(({ members }) => members)
  const groupOf = new Map(ranked.flatMap(({ members }, i) => members.map((skill) => [skill, i] as const)))
  const tie_break = order.slice(1).map((second, i) => {
    const first = order[i] ?? second
    const isScore = groupOf.get(first) !== groupOf.get(second)
    const decision = isScore ? ({ rule: 'score', values: [first.normalised, second.normalised] } as const) : compare(first, second)
    return { first: nameOf(first), second: nameOf(second), rule: decision.rule, values: decision.values }
  })
  return { order, tie_break }
}

interface Comparison {
  readonly order: number
  readonly rule: RankRule
  readonly values: TieBreak['values']
}

/** Compares skills whose scores count as equal. */
function comparison({ executed, skills }: RankOptions['transitions']): (a: RankedSkill, b: RankedSkill) => Comparison {
  const prior = ({ followed }: RankedSkill): number => ratio(followed + 1, executed + skills)
  const higher = (rule: RankRule, a: number, b: number): Comparison => ({ order: b - a, rule, values: [a, b] })
  return (a, b) => {
    const steps = [
      higher('relevance', a.relevance, b.relevance),
      higher('progress', a.progress, b.progress),
      higher('transition', prior(a), prior(b)),
      higher('runs', a.successes, b.successes),
      {
        order: a.version === b.version ? 0 : compareVersions(b.version, a.version),
        rule: 'version',
        values: [a.version, b.version],
      } as const,
    ]
    const byId = { order: codePointOrder(a.id, b.id), rule: 'id', values: [a.id, b.id] } as const
    return steps.find(({ order }) => order !== 0) ?? byId
  }
}

/** Ids have ASCII characters only, for which the order of code units is that of code points. */
function codePointOrder(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function nameOf({ id, version }: RankedSkill): string {
  return `${id}@${version}`
}
