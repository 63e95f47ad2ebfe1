import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { skillTools } from '../../kinds/skill/face/tools.ts'
import { junitText } from '../../learn/ci/junit.ts'
import { openRegistry } from '../../learn/registry/open.ts'
import type { KeptSkill } from '../../learn/registry/kept-skill.ts'
import type { SkillRegistry } from '../../learn/registry/registry.ts'
import { keepFile, readSkillFile, testKept } from '../../learn/registry/skill-file.ts'
import { faults } from '../../runs/faults.ts'
import { quote, suggest } from '../../text/index.ts'
import type { ContinueFlags } from '../options.ts'
import type { Session } from '../session.ts'
import { promoteTo, sync } from './control.ts'
import { findDecisions } from './decision.ts'
import { printChange, printDecision, printEvictions, printReport, printSkill, printSkills } from './text.ts'

export interface SkillFlags extends ContinueFlags {
  readonly run?: string
  readonly junit?: string
  readonly share?: string
  readonly reason?: string
  readonly deprecate?: boolean
  readonly tools?: readonly string[]
  readonly to?: string
}

interface Given {
  readonly session: Session
  readonly registry: SkillRegistry
  readonly flags: SkillFlags
}

type Act = (given: Given, name: string) => Promise<number>

const ACTIONS: Readonly<Record<string, Act>> = { show, test, approve, promote, evict, why }
const NAMES = ['list', ...Object.keys(ACTIONS), 'sync']

/**
 * `reflex skill`: lists, shows, tests, approves, promotes and evicts the skills of a store, and shows why one was carried out or not. Throws `R2031`
 * for other words, and the faults of the registry.
 */
export async function skill(session: Session, words: readonly string[], flags: SkillFlags): Promise<number> {
  const [action = 'list', name] = words
  await session.reflex.useTools(flags.tools ?? [])
  const registry = openRegistry(session.reflex, session.console.world.version)
  const given = { session, registry, flags }
  if (action === 'list' && name === undefined) return printSkills(session.console, await registry.list())
  if (action === 'sync' && name === undefined) return sync(session)
  if (action === 'evict' && name === undefined) return printEvictions(session.console, await registry.sweep())
  const act = Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined
  if (act !== undefined && name !== undefined) return act(given, name)
  if (action === 'list') throw faults.make('R2031', 'skill list takes no name', { fix: `reflex skill show ${name ?? 'ID'}` })
  if (act !== undefined) throw faults.make('R2031', `skill ${action} takes the id of a skill`, { fix: `reflex skill ${action} ID` })
  throw faults.make('R2031', `skill ${quote(action)} is not known; it is ${NAMES.join(', ')}`, {
    fix: `reflex skill ${suggest(action, NAMES) ?? 'list'}`,
  })
}

async function show({ session, registry }: Given, name: string): Promise<number> {
  return printSkill(session.console, await registry.find(name))
}

/** Tests a file, which is kept as a draft if it is new, or a skill of the registry. The result is stored. */
async function test({ session, registry, flags }: Given, name: string): Promise<number> {
  const { console, reflex } = session
  const tools = skillTools(reflex.tools, [])
  const { kept, isNew } = isFile(name) ? await keep(session, registry, name) : { kept: await registry.find(name), isNew: false }
  const report = await testKept(registry, kept, { tools })
  if (flags.junit !== undefined) writeFileSync(resolve(console.world.surroundings.cwd, flags.junit), junitText(report))
  return printReport(console, report, isNew)
}

function isFile(name: string): boolean {
  return /\.jsonc?$/.test(name)
}

async function keep(
  { console, reflex }: Session,
  registry: SkillRegistry,
  name: string,
): Promise<{ readonly kept: KeptSkill; readonly isNew: boolean }> {
  const file = resolve(console.world.surroundings.cwd, name)
  if (readText(file) === undefined)
    throw faults.make('R2031', `there is no file ${name}`, { file: name, fix: 'name a file *.skill.json, or a skill of reflex skill list' })
  return keepFile(registry, readSkillFile(file, readText, skillTools(reflex.tools, [])))
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}

/** A person lets a tested version have the calls of its skill, or a share of them. */
async function approve({ session, registry, flags }: Given, name: string): Promise<number> {
  if (!name.includes('@'))
    throw faults.make('R2031', 'skill approve takes a version: ID@VERSION', {
      fix: `reflex skill approve ${name}@${(await registry.find(name)).version} --by NAME`,
    })
  if (flags.by === undefined || flags.by.trim() === '')
    throw faults.make('R2031', 'a person approves a skill: --by is missing', { fix: `reflex skill approve ${name} --by NAME` })
  await registry.activate(await registry.find(name), shareOf(flags.share))
  return printChange(session.console, 'approved', await registry.find(name))
}

/** Gives a version that has a share of the calls all of them, or asks the control plane to use it in another environment. */
async function promote({ session, registry, flags }: Given, name: string): Promise<number> {
  if (flags.to !== undefined) return promoteTo(session, name, flags.to)
  const found = await registry.find(name)
  if (found.share === 0)
    throw faults.make('R2031', `${found.id}@${found.version} has no calls yet`, {
      fix: `reflex skill approve ${found.id}@${found.version} --by NAME`,
    })
  await registry.activate(found)
  return printChange(session.console, 'promoted', await registry.find(`${found.id}@${found.version}`))
}

async function evict({ session, registry, flags }: Given, name: string): Promise<number> {
  const found = await registry.find(name)
  const to = flags.deprecate === true ? 'deprecated' : 'evicted'
  await registry.retire(found, to, flags.reason ?? `${to} by ${session.reflex.actor}`)
  return printChange(session.console, to, await registry.find(`${found.id}@${found.version}`))
}

async function why({ session, registry, flags }: Given, name: string): Promise<number> {
  if (flags.run === undefined) throw faults.make('R2031', 'skill why has no --run', { fix: `reflex skill why ${name} --run RUN` })
  const [id = ''] = name.split('@')
  return printDecision(session.console, await findDecisions(session.reflex, flags.run, id, await registry.list()))
}

function shareOf(text: string | undefined): number {
  if (text === undefined) return 1
  const share = Number(text)
  if (share > 0 && share <= 1) return share
  throw faults.make('R2031', `--share ${quote(text)} is not a share from 0 to 1`, { fix: 'write --share 0.1' })
}
