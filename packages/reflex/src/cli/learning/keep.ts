import { readFileSync, writeFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { junitText } from '../../learn/ci/junit.ts'
import { readAgentSkill } from '../../learn/formats/read-agent-skill.ts'
import type { KeptSkill } from '../../learn/registry/kept-skill.ts'
import { keepFile, readSkillFile, testKept } from '../../learn/registry/skill-file.ts'
import { plainJson } from '../../protocol/plain.ts'
import { faults } from '../../runs/faults.ts'
import { EXIT } from '../exit.ts'
import { factLine } from '../layout.ts'
import type { Given } from './given.ts'
import { printChange } from './release-text.ts'
import { printReport } from './report-text.ts'

/** `skill test`: tests a file, which is kept as a draft if it is new, or a skill of the registry. The result is stored. */
export async function test(given: Given, name: string): Promise<number> {
  const { session, project, flags } = given
  const { registry, host } = project
  const { kept, isNew } = isFile(name) ? await keep(given, name) : { kept: await registry.find(name), isNew: false }
  const report = await testKept(registry, kept, { tools: host.tools ?? [] })
  if (flags.junit !== undefined) writeFileSync(resolve(session.console.world.surroundings.cwd, flags.junit), junitText(report))
  return printReport(session.console, report, isNew)
}

/** `skill add FILE`: keeps a manifest with its prompts and unit cases as a draft. A draft that is there already stays. */
export async function add(given: Given, name: string): Promise<number> {
  const { kept, isNew } = await keep(given, name)
  return printChange(given.session.console, isNew ? 'kept as a draft' : 'kept before', kept)
}

/**
 * `skill import SKILL.md`: writes a draft with the name and the text of an Agent Skill. It has no step, so it cannot be read as a manifest, kept or
 * run until somebody has written its plan. Throws `R1484` for a text that is no Agent Skill, and `R5040`.
 */
export async function importText({ session, flags }: Given, name: string): Promise<number> {
  const { console, reflex } = session
  const file = resolve(console.world.surroundings.cwd, name)
  const text = readText(file)
  if (text === undefined) throw noFile(name)
  const { id, draft } = readAgentSkill(text, { file, owner: reflex.actor })
  const folder = resolve(console.world.surroundings.cwd, flags.out ?? '.')
  const target = join(folder, `${id}.skill.json`)
  await writeNew(target, `${JSON.stringify(draft, null, 2)}\n`)
  if (console.shape !== 'text') console.document(plainJson({ v: 1, skill: id, file: target, runs: false }))
  else if (!console.quiet) {
    const shown = console.err.text(console.nearPath(target))
    console.report(
      factLine(shown, shown, ['written', 'a text without steps: it cannot run', 'write its plan, then reflex skill test'], console.err),
    )
  }
  return EXIT.done
}

async function writeNew(file: string, text: string): Promise<void> {
  const before = readText(file)
  if (before === text) return
  const fix = 'name another folder with --out'
  if (before !== undefined) throw faults.make('R5040', `${file} has another text`, { file, fix })
  try {
    await mkdir(resolve(file, '..'), { recursive: true })
    await writeFile(file, text)
  } catch (cause) {
    throw faults.make('R5040', `${file} cannot be written`, { file, cause, fix })
  }
}

function isFile(name: string): boolean {
  return /\.jsonc?$/.test(name)
}

async function keep({ session, project }: Given, name: string): Promise<{ readonly kept: KeptSkill; readonly isNew: boolean }> {
  const file = resolve(session.console.world.surroundings.cwd, name)
  if (readText(file) === undefined) throw noFile(name)
  return keepFile(project.registry, readSkillFile(file, readText, project.host.tools ?? []))
}

function noFile(name: string): Error {
  return faults.make('R2031', `there is no file ${name}`, { file: name, fix: 'name a file *.skill.json, or a skill of reflex skill list' })
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
