import { describe, expect, test } from 'vitest'
import { describeFault } from '../../../../src/kernel/journal/fault.ts'
import { RULES } from '../../../../src/kinds/pipeline/check/rules.ts'
import { readPipeline } from '../../../../src/kinds/pipeline/face/read-pipeline.ts'
import { casesOf } from '../../../cases.ts'

// Folders with a pipeline and what `reflex validate --verbose` says of it.
const PROGRAM = 'program.dot'
const GOLDEN = 'expected.txt'
const cases = casesOf('pipeline').filter((it) => it.has(PROGRAM) && it.files.every((file) => file === PROGRAM || file === GOLDEN))

/** The rule that a case is named after; its name goes on with `-fine` where the rule must find nothing. */
function ruleOf(name: string): string | undefined {
  const fits = RULES.map((rule) => rule.name).filter((rule) => `${name}-`.startsWith(`${rule.replaceAll('_', '-')}-`))
  return fits.toSorted((a, b) => b.length - a.length)[0]
}

describe('the diagnostics of a pipeline file', () => {
  // proves: pipeline s1.2b, pipeline s10.2a, pipeline s10.2b, pipeline s10.2c, pipeline s10.2d, pipeline s10.2e, pipeline s10.2f
  // proves: pipeline s10.2g, pipeline s10.2h, pipeline s10.2i, pipeline s10.2j, pipeline 1.3f, pipeline 1.3g, pipeline 2.6.14
  // proves: pipeline 2.6.23, pipeline 2.6.24, pipeline 11.3a, pipeline 11.3b, pipeline 11.3c, pipeline 11.3e, pipeline 11.3f
  // proves: pipeline 11.3g, pipeline 11.3n, pipeline 11.3o, pipeline 11.3p, pipeline 11.3q, pipeline 11.3r, pipeline 11.3s, pipeline 11.3t
  // proves: pipeline 11.3u, pipeline 11.3v, pipeline 11.3x, pipeline 11.3y
  test.each(cases)('$name', async (it) => {
    const { id, findings } = readPipeline(it.text(PROGRAM), PROGRAM, { exists: (path) => it.has(path) })
    const text = findings.map((finding) => `${describeFault(finding)}\n`).join('')
    expect(id === undefined).toBe(findings.some((finding) => finding.severity === 'error'))
    const rule = ruleOf(it.name)
    if (rule !== undefined) expect(findings.some((finding) => finding.rule === rule)).toBe(!it.name.endsWith('-fine'))
    if (it.name.startsWith('valid-')) expect(findings.filter(({ severity }) => severity !== 'info')).toEqual([])
    await expect(text === '' ? 'valid\n' : text).toMatchFileSnapshot(it.path(GOLDEN))
  })

  // proves: pipeline 12.116
  test('each rule has a case in which it finds something, and one in which it finds nothing', () => {
    // What is known of the surroundings decides these: see rules.test.ts and cases/validate.
    const elsewhere = ['action_known', 'middleware_known', 'model_known', 'tool_known', 'capabilities_required']
    const names = cases.map(({ name }) => [ruleOf(name), name.endsWith('-fine')] as const)
    const without = RULES.map(({ name }) => name).filter(
      (rule) => !elsewhere.includes(rule) && ![true, false].every((fine) => names.some(([of, is]) => of === rule && is === fine)),
    )
    expect(without).toEqual([])
  })
})
