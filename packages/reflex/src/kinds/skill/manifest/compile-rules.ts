import {
  type AnswerCall,
  compileExpression,
  type ExpressionFunction,
  type ExpressionRead,
  type Path,
  quote,
  suggest,
  type TextSpan,
} from '../../../text/index.ts'
import type { Manifest } from '../model/manifest.ts'
import type { CompiledRule } from './compiled.ts'
import { type ManifestReport, withDetails } from './report.ts'

/** The variables of every expression; guards also have `steps` (reference skill 1.7). Any other name is a fact of the host. */
const VARIABLES: readonly string[] = ['ctx', 'env', 'work', 'policy', 'args', 'principal', 'exec']
/** The steps of one evaluation: 10,000 elements of a loop with ten parts each. */
const STEPS = 100_000

/** The functions and the facts of a host; undefined if the host is not known. */
export interface ExpressionHost {
  readonly functions: readonly ExpressionFunction[]
  readonly isKnown: boolean
  /** Answers calls of functions that it does not have. */
  readonly answer: AnswerCall | undefined
  readonly facts: readonly string[] | undefined
}

/** Compiles the conditions of one manifest, and notes what the host lacks for them. */
export class RuleCompiler {
  readonly unknownFunctions = new Set<string>()
  readonly unknownFacts = new Set<string>()
  readonly #host: ExpressionHost
  readonly #report: ManifestReport
  readonly #slots: readonly string[]

  constructor(host: ExpressionHost, { signature }: Manifest, report: ManifestReport) {
    this.#host = host
    this.#report = report
    this.#slots = signature.inputs.map(({ name }) => name)
  }

  /** Compiles the conditions at a path. `steps`: the steps that a guard can read; undefined for conditions outside of the plan. */
  compile(texts: readonly string[], at: Path, steps?: ReadonlySet<string>): CompiledRule[] {
    return texts.flatMap((text, index) => {
      const rule = this.#rule(text, [...at, index], steps)
      return rule === undefined ? [] : [rule]
    })
  }

  #rule(text: string, path: Path, steps: ReadonlySet<string> | undefined): CompiledRule | undefined {
    const { expression, findings } = compileExpression(text, {
      functions: this.#host.functions,
      openFunctions: this.#host.answer ?? true,
      result: 'boolean',
      limits: { steps: STEPS },
      locate: (span, note) => this.#report.locate(path, { span, note }),
    })
    for (const fault of findings)
      this.#report.addFault(path, withDetails(fault, { rule: fault.code === 'R1013' ? 'E_EXPR_TYPE' : 'E_EXPR' }))
    if (expression === undefined) return undefined
    for (const { name, ...span } of expression.unknownFunctions) {
      this.unknownFunctions.add(name)
      if (this.#host.isKnown)
        this.#warn(
          'function',
          name,
          this.#host.functions.map((known) => known.name),
          path,
          span,
        )
    }
    for (const read of expression.reads) this.#read(read, path, steps)
    return { text, expression }
  }

  #read({ key, path: inner, offset, length }: ExpressionRead, path: Path, steps: ReadonlySet<string> | undefined): void {
    if (key === undefined) return
    const span = { offset, length }
    if (key === 'args') this.#checkMember('slot', inner[0], this.#slots, path, span)
    else if (key === 'steps' && steps !== undefined) this.#checkMember('earlier step', inner[0], [...steps], path, span)
    else if (key === 'steps') this.#report.add('E_EXPR', path, 'only the guards of a plan can read steps', 'use the blackboard', { span })
    else if (!VARIABLES.includes(key)) {
      if (this.#host.facts?.includes(key) === true) return
      this.unknownFacts.add(key)
      if (this.#host.facts !== undefined) this.#warn('fact', key, [...VARIABLES, ...this.#host.facts], path, span)
    }
  }

  #checkMember(noun: string, member: string | number | undefined, known: readonly string[], path: Path, span: TextSpan): void {
    if (typeof member !== 'string' || known.includes(member)) return
    const guess = suggest(member, known)
    const fix = guess === undefined ? `use one that exists` : `write ${quote(guess)}`
    this.#report.add('E_EXPR', path, `there is no ${noun} ${quote(member)}`, fix, { span, guess })
  }

  #warn(noun: string, name: string, known: readonly string[], path: Path, span: TextSpan): void {
    const guess = suggest(name, known)
    const fix =
      guess === undefined ? `register the ${noun} ${quote(name)} on the host` : `register it on the host, or write ${quote(guess)}`
    this.#report.add('W_UNBOUND', path, `the host has no ${noun} ${quote(name)}`, fix, { span, guess })
  }
}
