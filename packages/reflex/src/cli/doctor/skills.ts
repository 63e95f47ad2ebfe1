import { basename } from 'node:path'
import { isFault, type Store } from '../../kernel/index.ts'
import { MOST_ACTIVE } from '../../learn/registry/eviction.ts'
import type { KeptSkill } from '../../learn/registry/kept-skill.ts'
import { SkillRegistry } from '../../learn/registry/registry.ts'
import { counted } from '../../protocol/plain.ts'
import type { Console } from '../console.ts'

interface SkillCheck {
  readonly name: 'skills'
  readonly mark: 'done' | 'warns' | 'failed'
  readonly text: string
  readonly fix?: string | undefined
}

/** Checks the registry of skills of this folder: none without skills. It only reads. */
export async function skillChecks({ now, world }: Console, store: Store): Promise<SkillCheck[]> {
  const { cwd, actor } = world.surroundings
  const place = { project: basename(cwd), env: 'default', by: actor, sdk: world.version.split('.')[0] ?? '' }
  const registry = new SkillRegistry(store, { ...place, now: () => now, unique: () => '' })
  try {
    const skills = await registry.list()
    return skills.length === 0 ? [] : [stateCheck(skills, registry)]
  } catch (thrown) {
    if (!isFault(thrown)) throw thrown
    return [{ name: 'skills', mark: 'failed', text: `${thrown.code} ${thrown.message}`, fix: thrown.fix }]
  }
}

function stateCheck(skills: readonly KeptSkill[], registry: SkillRegistry): SkillCheck {
  const active = skills.filter(({ share }) => share > 0)
  const facts = `${counted(skills.length, 'version')} of skills, ${active.length} active`
  const stopped = skills.filter(({ state }) => state.state === 'quarantined')
  const untested = active.filter((skill) => !registry.hasPassed(skill))
  const [one] = [...stopped, ...untested]
  const count = stopped.length > 0 ? `${stopped.length} in quarantine` : `${untested.length} active without tests by this version of Reflex`
  if (one !== undefined)
    return { name: 'skills', mark: 'warns', text: `${facts}, ${count}`, fix: `reflex skill test ${one.id}@${one.version}` }
  if (active.length >= MOST_ACTIVE * NEARLY)
    return { name: 'skills', mark: 'warns', text: `${facts}, of at most ${MOST_ACTIVE}`, fix: 'reflex skill evict' }
  return { name: 'skills', mark: 'done', text: facts }
}

/** The share of the most active skills from which there is a warning. */
const NEARLY = 0.8
