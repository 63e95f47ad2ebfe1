import { type Fault, type FaultDetails, type Json, thrownMessage } from '../../kernel/index.ts'
import { nameText } from './access.ts'
import { checkTerm, unknownCalls } from './check.ts'
import { codeOf } from './evaluate.ts'
import type { Code, Variables } from './code.ts'
import type { AnswerCall, ExpressionFunction } from './functions.ts'
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

/** Limits on the size of an expression and on the work of one evaluation. The work is counted, not timed. */
export interface ExpressionLimits {
  /** The length of the text in UTF-16 units. */
  readonly characters: number
  /** The number of parts: names, values, operators, calls. */
  readonly terms: number
  /** The nesting depth of parts; a chain of one operator is one level. */
  readonly depth: number
  /** The steps of one evaluation: one for each part evaluated in a loop and each element compared, more for long texts. */
  readonly steps: number
}

export interface ExpressionOptions {
  /** The names of the existing variables; if absent, every name is allowed. */
  readonly names?: Iterable<string> | undefined
  /** The name of the variable that is the map of all variables, such as `board`. It hides a variable of that name. */
  readonly allVariables?: string | undefined
  readonly functions?: readonly ExpressionFunction[] | undefined
  /** True: a call of an unknown function is allowed, is listed in `unknownFunctions`, and fails when it is evaluated. A function answers it. */
  readonly openFunctions?: boolean | AnswerCall | undefined
  /** `boolean` refuses an expression that can never be true or false. */
  readonly result?: 'boolean' | undefined
  readonly limits?: Partial<ExpressionLimits> | undefined
  /** Returns the place of a span of the expression in a file. If absent, findings show the expression itself. */
  readonly locate?: ((span: TextSpan, note?: string) => FaultDetails) | undefined
  /** The code of an invalid expression in the rules of the caller. */
  readonly rule?: string | undefined
}

/** The reason why an evaluation has no value, and the span of text that failed. */
export interface ExpressionFailure extends TextSpan {
  readonly reason: FailureReason
  readonly message: string
  /** `did you mean "total"?` */
  readonly note?: string | undefined
}

export type Evaluation = { readonly ok: true; readonly value: Json } | { readonly ok: false; readonly failure: ExpressionFailure }

/** A number of steps that several evaluations share. */
export interface StepBudget {
  left: number
}

/** A compiled CEL expression. It can be evaluated any number of times. */
export interface Expression {
  readonly text: string
  /** Every read of a variable, in the order of the text. */
  readonly reads: readonly ExpressionRead[]
  /** The calls of functions that do not exist, in the order of the text. Empty unless `openFunctions` allows them. */
  readonly unknownFunctions: readonly UnknownFunction[]
  /**
   * Evaluates the expression with these variables. Never throws. Ends after a number of steps that depends only on the text and the
   * variables. Values are not copied, and a variable that the expression does not read costs nothing. With a budget, the steps are taken
   * from the budget, and the evaluation fails with the reason `steps` when the budget is empty.
   */
  evaluate(variables: Variables, budget?: StepBudget): Evaluation
  /** Returns the details of a fault for a span of the expression, with a note. */
  details(span: TextSpan, note?: string): FaultDetails
}

/** A call of a function that does not exist: its name and the span of the name. */
export interface UnknownFunction extends TextSpan {
  readonly name: string
}

/** The compiled expression, absent if it has errors, and the findings. */
export interface CompiledExpression {
  readonly expression?: Expression
  readonly findings: readonly Fault[]
}

const NO_SPAN: TextSpan = { offset: 0, length: 0 }
const LIMITS: ExpressionLimits = { characters: 2000, terms: 500, depth: 32, steps: 1_000_000 }

/**
 * Parses and checks a CEL expression. Never throws.
 *
 * Findings: `R1016` for text that is not CEL, `R1017` for unknown names, `R1018` for unknown functions and wrong calls, `R1019` for an
 * expression beyond the limits, `R1013` for a value that can only have a wrong type.
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
    return { findings: [faults.make('R1016', 'the expression is not a text', { ...rule, ...options.locate?.(NO_SPAN) })] }
  const read = readTerm(text, limits, options.allVariables, locate)
  if ('findings' in read) return read
  const functions = new Map(options.functions?.map((host) => [host.name, host]))
  const names = options.names === undefined ? undefined : new Set(options.names)
  const findings = checkTerm(read.term, { names, functions, openFunctions: isOpen(options.openFunctions), result: options.result, locate })
  if (findings.length > 0) return { findings }
  const missing = (name: string): string =>
    options.allVariables === undefined ? `there is no ${nameText(name)}` : `${nameText(name)} is not on the ${options.allVariables}`
  const answer = typeof options.openFunctions === 'function' ? options.openFunctions : undefined
  const code = codeOf(read.term, { text, missing, functions, answer })
  return { expression: new ParsedExpression(text, read.term, code, limits.steps, unknownCalls(read.term, functions)), findings }
}

function isOpen(openFunctions: ExpressionOptions['openFunctions']): boolean {
  return openFunctions === true || typeof openFunctions === 'function'
}

/** Returns a function that shows spans of the expression by itself. Line and column have no meaning without a file. */
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
    const fix = 'split the condition, or compute a part of it earlier and write it to a variable'
    return { findings: [faults.make('R1019', message, { ...locate(stretch), fix })] }
  }
  if (text.length > limits.characters)
    return tooLarge(`the expression has ${text.length} characters; at most ${limits.characters} are allowed`, { offset: 0, length: 1 })
  const tokens = tokensOf(text)
  const tooDeepToken = findTooDeep(tokens, limits.depth)
  if (tooDeepToken !== undefined)
    return tooLarge(`brackets are nested more than ${limits.depth} levels deep`, { offset: tooDeepToken.start, length: 1 })
  try {
    const read = parseTerm(text, whole, tokens)
    if ('mistake' in read) {
      const { offset, length, message, note, fix } = read.mistake
      return { findings: [faults.make('R1016', message, { ...locate({ offset, length }, note), fix })] }
    }
    const { terms, depth } = measure(read.term)
    if (terms > limits.terms)
      return tooLarge(`the expression has ${terms} parts; at most ${limits.terms} are allowed`, { offset: 0, length: 1 })
    if (depth > limits.depth)
      return tooLarge(`the expression is ${depth} levels deep; at most ${limits.depth} are allowed`, { offset: 0, length: 1 })
    return read
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return tooLarge('the expression is nested too deeply to be read', { offset: 0, length: 1 })
  }
}

class ParsedExpression implements Expression {
  readonly text: string
  readonly reads: readonly ExpressionRead[]
  readonly unknownFunctions: readonly UnknownFunction[]
  readonly #term: Term
  readonly #code: Code
  readonly #steps: number
  readonly details: Expression['details']

  constructor(text: string, term: Term, code: Code, steps: number, unknownFunctions: readonly UnknownFunction[]) {
    this.text = text
    this.unknownFunctions = unknownFunctions
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

  /**
   * Evaluates the expression and turns exceptions into failures: a custom board can throw when it is read, and a text can grow beyond the
   * limits of JavaScript.
   */
  #attempt(variables: Variables, meter: Meter): Json | Refusal {
    try {
      const value = this.#code({ variables, meter, slots: [] })
      return typeof value === 'boolean' ? value : toJson(value, meter)
    } catch (error) {
      if (error instanceof RangeError) return new Refusal('steps', 'too much to compute')
      return new Refusal('function', `a variable could not be read: ${thrownMessage(error)}`)
    }
  }
}
