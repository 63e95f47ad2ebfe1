import type { Fault, FaultDetails } from '../../kernel/journal/fault.ts'
import type { Json } from '../../kernel/journal/json.ts'
import { nameText } from './access.ts'
import { checkTerm } from './check.ts'
import { codeOf } from './evaluate.ts'
import type { Code, Variables } from './code.ts'
import type { ExpressionFunction } from './functions.ts'
import { findTooDeep } from './grammar.ts'
import { parseTerm } from './parse.ts'
import { readsOf, type ExpressionRead } from './reads.ts'
import { measure, type Term } from './terms.ts'
import type { TextSpan } from '../place.ts'
import { tokensOf } from './tokens.ts'
import { Meter, Refusal, toJson, type FailureReason } from './values.ts'
import { faults } from '../faults.ts'
import { Source } from '../source.ts'
import { didYouMean } from '../suggest.ts'

/** How large an expression may be, and how much one evaluation may do. All are counted, none is timed. */
export interface ExpressionLimits {
  /** UTF-16 units of text. */
  readonly characters: number
  /** Parts of the expression: names, values, operators, calls. */
  readonly terms: number
  /** How deep parts may stand in each other; a chain of one operator is one level. */
  readonly depth: number
  /** What an evaluation may spend: a step for each part evaluated in a loop and each element compared, more for long texts. */
  readonly steps: number
}

export interface ExpressionOptions {
  /** The variables that exist; without them any name may. */
  readonly names?: Iterable<string> | undefined
  /** The name of the variable that is the map of all variables, such as `board`. It hides a variable of that name. */
  readonly allVariables?: string | undefined
  readonly functions?: readonly ExpressionFunction[] | undefined
  /** `boolean` refuses what can only give something else. */
  readonly result?: 'boolean' | undefined
  readonly limits?: Partial<ExpressionLimits> | undefined
  /** Says where a stretch of the expression stands in a file; without it findings show the expression itself. */
  readonly locate?: ((span: TextSpan, note?: string) => FaultDetails) | undefined
  /** The code that the reader's own rules give to a bad expression. */
  readonly rule?: string | undefined
}

/** Why an evaluation gave no value, and which part of the text failed. */
export interface ExpressionFailure extends TextSpan {
  readonly reason: FailureReason
  readonly message: string
  /** `did you mean "total"?` */
  readonly note?: string | undefined
}

export type Evaluation = { readonly ok: true; readonly value: Json } | { readonly ok: false; readonly failure: ExpressionFailure }

/** Steps that several evaluations may take together. */
export interface StepBudget {
  left: number
}

/** An expression in CEL, ready to be evaluated any number of times. */
export interface Expression {
  readonly text: string
  /** Every place at which it looks at a variable, in the order of the text. */
  readonly reads: readonly ExpressionRead[]
  /**
   * The value for these variables. Never throws, and ends after a number of steps that depends on text and variables
   * alone. Values are read where they stand: a variable that the expression does not look at costs nothing. With a
   * purse it pays from it, and fails for `steps` when that is empty.
   */
  evaluate(variables: Variables, budget?: StepBudget): Evaluation
  /** Shows a stretch of the expression, with a note, for a fault. */
  details(span: TextSpan, note?: string): FaultDetails
}

/** The expression, unless it has errors, and what was found. */
export interface CompiledExpression {
  readonly expression?: Expression
  readonly findings: readonly Fault[]
}

const NO_SPAN: TextSpan = { offset: 0, length: 0 }
const LIMITS: ExpressionLimits = { characters: 2000, terms: 500, depth: 32, steps: 1_000_000 }

/**
 * Reads and checks an expression in CEL. Never throws.
 *
 * Findings: `R1016` for what is not CEL, `R1017` for names that are not known, `R1018` for functions that are not known
 * or are called wrongly, `R1019` beyond the limits, `R1013` for what can only be of a wrong type.
 */
export function compileExpression(text: string, options: ExpressionOptions = {}): CompiledExpression {
  const limits = { ...LIMITS, ...options.limits }
  const rule = options.rule === undefined ? {} : { rule: options.rule }
  const show = frameMaker(text)
  const locate = (span: TextSpan, note?: string): FaultDetails => ({
    ...rule,
    ...show(span, note),
    ...options.locate?.(span, note),
  })
  if (typeof text !== 'string')
    return { findings: [faults.make('R1016', 'the expression is no text', { ...rule, ...options.locate?.(NO_SPAN) })] }
  const read = readTerm(text, limits, options.allVariables, locate)
  if ('findings' in read) return read
  const functions = new Map(options.functions?.map((host) => [host.name, host]))
  const names = options.names === undefined ? undefined : new Set(options.names)
  const findings = checkTerm(read.term, { names, functions, result: options.result, locate })
  if (findings.length > 0) return { findings }
  const missing = (name: string): string =>
    options.allVariables === undefined ? `there is no ${nameText(name)}` : `${nameText(name)} is not on the ${options.allVariables}`
  const code = codeOf(read.term, { text, missing, functions })
  return { expression: new ParsedExpression(text, read.term, code, limits.steps), findings }
}

/** Shows stretches of the expression by itself: line and column would mean nothing without a file. */
function frameMaker(text: string): (stretch: TextSpan, note?: string) => FaultDetails {
  let source: Source | undefined
  return ({ offset, length }, note) => {
    source ??= new Source(text)
    const { frame } = source.details(offset, length, note)
    return frame === undefined ? {} : { frame }
  }
}

function readTerm(
  text: string,
  limits: ExpressionLimits,
  whole: string | undefined,
  locate: (stretch: TextSpan, note?: string) => FaultDetails,
): { readonly term: Term } | { readonly findings: readonly Fault[] } {
  const tooLarge = (message: string, stretch: TextSpan): { readonly findings: readonly Fault[] } => {
    const fix = 'split the condition, or compute a part of it before and write it to a variable'
    return { findings: [faults.make('R1019', message, { ...locate(stretch), fix })] }
  }
  if (text.length > limits.characters)
    return tooLarge(`the expression has ${text.length} characters, ${limits.characters} are allowed`, { offset: 0, length: 1 })
  const tokens = tokensOf(text)
  const tooDeepToken = findTooDeep(tokens, limits.depth)
  if (tooDeepToken !== undefined)
    return tooLarge(`brackets stand more than ${limits.depth} deep`, { offset: tooDeepToken.start, length: 1 })
  try {
    const read = parseTerm(text, whole, tokens)
    if ('mistake' in read) {
      const { offset, length, message, note, fix } = read.mistake
      return { findings: [faults.make('R1016', message, { ...locate({ offset, length }, note), fix })] }
    }
    const { terms, depth } = measure(read.term)
    if (terms > limits.terms) return tooLarge(`the expression has ${terms} parts, ${limits.terms} are allowed`, { offset: 0, length: 1 })
    if (depth > limits.depth)
      return tooLarge(`the expression is ${depth} levels deep, ${limits.depth} are allowed`, { offset: 0, length: 1 })
    return read
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return tooLarge('the expression is nested too deeply to be read', { offset: 0, length: 1 })
  }
}

class ParsedExpression implements Expression {
  readonly text: string
  readonly reads: readonly ExpressionRead[]
  readonly #term: Term
  readonly #code: Code
  readonly #steps: number
  readonly details: Expression['details']

  constructor(text: string, term: Term, code: Code, steps: number) {
    this.text = text
    this.details = frameMaker(text)
    this.reads = readsOf(term)
    this.#term = term
    this.#code = code
    this.#steps = steps
  }

  evaluate(variables: Variables, budget?: StepBudget): Evaluation {
    const meter = new Meter(Math.min(this.#steps, budget?.left ?? this.#steps))
    const value = this.#attempt(variables, meter)
    if (budget !== undefined) budget.left -= meter.spent
    if (!(value instanceof Refusal)) return { ok: true, value }
    const { reason, message, guess } = value
    const note = didYouMean(guess?.())
    const place = value.offset < 0 ? this.#term : value
    return {
      ok: false,
      failure: { reason, message, ...(note === undefined ? {} : { note }), offset: place.offset, length: place.length },
    }
  }

  /** A board of somebody else's making may throw when it is read, and a text may outgrow what JavaScript can hold. */
  #attempt(variables: Variables, meter: Meter): Json | Refusal {
    try {
      const value = this.#code({ variables, meter, slots: [] })
      return typeof value === 'boolean' ? value : toJson(value, meter)
    } catch (error) {
      if (error instanceof RangeError) return new Refusal('steps', 'too much to compute')
      return new Refusal('function', `a variable could not be read: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
}
