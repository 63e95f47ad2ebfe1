import { dirname, join } from 'node:path'
import type { CompiledSkill } from '../../kinds/skill/manifest/compiled.ts'
import { readSkill } from '../../kinds/skill/manifest/read-skill.ts'
import type { SkillTool } from '../../kinds/skill/model/skill-tool.ts'
import { decodeCase, readCase, type UnitCase } from '../ci/case.ts'
import { faults as ciFaults } from '../ci/faults.ts'
import type { TestHost } from '../ci/run-case.ts'
import { type CiReport, testSkill } from '../ci/test-skill.ts'
import { faults } from './faults.ts'
import type { KeptSkill } from './kept-skill.ts'
import type { SkillRegistry } from './registry.ts'

/** A manifest as its file has it, with the files beside it that it names. */
export interface SkillFile {
  readonly skill: CompiledSkill
  readonly cases: readonly UnitCase[]
  /** The texts of its prompts, by their references. */
  readonly prompts: Readonly<Record<string, string>>
}

/** Reads a file; undefined for one that is not there. */
export type ReadText = (path: string) => string | undefined

/**
 * Reads a manifest, its prompts and its unit cases, all from the folder of its file. The hashes of the prompts are pinned. Throws the first error
 * of the manifest, and `R1495` for a case.
 */
export function readSkillFile(file: string, read: ReadText, tools: readonly SkillTool[]): SkillFile {
  const folder = dirname(file)
  const prompts: Record<string, string> = {}
  const prompt = (reference: string): string | undefined => {
    const text = read(join(folder, reference))
    if (text !== undefined) prompts[reference] = text
    return text
  }
  const { skill, findings } = readSkill(read(file) ?? '', file, { tools, prompts: prompt })
  if (skill === undefined)
    throw findings.find(({ severity }) => severity === 'error') ?? new TypeError('a manifest without a skill has a finding')
  const cases = skill.manifest.tests.unit_cases.map((name) => {
    const text = read(join(folder, name))
    if (text !== undefined) return readCase(text, name)
    throw ciFaults.make('R1495', `${name}: there is no such file in the folder of the manifest`, {
      file,
      path: name,
      fix: 'write the case, or correct tests.unit_cases',
    })
  })
  return { skill, cases, prompts }
}

/** Keeps a manifest as a draft if it is new, with its prompts and its cases, and returns it. Throws `R1490` for another text of a version. */
export async function keepFile(
  registry: SkillRegistry,
  { skill, cases, prompts }: SkillFile,
): Promise<{ readonly kept: KeptSkill; readonly isNew: boolean }> {
  const { manifest, hash } = skill
  const isNew = await registry.put(manifest, hash, 'file', prompts)
  await registry.keepCases(hash, cases)
  return { kept: await registry.find(`${manifest.id}@${manifest.version}`), isNew }
}

/** Tests a version with the cases that were kept with it, and writes the result down: it counts for this text and this major version alone. */
export async function testKept(registry: SkillRegistry, kept: KeptSkill, host: Omit<TestHost, 'prompts'>): Promise<CiReport> {
  if (kept.state.state === 'evicted')
    throw faults.make('R1491', `${kept.id}@${kept.version} is evicted`, { fix: 'give the manifest the next version' })
  const stored = await registry.cases(kept.hash)
  const cases = stored.map((one, index) => decodeCase(one, `case ${index + 1} of ${kept.id}`))
  const report = await testSkill(kept, cases, { ...host, prompts: await registry.prompts(kept.manifest) })
  const { passed, unit, fuzz, security, delta_cost } = report
  await registry.tested(kept, {
    passed,
    unit: [unit.passed, unit.of],
    fuzz: [fuzz.passed, fuzz.of],
    security: security.passed === security.of,
    delta_cost,
  })
  return report
}
