import { breakEven } from '../../learn/registry/break-even.ts'
import { judgeRollout } from '../../learn/registry/rollout.ts'
import type { Given } from './given.ts'
import { observedTurns } from './observed-turns.ts'
import { printSkill } from './text.ts'

/** `skill show`: prints a version with its manifest, the rule of its rollout, and what it has saved against what it has cost. */
export async function show({ session, project: { registry } }: Given, name: string): Promise<number> {
  const { skills } = await registry.reachable()
  const [id, version] = name.split('@')
  // One of the organisation that the project reaches is shown as it stands here.
  const theirs = skills.find((one) => one.scope === 'org' && one.id === id && (version === undefined || one.version === version))
  const skill = theirs ?? (await registry.find(name))
  const turns = await observedTurns(session.reflex, skill.id)
  return printSkill(session.console, skill, { even: breakEven(skill, turns), turns, rollout: judgeRollout(skill) })
}
