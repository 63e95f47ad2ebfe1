import type { Fault, FaultDetails } from '../../../kernel/index.ts'
import { Source } from '../../../text/index.ts'
import { dotFaults } from './faults.ts'

type DotCode = Parameters<typeof dotFaults.make>[0]

/** A problem in a span of the text. */
export interface DotProblem {
  readonly code: DotCode
  readonly from: number
  readonly to: number
  readonly message: string
  /** The fix, in a few words. */
  readonly fix?: string | undefined
  readonly severity?: 'error' | undefined
}

/** The maximum number of reported problems. The last one counts the rest. */
const MOST_PROBLEMS = 1000

const RULES: Readonly<Record<DotCode, string>> = {
  R1100: 'dot_syntax',
  R1101: 'dot_unterminated',
  R1102: 'dot_unsupported',
  R1103: 'dot_identifier',
  R1104: 'duplicate_attr',
  R1105: 'missing_comma',
}

/** The problems of one text. Places are computed only for the reported problems. */
export class DotProblems {
  readonly #problems: DotProblem[] = []
  #omitted = 0

  add(problem: DotProblem): void {
    if (this.#problems.length < MOST_PROBLEMS) this.#problems.push(problem)
    else this.#omitted++
  }

  /** Returns the problems as faults in the order of the text. Each line shows only its first syntax error. */
  faults(source: string, file: string | undefined): Fault[] {
    if (this.#problems.length === 0) return []
    const place = new Source(source, file)
    const sorted = this.#problems.toSorted((one, other) => one.from - other.from)
    let line = 0
    let previous: DotProblem | undefined
    const faults: Fault[] = []
    for (const problem of sorted) {
      if (problem.from === previous?.from && problem.code === previous.code) continue
      previous = problem
      const details = place.details(problem.from, problem.to - problem.from)
      if (problem.code === 'R1100' && details.line === line) continue
      if (isError(problem)) line = details.line ?? 0
      faults.push(fault(problem, details))
    }
    if (this.#omitted > 0 && previous !== undefined) {
      const message = `the text has ${this.#omitted} further mistakes, which are not shown`
      faults.push(
        fault({ code: 'R1100', from: previous.from, to: previous.to, message }, place.details(previous.from, previous.to - previous.from)),
      )
    }
    return faults
  }
}

function fault(problem: DotProblem, details: FaultDetails): Fault {
  const { fix, severity } = problem
  return dotFaults.make(problem.code, problem.message, {
    rule: RULES[problem.code],
    ...details,
    ...(fix === undefined ? {} : { fix }),
    ...(severity === undefined ? {} : { severity }),
  })
}

function isError(problem: DotProblem): boolean {
  return problem.severity === 'error' || (problem.code !== 'R1104' && problem.code !== 'R1105')
}
