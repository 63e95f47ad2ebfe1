// proves: skill 171, skill 173, skill 174
import { describe, expect, it, vi } from 'vitest'
import { junitText } from '../../../src/learn/ci/junit.ts'
import { reasonsAgainst, testSkill } from '../../../src/learn/ci/test-skill.ts'
import { readCase } from '../../../src/learn/ci/case.ts'
import { CASE, caseOf, compiled, DEPLOY, TOOLS, withPart } from './world.ts'

const host = { tools: TOOLS }

describe('the tests of a skill', () => {
  it('pass for a skill that does what its case expects, and stops every attack', async () => {
    const report = await testSkill(compiled(DEPLOY), [caseOf()], host)
    expect(report.cases.filter(({ passed }) => !passed)).toEqual([])
    expect(report).toMatchObject({ passed: true, reasons: [], unit: { passed: 1, of: 1 }, fuzz: { passed: 60, of: 60 }, delta_cost: 0 })
    expect(report.security.of).toBeGreaterThan(15)
  })

  it('are the same in every run, byte by byte (skill 174)', async () => {
    const [one, other] = [await testSkill(compiled(DEPLOY), [caseOf()], host), await testSkill(compiled(DEPLOY), [caseOf()], host)]
    expect(JSON.stringify(one)).toBe(JSON.stringify(other))
    expect(junitText(one)).toBe(junitText(other))
  })

  it('fail for a call that the case does not answer, and reach nothing outside (skill 171)', async () => {
    const fetch = vi.spyOn(globalThis, 'fetch').mockRejectedValue(new Error('a test must not call this'))
    const unit = withPart(CASE, 'tools', [])
    const report = await testSkill(compiled(DEPLOY), [caseOf(unit)], host)
    expect(report.passed).toBe(false)
    expect(report.cases[0]?.problems[0]).toContain('the step read called orders.get {"app":"pay"}, which no tool of the case answers')
    expect(report.reasons).toContain('no unit case ends with ok, so there is nothing to mutate')
    expect(fetch).not.toHaveBeenCalled()
    fetch.mockRestore()
  })

  it('confirm what has to be confirmed, unless the case says that nobody does', async () => {
    const skill = compiled(withPart(withPart(DEPLOY, 'policy.require_confirmation', true), 'tests.fuzz.count', 0))
    const expected = { verdict: 'denied', status: 'denied', reason: 'policy.confirmation', calls: [] }
    const refused = { ...CASE, name: 'is not confirmed', confirm: false, expect: expected }
    const report = await testSkill(skill, [caseOf(), caseOf(refused)], host)
    expect(report.cases.map(({ status, problems }) => [status, problems])).toEqual([
      ['ok', []],
      ['denied', []],
    ])
  })

  it.each<[string, unknown, string]>([
    ['status', 'failed', 'status is "ok", expected "failed"'],
    ['verdict', 'denied', 'verdict is "approved", expected "denied"'],
    ['outputs', { was: 'x' }, 'outputs was is "pay", expected "x"'],
    ['writes', { 'work.other': 1 }, 'writes work.other is null, expected 1'],
    ['calls', [{ tool: 'orders.get' }], 'calls: 3 calls, expected 1'],
    ['compensations', [{ tool: 'term.exec' }], 'compensations[0]: term.exec was not called'],
  ])('name the difference in %s', async (part, value, problem) => {
    const skill = compiled(withPart(DEPLOY, 'tests.fuzz.count', 0))
    const report = await testSkill(skill, [caseOf(withPart(CASE, `expect.${part}`, value))], host)
    expect(report.cases[0]?.problems).toContain(problem)
    expect(report.reasons).toEqual(['0 of 1 unit cases passed = 0.000, needs 0.95'])
  })

  it('follow the clock of the case: a slow tool runs out of time', async () => {
    const slow = withPart(CASE, 'tools.1.latency_ms', 60_000)
    const undo = { tool: 'term.exec', match: { argv: ['resetimage', '*'] } }
    const tools = (slow['tools'] as unknown[]).concat(undo)
    const unit = {
      ...slow,
      tools,
      expect: {
        status: 'partial_failure',
        reason: 'timeout',
        compensations: [{ tool: 'term.exec', argv: ['resetimage', '--app', 'pay'] }],
      },
    }
    const report = await testSkill(compiled(withPart(DEPLOY, 'tests.fuzz.count', 0)), [caseOf(unit)], host)
    expect(report.cases[0]).toMatchObject({ passed: true, problems: [] })
  })

  it('need a unit case', async () => {
    const report = await testSkill(compiled(DEPLOY), [], host)
    expect(report.reasons[0]).toBe('there are no unit cases: name them under tests.unit_cases')
  })
})

describe('the bounds of the tests (skill 173)', () => {
  const found = {
    unit: { passed: 95, of: 100, needs: 0.95 },
    fuzz: { passed: 85, of: 100, needs: 0.85, seed: 1 },
    security: { passed: 20, of: 20 },
    delta_cost: 0,
  }
  it('are met exactly', () => expect(reasonsAgainst(found)).toEqual([]))
  it.each([
    [{ unit: { passed: 94, of: 100, needs: 0.95 } }, '94 of 100 unit cases passed = 0.940, needs 0.95'],
    [{ fuzz: { passed: 84, of: 100, needs: 0.85, seed: 1 } }, '84 of 100 mutated cases passed = 0.840, needs 0.85'],
    [{ security: { passed: 19, of: 20 } }, '1 of 20 attacks were not stopped; all must be'],
    [{ delta_cost: 0.01 }, 'it costs 1 % more than the same work without it'],
  ])('block below: %j', (part, reason) => {
    expect(reasonsAgainst({ ...found, ...part })).toEqual([reason])
  })

  it('compare the cost of the cases with the cost without the skill', async () => {
    const unit = withPart(withPart(CASE, 'tools.1.cost_usd', 0.3), 'baseline_cost_usd', 0.2)
    const report = await testSkill(compiled(withPart(DEPLOY, 'tests.fuzz.count', 0)), [caseOf(unit)], host)
    expect(report).toMatchObject({ passed: false, delta_cost: 0.5, reasons: ['it costs 50 % more than the same work without it'] })
  })
})

describe('a unit case', () => {
  it.each([
    ['{"name": "a", "expect": {}}', 'a.json: ', 'tests nothing'],
    ['{"name": "a", "expct": {"status": "ok"}}', 'a.json: ', 'expct'],
    ['{"name": "a"', 'a.json: ', ''],
  ])('that is wrong is refused with its place: %s', (text, file, part) => {
    let thrown: unknown
    try {
      readCase(text, 'a.json')
    } catch (fault) {
      thrown = fault
    }
    expect(thrown).toMatchObject({ code: 'R1495', file: 'a.json', line: 1 })
    expect((thrown as Error).message).toContain(file)
    expect((thrown as Error).message).toContain(part)
  })
})

it('a report is JUnit XML, whatever the texts are', async () => {
  const unit = withPart(withPart(CASE, 'name', 'a <b> "c" & \u0007'), 'expect', { status: 'failed' })
  const report = await testSkill(compiled(withPart(DEPLOY, 'tests.fuzz.count', 0)), [caseOf(unit)], host)
  expect(junitText(report).split('\n')).toEqual([
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<testsuites name="app.set_image@1.0.0" tests="1" failures="1">',
    '  <testsuite name="app.set_image@1.0.0 unit" tests="1" failures="1">',
    '    <testcase classname="app.set_image@1.0.0 unit" name="a &lt;b&gt; &quot;c&quot; &amp; \ufffd"><failure message="status is &quot;ok&quot;, expected &quot;failed&quot;">status is &quot;ok&quot;, expected &quot;failed&quot;</failure></testcase>',
    '  </testsuite>',
    '  <testsuite name="app.set_image@1.0.0 fuzz" tests="0" failures="0">',
    '  </testsuite>',
    '</testsuites>',
    '',
  ])
})
