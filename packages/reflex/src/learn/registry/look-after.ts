import type { Eviction } from './eviction.ts'
import type { KeptSkill } from './kept-skill.ts'
import type { SkillRegistry } from './registry.ts'
import { judgementText, judgeRollout, type RolloutJudgement } from './rollout.ts'

/** A version whose rollout its rule has decided. */
export interface RolloutChange {
  readonly skill: KeptSkill
  readonly judgement: RolloutJudgement
}

/** Everything that looking after a registry has changed. */
export interface Care {
  readonly rollouts: readonly RolloutChange[]
  readonly changes: readonly Eviction[]
  readonly warning?: string
}

const DAY = 86_400_000

/** Looks after a registry if nobody has for a day: decides rollouts by their rules, then evicts. Undefined if it was done. */
export async function lookAfterDaily(registry: SkillRegistry): Promise<Care | undefined> {
  return (await registry.isDue(DAY)) ? lookAfter(registry) : undefined
}

/** Decides the rollouts of a registry by the rules of their manifests, then evicts. */
export async function lookAfter(registry: SkillRegistry): Promise<Care> {
  const rollouts: RolloutChange[] = []
  for (const skill of await registry.list()) {
    const judgement = await decideRollout(registry, skill)
    if (judgement.verdict === 'promote' || judgement.verdict === 'rollback') rollouts.push({ skill, judgement })
  }
  return { rollouts, ...(await registry.sweep()) }
}

/** Promotes a version or rolls it back, if its rule says so, and returns what the rule says. Throws as `activate` and `retire`. */
export async function decideRollout(registry: SkillRegistry, skill: KeptSkill): Promise<RolloutJudgement> {
  const judgement = judgeRollout(skill)
  if (judgement.verdict === 'promote' && registry.hasPassed(skill))
    await registry.activate(skill, 1, `promoted: ${judgementText(judgement)}`)
  else if (judgement.verdict === 'rollback') await registry.retire(skill, 'deprecated', `rolled back: ${judgementText(judgement)}`)
  return judgement
}
