import type { CiReport } from '../../learn/ci/test-skill.ts'
import { plainJson } from '../../protocol/plain.ts'
import type { Console } from '../console.ts'
import { EXIT } from '../exit.ts'
import { commandHint, factLine, hangingLines } from '../layout.ts'
import { percent } from './text.ts'

/** Prints the result of the tests of a skill. Returns the exit code: 1 if they have failed. */
export function printReport(console: Console, report: CiReport, isNew: boolean): number {
  const { out, shape, err } = console
  const { skill, version, passed, unit, fuzz, security, delta_cost, cases, reasons } = report
  const name = `${skill}@${version}`
  if (shape !== 'text') console.document(plainJson({ v: 1, kept: isNew, report }))
  else {
    const cost = delta_cost === 0 ? [] : [`cost ${delta_cost > 0 ? '+' : '−'}${percent(Math.abs(delta_cost))}`]
    const facts = [
      `${unit.passed} of ${unit.of} unit cases`,
      `${fuzz.passed} of ${fuzz.of} mutated cases`,
      `${security.passed} of ${security.of} attacks stopped`,
      ...cost,
    ]
    const lead = `${out.mark(passed ? 'done' : 'failed')} ${name}`
    console.print(factLine(lead, lead, facts, out))
    for (const one of cases.filter((result) => !result.passed))
      console.print(hangingLines(`${one.name}: ${one.problems.join('; ')}`, out, 2, (text) => text))
    if (!console.quiet)
      console.report([...reasons, ...(passed ? [commandHint(err, 'next', console.command('skill', 'approve', name, '--by', 'NAME'))] : [])])
  }
  return passed ? EXIT.done : EXIT.no
}
