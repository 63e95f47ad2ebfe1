import type { Reporter, TestModule } from 'vitest/node'
import { add, type Counts, NOTHING, report } from './counts.ts'

/** A vitest reporter that hands the counts of a run to the process that started it. */
export class CountsReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly unknown[]): void {
    const errors: Counts = { ...NOTHING, failed: unhandled.length }
    report(modules.map(countModule).reduce(add, errors))
  }
}

/** The tests of a file. An error outside of every test, such as a file that does not load, counts as a failure. */
function countModule(module: TestModule): Counts {
  const suites = [module, ...module.children.allSuites()]
  const states = [...module.children.allTests()].map((test) => test.result().state)
  const count = (state: string): number => states.filter((other) => other === state).length
  return {
    passed: count('passed'),
    failed: count('failed') + suites.filter((suite) => suite.errors().length > 0).length,
    skipped: count('skipped') + count('pending'),
  }
}
