import { lookAfter, lookAfterDaily } from '../../learn/registry/look-after.ts'
import { faults as registryFaults } from '../../learn/registry/faults.ts'
import { projectRegistry } from '../../learn/snapshot/project-registry.ts'
import { faults } from '../../runs/faults.ts'
import { quote, suggest } from '../../text/index.ts'
import type { Session } from '../session.ts'
import { compare } from './compare.ts'
import { sync } from './control.ts'
import { findDecisions } from './decision.ts'
import type { Act, Given, SkillFlags } from './given.ts'
import { add, importText, test } from './keep.ts'
import { approve, evict, promote } from './release.ts'
import { printDecision } from './decision-text.ts'
import { printCare } from './release-text.ts'
import { show } from './show.ts'
import { stats } from './stats.ts'
import { printSkills } from './text.ts'

const ACTIONS: Readonly<Record<string, Act>> = { show, test, add, import: importText, approve, promote, evict, diff: compare, why }
/** The actions that take a file. */
const FILES: readonly string[] = ['test', 'add', 'import']
/** Actions on all skills. */
const OF_ALL: Readonly<Record<string, (session: Session, project: Given['project']) => Promise<number>>> = { list, stats, sync }
const NAMES = ['list', ...Object.keys(ACTIONS), 'stats', 'sync']
/** Actions that only look: they need no store that can be written. */
const LOOKING: readonly string[] = ['list', 'show', 'diff', 'why', 'stats']
/** The most words after the skill. */
const MOST_WORDS: Readonly<Record<string, number>> = { diff: 2 }

/**
 * `reflex skill`: lists, shows, keeps, tests, approves, promotes, compares and evicts the skills of a store, and shows why one was carried out or
 * not. The first change of a day looks after the registry. Throws `R2031` for other words, and the faults of the registry.
 */
export async function skill(session: Session, words: readonly string[], flags: SkillFlags): Promise<number> {
  const [action = 'list', name, ...rest] = words
  const act = Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined
  const ofAll = Object.hasOwn(OF_ALL, action) ? OF_ALL[action] : undefined
  if (act === undefined && ofAll === undefined)
    throw faults.make('R2031', `skill ${quote(action)} is not known; it is ${NAMES.join(', ')}`, {
      fix: `reflex skill ${suggest(action, NAMES) ?? 'list'}`,
    })
  await session.reflex.useTools(flags.tools ?? [])
  const { version } = session.console.world
  const project = projectRegistry(session.reflex, { version, env: flags.env, org: flags.org })
  const { registry } = project
  if (action === 'evict' && name === undefined) return printCare(session.console, await lookAfter(registry))
  if (!LOOKING.includes(action)) await lookAfterDaily(registry)
  if (ofAll !== undefined && name === undefined) return ofAll(session, project)
  if (ofAll !== undefined) throw faults.make('R2031', `skill ${action} takes no name`, { fix: `reflex skill show ${name ?? 'ID'}` })
  if (act === undefined || name === undefined)
    throw FILES.includes(action)
      ? faults.make('R2031', `skill ${action} takes a file`, { fix: `reflex skill ${action} FILE` })
      : faults.make('R2031', `skill ${action} takes the id of a skill`, { fix: `reflex skill ${action} ID` })
  if (rest.length > (MOST_WORDS[action] ?? 0))
    throw faults.make('R2031', `skill ${action} does not know ${quote(rest.at(-1) ?? '')}`, { fix: `reflex skill ${action} ${name}` })
  return act({ session, project, flags, rest }, name)
}

async function list({ console }: Session, { registry, options }: Given['project']): Promise<number> {
  const { skills, hidden } = await registry.reachable()
  console.warn(
    hidden.map((id) =>
      registryFaults.finding('R1499', `the skill ${id} of ${options.project} hides that of the organisation`, {
        rule: 'registry.shadowed',
        path: id,
      }),
    ),
  )
  return printSkills(console, skills)
}

async function why({ session, project, flags }: Given, name: string): Promise<number> {
  if (flags.run === undefined) throw faults.make('R2031', 'skill why has no --run', { fix: `reflex skill why ${name} --run RUN` })
  const [id = ''] = name.split('@')
  return printDecision(session.console, await findDecisions(session.reflex, flags.run, id, (await project.registry.reachable()).skills))
}
