import type { Fault } from '../../../kernel/index.ts'
import type { ReadContext } from '../../../programs/language.ts'
import { type Locator, type Path, quote, suggest } from '../../../text/index.ts'
import type { CompiledCall, CompiledSkill } from '../manifest/compiled.ts'
import { ManifestReport } from '../manifest/report.ts'

/** Returns a warning for each program that a plan calls and that does not exist: without it, the skill is unbound. */
export function callFindings(skill: CompiledSkill, { lookup, names }: ReadContext, locate: Locator): readonly Fault[] {
  if (lookup === undefined) return []
  const report = new ManifestReport(locate)
  for (const [{ tool, isProgram }, path] of callsOf(skill)) {
    if (!isProgram || lookup(tool) !== undefined) continue
    const [kind = '', id = ''] = tool.split(/:(.*)/s, 2)
    const guess = suggest(id, names?.(kind) ?? [])
    const fix = guess === undefined ? 'add the program, or correct its name' : `write ${quote(`${kind}:${guess}`)}`
    report.add('W_UNBOUND', path, `there is no program ${quote(tool)}`, fix, {
      guess: guess === undefined ? undefined : `${kind}:${guess}`,
    })
  }
  return report.findings()
}

function callsOf({ steps, verify, compensation }: CompiledSkill): readonly (readonly [CompiledCall, Path])[] {
  return [
    ...steps.map((step, index) => [step, ['plan', 'steps', index, 'tool']] as const),
    ...(verify === undefined ? [] : [[verify, ['plan', 'verify', 'tool']] as const]),
    ...compensation.map((entry, index) => [entry, ['plan', 'compensation', index, 'tool']] as const),
  ]
}
