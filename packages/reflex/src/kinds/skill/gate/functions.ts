import type { Fault } from '../../../kernel/index.ts'
import { type AnswerCall, type ExpressionFunction, quote } from '../../../text/index.ts'
import type { FunctionAnswers } from './answers.ts'
import { faults } from './faults.ts'

/** The name, parameters and result of a function of the host: what a manifest is checked against, also where the function is not at hand. */
export type FunctionSignature = Pick<ExpressionFunction, 'name' | 'params' | 'returns'>

/** What the functions of expressions read while one decision is made. */
export interface FunctionContext {
  readonly answers: FunctionAnswers
  readonly tools: readonly string[]
  readonly roles: readonly string[]
}

/** The functions that expressions of skills can call on one host, beside those that read only their arguments. */
export interface FunctionTable {
  /** What a manifest is compiled with. */
  readonly expressionFunctions: readonly ExpressionFunction[]
  /** Names that cannot be used, or are used twice: `R1445`. */
  readonly findings: readonly Fault[]
  /** Answers a call from the decision that is being made, also for a function that this host does not have. */
  readonly answer: AnswerCall
  /** Runs work whose expressions get their answers from this context. A decision inside a function of the host has its own. */
  during<T>(context: FunctionContext, work: () => T): T
}

const NAME = /^[a-zA-Z_]\w{0,63}$/
const TAKEN: ReadonlySet<string> = new Set(
  'all bool bytes contains double duration dyn endsWith exists exists_one filter glob has has_role has_tool in int map matches semver size startsWith string timestamp true false null'.split(
    ' ',
  ),
)

/**
 * Returns the functions that expressions can call. A name that is not a word, that CEL or Reflex uses, or that comes twice is a finding, and
 * the function is left out. Expressions stay compiled for as many decisions as there are: each decision brings its own answers.
 */
export function functionTable(signatures: readonly FunctionSignature[]): FunctionTable {
  const findings: Fault[] = []
  const known = new Set<string>()
  let current: FunctionContext | undefined
  const answer: AnswerCall = (name, args) => {
    if (current === undefined) throw new Error('it is called outside a decision')
    return current.answers.answer(name, args)
  }
  const usable = signatures.filter(({ name }) => {
    const problem =
      !NAME.test(name) || TAKEN.has(name) ? 'cannot be the name of a function' : known.has(name) ? 'is declared twice' : undefined
    known.add(name)
    if (problem === undefined) return true
    const fix = 'give it a name of letters, digits and underscores that no other function has'
    findings.push(faults.make('R1445', `${quote(name)} ${problem}`, { path: name.slice(0, 64), fix }))
    return false
  })
  const own = usable.map((one): ExpressionFunction => ({ ...one, call: (...args) => answer(one.name, args) }))
  return {
    expressionFunctions: [...builtIn(() => current), ...own],
    findings,
    answer,
    during(context, work) {
      const before = current
      current = context
      try {
        return work()
      } finally {
        current = before
      }
    },
  }
}

/** The functions that read the snapshot; those that read only their arguments come from the manifest. */
function builtIn(current: () => FunctionContext | undefined): readonly ExpressionFunction[] {
  const form = { params: ['string'], returns: 'boolean' } as const
  return [
    { name: 'has_tool', ...form, call: (name) => current()?.tools.some((one) => one === name) ?? false },
    { name: 'has_role', ...form, call: (name) => current()?.roles.some((one) => one === name) ?? false },
  ]
}
