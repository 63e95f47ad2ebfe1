import type { parse } from '@bufbuild/cel'
import { findMistake, type ExpressionMistake } from './grammar.ts'
import { TermSpans } from './term-spans.ts'
import type { LoopName, Term } from './terms.ts'
import type { TextSpan } from '../place.ts'
import { tokensOf, withoutComments, type Token } from './tokens.ts'
import type { Value } from './values.ts'
import { quote } from '../printable.ts'
import type * as Library from '@bufbuild/cel'
import { createRequire } from 'node:module'

type Parsed = ReturnType<typeof parse>
type Expr = Parsed['expr']
type Kind<Case extends Expr['exprKind']['case']> = Extract<Expr['exprKind'], { case: Case }>

/** The visible loop variables by name, and the number of enclosing loops. */
interface Locals {
  readonly slots: ReadonlyMap<string, number>
  readonly depth: number
}

/** A term, or the syntax mistake. */
export type ParsedTerm = { readonly term: Term } | { readonly mistake: ExpressionMistake }

/**
 * Parses an expression with the parser of `@bufbuild/cel` and turns its tree into terms with their spans of the text. `whole` is the name
 * of the map of all variables. Throws only `RangeError`, if the text is nested deeper than the stack allows.
 */
export function parseTerm(text: string, whole: string | undefined, tokens: readonly Token[] = tokensOf(text)): ParsedTerm {
  const mistake = findMistake(text, tokens)
  if (mistake !== undefined) return { mistake }
  try {
    const parsed = cel().parse(withoutComments(text, tokens))
    return { term: new TermReader(parsed, tokens, whole).read(parsed.expr, { slots: new Map(), depth: 0 }) }
  } catch (error) {
    if (error instanceof RangeError) throw error
    return { mistake: error instanceof ParseFailure ? error.mistake : parserMistake(error, text, tokens) }
  }
}

class ParseFailure extends Error {
  readonly mistake: ExpressionMistake

  constructor(mistake: ExpressionMistake) {
    super(mistake.message)
    this.mistake = mistake
  }
}

/** Returns the mistake for a text that the parser refuses although each token can follow the token before it. */
function parserMistake(error: unknown, text: string, tokens: readonly Token[]): ExpressionMistake {
  const location = typeof error === 'object' && error !== null && 'location' in error ? error.location : undefined
  const start = typeof location === 'object' && location !== null && 'start' in location ? location.start : undefined
  const from = typeof start === 'object' && start !== null && 'offset' in start && typeof start.offset === 'number' ? start.offset : 0
  const token = tokens.find(({ end }) => end > from) ?? { text, start: 0, end: text.length }
  const place = { offset: token.start, length: token.end - token.start }
  if (token.text === '?') return { ...place, message: 'this ? has no :', fix: 'write condition ? value : otherwise' }
  const shown = token.text === '' ? 'the end' : quote(token.text)
  return { ...place, message: `${shown} does not belong here`, fix: 'write CEL: names, values, operators and calls' }
}

const LOOPS: Readonly<Record<string, LoopName>> = {
  all: 'all',
  exists: 'exists',
  exists_one: 'exists_one',
  existsOne: 'exists_one',
  map: 'map',
  filter: 'filter',
}

class TermReader {
  readonly #macros: Parsed['sourceInfo']
  readonly #spans: TermSpans
  readonly #whole: string | undefined

  constructor(parsed: Parsed, tokens: readonly Token[], whole: string | undefined) {
    this.#macros = parsed.sourceInfo
    this.#spans = new TermSpans(tokens)
    this.#whole = whole
  }

  read(expr: Expr, locals: Locals): Term {
    const at = this.#macros?.positions[String(expr.id)] ?? 0
    const { exprKind: kind } = expr
    switch (kind.case) {
      case 'identExpr':
        return this.#name(kind.value.name, this.#spans.wordAt(at), locals)
      case 'constExpr':
        return { kind: 'value', ...constant(kind.value, this.#spans.literalAt(at)) }
      case 'selectExpr':
        return this.#select(kind.value, at, locals)
      case 'callExpr':
        return this.#call(kind.value, at, locals)
      case 'listExpr':
        return { kind: 'list', ...this.#spans.bracketAt(at), terms: kind.value.elements.map((item) => this.read(item, locals)) }
      case 'structExpr':
        return this.#map(kind.value, at, locals)
      case 'comprehensionExpr':
        return this.#loop(expr, kind.value, at, locals)
      default:
        throw parseFailure(this.#spans.wordAt(at), 'this cannot be read', 'write CEL')
    }
  }

  #name(written: string, place: TextSpan, locals: Locals): Term {
    const name = written.startsWith('.') ? written.slice(1) : written
    const slot = written.startsWith('.') ? undefined : locals.slots.get(name)
    if (slot !== undefined) return { kind: 'local', slot, name, ...place }
    return name === this.#whole ? { kind: 'whole', ...place } : { kind: 'name', name, ...place }
  }

  #select({ operand, field, testOnly }: Kind<'selectExpr'>['value'], at: number, locals: Locals): Term {
    const of = this.read(required(operand), locals)
    const place = testOnly ? this.#spans.callAt(at) : this.#spans.fieldAfter(of, at)
    if (of.kind === 'whole') return { kind: testOnly ? 'given' : 'name', name: field, ...place }
    return { kind: testOnly ? 'has' : 'field', of, field, ...place }
  }

  #call({ function: name, target, args }: Kind<'callExpr'>['value'], at: number, locals: Locals): Term {
    const terms = args.map((arg) => this.read(arg, locals))
    if (target !== undefined) {
      const of = this.read(target, locals)
      const nameSpan = this.#spans.wordAt(this.#spans.nextStart(at))
      return { kind: 'call', name, nameSpan, method: true, terms: [of, ...terms], ...this.#spans.afterCall(of, at) }
    }
    if (isOperator(name)) return this.#operator(name, terms, at)
    return { kind: 'call', name, nameSpan: this.#spans.wordAt(at), method: false, terms, ...this.#spans.callAt(at) }
  }

  #operator(name: string, terms: readonly Term[], at: number): Term {
    const [first, second, third] = terms
    if (name === '_&&_' || name === '_||_') return this.#logic(name === '_&&_' ? 'and' : 'or', terms)
    if (first !== undefined && second !== undefined) {
      if (name === '_[_]') return this.#index(first, second, at)
      if (third !== undefined) return { kind: 'if', test: first, yes: second, no: third, ...this.#spans.spanning([first, third]) }
      if (name === '@in' && second.kind === 'whole' && first.kind === 'value' && typeof first.value === 'string')
        return { kind: 'given', name: first.value, ...this.#spans.spanning([first, second]) }
    }
    const place = terms.length === 1 ? this.#spans.fromSign(at, terms) : this.#spans.spanning(terms)
    return { kind: 'call', name, nameSpan: this.#spans.wordAt(at), method: false, terms, ...place }
  }

  /** Returns one term for a chain of one operator, independent of the tree that the parser built. */
  #logic(kind: 'and' | 'or', terms: readonly Term[]): Term {
    const place = this.#spans.spanning(terms)
    return { kind, terms: terms.flatMap((term) => (term.kind === kind ? term.terms : [term])), ...place }
  }

  #index(of: Term, at: Term, bracket: number): Term {
    const place = this.#spans.afterBracket(of, bracket)
    if (of.kind === 'whole' && at.kind === 'value' && typeof at.value === 'string') return { kind: 'name', name: at.value, ...place }
    return { kind: 'index', of, at, ...place }
  }

  #map({ messageName, entries }: Kind<'structExpr'>['value'], at: number, locals: Locals): Term {
    if (messageName !== '') {
      const place = this.#spans.wordAt(at)
      throw parseFailure(place, `there is no type ${quote(messageName)}`, 'write a map, {"key": value}')
    }
    const pairs = entries.map(({ keyKind, value }): readonly [Term, Term] => [
      this.read(required(keyKind.case === 'mapKey' ? keyKind.value : undefined), locals),
      this.read(required(value), locals),
    ])
    return { kind: 'map', entries: pairs, ...this.#spans.bracketAt(at) }
  }

  /** Reads a loop. The parser expands the loop into a fold; this method finds the condition and the value in it. */
  #loop(expr: Expr, fold: Kind<'comprehensionExpr'>['value'], at: number, locals: Locals): Term {
    const macro = this.#macros?.macroCalls[String(expr.id)]?.exprKind
    const written = macro?.case === 'callExpr' ? macro.value : undefined
    const loop = LOOPS[written?.function ?? ''] ?? 'all'
    const range = this.read(required(fold.iterRange), locals)
    const slot = locals.depth
    const inner = { slots: new Map(locals.slots).set(fold.iterVar, slot), depth: slot + 1 }
    const step = argsOf(fold.loopStep)
    const place = this.#spans.afterCall(range, at)
    if (loop === 'all' || loop === 'exists') return { kind: 'loop', loop, range, slot, test: this.read(required(step[1]), inner), ...place }
    if (loop === 'exists_one' || loop === 'filter')
      return { kind: 'loop', loop, range, slot, test: this.read(required(step[0]), inner), ...place }
    const [test, appended] = step.length === 3 ? [step[0], argsOf(step[1])[1]] : [undefined, step[1]]
    const made = appended?.exprKind.case === 'listExpr' ? appended.exprKind.value.elements[0] : undefined
    const condition = test === undefined ? undefined : this.read(test, inner)
    return { kind: 'loop', loop, range, slot, test: condition, value: this.read(required(made), inner), ...place }
  }
}

function argsOf(expr: Expr | undefined): readonly Expr[] {
  return expr?.exprKind.case === 'callExpr' ? expr.exprKind.value.args : []
}

function isOperator(name: string): boolean {
  return name.startsWith('@') || /[^\w.]/.test(name)
}

function required(expr: Expr | undefined): Expr {
  if (expr === undefined) throw new TypeError('the parser left a part of the expression out')
  return expr
}

const MAX_INT = 2n ** 63n - 1n

function constant({ constantKind: kind }: Kind<'constExpr'>['value'], place: TextSpan): TextSpan & { readonly value: Value } {
  switch (kind.case) {
    case 'nullValue':
      return { value: null, ...place }
    case 'boolValue':
    case 'stringValue':
      return { value: kind.value, ...place }
    case 'int64Value':
      if (kind.value <= MAX_INT && kind.value >= -MAX_INT - 1n) return { value: kind.value, ...place }
      throw parseFailure(place, 'the number does not fit into 64 bits', 'write a smaller number')
    case 'doubleValue':
      if (Number.isFinite(kind.value)) return { value: kind.value, ...place }
      throw parseFailure(place, 'the number is too large', 'write a smaller number')
    case 'uint64Value':
      throw parseFailure(place, 'unsigned numbers are not supported', 'write the number without u')
    default:
      throw parseFailure(place, 'bytes are not supported', 'write the text without b')
  }
}

function parseFailure(place: TextSpan, message: string, fix: string): ParseFailure {
  return new ParseFailure({ ...place, message, fix })
}

let library: typeof Library | undefined

/** Returns the CEL library. Loads it at the first call, because loading takes longer than everything else that a command loads. */
function cel(): typeof Library {
  library ??= createRequire(import.meta.url)('@bufbuild/cel') as typeof Library
  return library
}
