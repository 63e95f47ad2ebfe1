import type { KeptSkill } from '../../learn/registry/kept-skill.ts'
import { judgementText, judgeRollout, type RolloutJudgement } from '../../learn/registry/rollout.ts'
import { projectRegistry } from '../../learn/snapshot/project-registry.ts'
import { faults } from '../../runs/faults.ts'
import { quote } from '../../text/index.ts'
import { askToPromote } from './control.ts'
import type { Given } from './given.ts'
import { printChange, printPromotion } from './release-text.ts'

/** `skill approve`: a person lets a tested version have the calls of its skill, or a share of them. */
export async function approve({ session, project: { registry }, flags }: Given, name: string): Promise<number> {
  if (!name.includes('@'))
    throw faults.make('R2031', 'skill approve takes a version: ID@VERSION', {
      fix: `reflex skill approve ${name}@${(await registry.find(name)).version} --by NAME`,
    })
  if (isNobody(flags.by))
    throw faults.make('R2031', 'a person approves a skill: --by is missing', { fix: `reflex skill approve ${name} --by NAME` })
  await registry.activate(await registry.find(name), shareOf(flags.share))
  return printChange(session.console, 'approved', await registry.find(name))
}

/**
 * `skill promote`: gives a version that has a share of the calls all of them, or rolls it back, as the rule of its manifest says. While the rule
 * waits, only a person can promote it, with `--by`. With `--to` another environment gets a tested version instead: the control plane is asked, if
 * there is one.
 */
export async function promote(given: Given, name: string): Promise<number> {
  const { session, project, flags } = given
  const { registry } = project
  const found = await registry.find(name)
  if (flags.to !== undefined) return (await askToPromote(given, found, flags.to)) ?? promoteTo(given, found, flags.to)
  if (found.share === 0)
    throw faults.make('R2031', `${found.id}@${found.version} has no calls yet`, {
      fix: `reflex skill approve ${found.id}@${found.version} --by NAME`,
    })
  const judgement = judgeRollout(found)
  const { verdict } = judgement
  const decided = verdict === 'wait' && !isNobody(flags.by) ? 'person' : verdict === 'none' ? 'no_rule' : 'rule'
  const isPromoted = verdict === 'promote' || decided !== 'rule'
  if (verdict === 'rollback') await registry.retire(found, 'deprecated', `rolled back: ${judgementText(judgement)}`)
  else if (isPromoted) await registry.activate(found, 1, reasonOf(judgement, decided))
  const after = await registry.find(`${found.id}@${found.version}`)
  return printPromotion(session.console, { skill: after, judgement, decided, isPromoted })
}

function reasonOf(judgement: RolloutJudgement, decided: 'person' | 'no_rule' | 'rule'): string {
  return decided === 'no_rule' ? 'promoted' : `promoted by ${decided === 'person' ? 'a person' : 'its rule'}: ${judgementText(judgement)}`
}

/** Keeps a version in the registry of another environment, with its cases, prompts and the result of its tests. A person approves it there. */
async function promoteTo({ session, project: { registry } }: Given, found: KeptSkill, to: string): Promise<number> {
  if (!registry.hasPassed(found) || found.ci === undefined)
    throw faults.make('R2031', `${found.id}@${found.version} has no passed tests`, {
      fix: `reflex skill test ${found.id}@${found.version}`,
    })
  const { registry: target } = projectRegistry(session.reflex, { version: session.console.world.version, env: to })
  await target.put(found.manifest, found.hash, found.origin, await registry.prompts(found.manifest))
  await target.keepCases(found.hash, await registry.cases(found.hash))
  const name = `${found.id}@${found.version}`
  const { at: _, sdk: __, failures: ___, ...ci } = found.ci
  await target.tested(await target.find(name), ci)
  return printChange(session.console, `tested in ${to}`, await target.find(name))
}

/** `skill evict`: takes a version out of use. */
export async function evict({ session, project: { registry }, flags }: Given, name: string): Promise<number> {
  const found = await registry.find(name)
  const to = flags.deprecate === true ? 'deprecated' : 'evicted'
  await registry.retire(found, to, flags.reason ?? `${to} by ${session.reflex.actor}`)
  return printChange(session.console, to, await registry.find(`${found.id}@${found.version}`))
}

function isNobody(by: string | undefined): boolean {
  return by === undefined || by.trim() === ''
}

function shareOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const share = Number(text)
  if (share > 0 && share <= 1) return share
  throw faults.make('R2031', `--share ${quote(text)} is not a share from 0 to 1`, { fix: 'write --share 0.1' })
}
