import { equalJson, type Json, type JsonObject } from '../../kernel/index.ts'
import type { UnitCase } from './case.ts'
import { type CaseCall, isMatch } from './recorded-tools.ts'
import type { CaseRun } from './run-case.ts'

/** Compares what happened with what a case expects. Returns every difference in words. */
export function checkCase({ expect }: UnitCase, run: CaseRun): readonly string[] {
  const [outcome] = run.outcomes
  const decision = run.decisions.at(-1)
  const missing = outcome?.missing?.map(({ slot }) => slot) ?? decision?.missing ?? []
  return [
    ...commonProblems(run),
    ...differs('verdict', expect.verdict, decision?.verdict).map((text) =>
      decision === undefined || decision.verdict === 'approved' ? text : `${text}; the gate says ${decision.reason}`,
    ),
    ...differs('status', expect.status, outcome?.status),
    ...differs('reason', expect.reason, outcome?.reason),
    ...differs('missing', expect.missing === undefined ? undefined : [...expect.missing].sort(), [...missing].sort()),
    ...partDiffers('outputs', expect.outputs, outcome?.outputs ?? {}),
    ...partDiffers('writes', expect.writes, run.writes),
    ...callProblems(
      'calls',
      expect.calls,
      run.calls.filter((call) => !isUndo(call)),
    ),
    ...callProblems('compensations', expect.compensations, run.calls.filter(isUndo)),
  ]
}

/** What is wrong in any test: a call without an answer, or an execution without an outcome. */
export function commonProblems({ calls, broken }: CaseRun): readonly string[] {
  const unmatched = calls.filter(({ result }) => result === 'unmatched')
  return [
    ...unmatched.map(
      ({ step, tool, argv, args }) => `the step ${step} called ${tool} ${JSON.stringify(argv ?? args)}, which no tool of the case answers`,
    ),
    ...(broken === undefined ? [] : [`the skill broke off: ${broken}`]),
  ]
}

/** True for a call of a compensation. */
export function isUndo({ step }: Pick<CaseCall, 'step'>): boolean {
  return /^undo\d+$/.test(step)
}

function differs(what: string, expected: Json | undefined, found: unknown): readonly string[] {
  if (expected === undefined || equalJson(expected, found ?? null)) return []
  return [`${what} is ${JSON.stringify(found ?? null)}, expected ${JSON.stringify(expected)}`]
}

/** Compares the values that are expected by name; others may be there. */
function partDiffers(what: string, expected: JsonObject | undefined, found: JsonObject): readonly string[] {
  return Object.entries(expected ?? {}).flatMap(([name, value]) =>
    differs(`${what} ${name}`, value, Object.hasOwn(found, name) ? found[name] : null),
  )
}

function callProblems(what: string, expected: UnitCase['expect']['calls'], found: readonly CaseCall[]): readonly string[] {
  if (expected === undefined) return []
  const problems = expected.flatMap((one, index) => {
    const call = found[index]
    if (call === undefined) return [`${what}[${index}]: ${one.tool} was not called`]
    if (call.tool === one.tool && isMatch(one, call)) return []
    return [
      `${what}[${index}] is ${call.tool} ${JSON.stringify(call.argv ?? call.args)}, expected ${one.tool} ${JSON.stringify(one.argv ?? one.args ?? {})}`,
    ]
  })
  return found.length > expected.length ? [...problems, `${what}: ${found.length} calls, expected ${expected.length}`] : problems
}
