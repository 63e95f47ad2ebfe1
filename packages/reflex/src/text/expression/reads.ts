import { subterms, type Term } from './terms.ts'
import type { TextSpan } from '../place.ts'

/** A place in an expression that reads a variable. */
export interface ExpressionRead extends TextSpan {
  /** The name of the variable; undefined if the expression reads all variables or computes the name. */
  readonly key: string | undefined
  /** The part of the value that is read, as far as the text names it: `order.items[0]` reads `["items", 0]` of `order`. */
  readonly path: readonly (string | number)[]
  /** `value` reads the value; `presence` only tests if the variable exists. */
  readonly what: 'value' | 'presence'
  /**
   * True if the expression has a value although the variable does not exist: it only tests for presence, or it reads the variable after a
   * successful test, as in `has(board.total) && board.total > 5`.
   */
  readonly isOptional: boolean
}

/** Returns every read of a variable in a term, in the order of the text. */
export function readsOf(term: Term): ExpressionRead[] {
  return variableReads(term)
    .map((look) => ({ ...look.read, isOptional: isOptionalRead(term, look) }))
    .sort((a, b) => a.offset - b.offset)
}

interface VariableRead {
  readonly read: Omit<ExpressionRead, 'isOptional'>
  /** The term that fails if the variable does not exist. */
  readonly at: Term
}

/** Returns the reads in a term. A variable with the fields and elements behind it is one read. */
function variableReads(term: Term): VariableRead[] {
  const { root, path } = follow(term)
  const { offset, length } = term
  if (root.kind === 'name') return [{ read: { key: root.name, path, what: 'value', offset, length }, at: root }]
  if (root.kind === 'given') return [{ read: { key: root.name, path: [], what: 'presence', offset, length }, at: root }]
  if (root.kind === 'whole') return [{ read: { key: undefined, path: [], what: 'value', offset, length }, at: root }]
  return subterms(term).flatMap(variableReads)
}

/** Returns the innermost operand of a chain of fields and elements, and the path that the text names. */
function follow(term: Term): { readonly root: Term; readonly path: readonly (string | number)[] } {
  const path: (string | number)[] = []
  let root = term
  for (;;) {
    const step = stepOf(root)
    if (step === undefined) return { root, path }
    path.unshift(step.step)
    root = step.of
  }
}

function stepOf(term: Term): { readonly of: Term; readonly step: string | number } | undefined {
  if (term.kind === 'field' || term.kind === 'has') return { of: term.of, step: term.field }
  if (term.kind !== 'index' || term.at.kind !== 'value') return undefined
  const { value } = term.at
  if (typeof value === 'string') return { of: term.of, step: value }
  return typeof value === 'bigint' ? { of: term.of, step: Number(value) } : undefined
}

/** The possible outcomes of a term. `fails` means that the examined read fails. */
interface Outcomes {
  readonly yes: boolean
  readonly no: boolean
  readonly fails: boolean
}

const EITHER: Outcomes = { yes: true, no: true, fails: false }
const FAILS: Outcomes = { yes: false, no: false, fails: true }
const YES: Outcomes = { yes: true, no: false, fails: false }
const NO: Outcomes = { yes: false, no: true, fails: false }

function isOptionalRead(term: Term, { read, at }: VariableRead): boolean {
  // A computed name is looked up in the map of all variables. The map always exists; the key is unknown before the evaluation.
  if (read.key === undefined) return !isLookedUp(term, at)
  return read.what === 'presence' || !outcomes(term, read.key, at).fails
}

/** True if a single variable is taken from the map of all variables. */
function isLookedUp(term: Term, whole: Term): boolean {
  return (term.kind === 'index' && term.of === whole) || subterms(term).some((inner) => isLookedUp(inner, whole))
}

/** Returns the possible outcomes of a term if the variable does not exist and nothing else fails. */
function outcomes(term: Term, key: string, at: Term): Outcomes {
  if (term === at) return FAILS
  switch (term.kind) {
    case 'given':
      return term.name === key ? NO : EITHER
    case 'value':
      return term.value === true ? YES : term.value === false ? NO : EITHER
    case 'and':
      return term.terms.map((side) => outcomes(side, key, at)).reduce(combineAnd)
    case 'or':
      return negate(term.terms.map((side) => negate(outcomes(side, key, at))).reduce(combineAnd))
    case 'if':
      return combineIf(outcomes(term.test, key, at), outcomes(term.yes, key, at), outcomes(term.no, key, at))
    case 'call': {
      const [first] = term.terms
      if (term.name === '!_' && first !== undefined) return negate(outcomes(first, key, at))
      break
    }
    default:
  }
  const fails = subterms(term).some((inner) => outcomes(inner, key, at).fails)
  return { ...EITHER, fails }
}

/** Combines the two sides of `&&`: if one side is false, the result is false, whatever the other side is. */
function combineAnd(left: Outcomes, right: Outcomes): Outcomes {
  return {
    yes: left.yes && right.yes,
    no: left.no || right.no,
    fails: (left.fails && (right.yes || right.fails)) || (right.fails && (left.yes || left.fails)),
  }
}

function negate({ yes, no, fails }: Outcomes): Outcomes {
  return { yes: no, no: yes, fails }
}

function combineIf(test: Outcomes, yes: Outcomes, no: Outcomes): Outcomes {
  return {
    yes: (test.yes && yes.yes) || (test.no && no.yes),
    no: (test.yes && yes.no) || (test.no && no.no),
    fails: test.fails || (test.yes && yes.fails) || (test.no && no.fails),
  }
}
