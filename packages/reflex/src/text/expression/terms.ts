import type { TextSpan } from '../place.ts'
import type { Value } from './values.ts'

export type LoopName = 'all' | 'exists' | 'exists_one' | 'map' | 'filter'

/** Goes over the elements of a list, or the keys of a map, with one variable. */
export interface Loop extends TextSpan {
  readonly kind: 'loop'
  readonly loop: LoopName
  readonly range: Term
  /** Where the variable's value stands among those of the loops around it. */
  readonly slot: number
  /** The condition; only `map` may be without one. */
  readonly test?: Term | undefined
  /** What `map` makes of an element. */
  readonly value?: Term | undefined
}

export interface Call extends TextSpan {
  readonly kind: 'call'
  /** The function's name; operators are called as CEL calls them, such as `_+_`. */
  readonly name: string
  /** Where the name stands. */
  readonly nameSpan: TextSpan
  /** Whether it was called on a value, which then is the first of `terms`. */
  readonly method: boolean
  readonly terms: readonly Term[]
}

/** A part of an expression. Every part knows its stretch of the text. */
export type Term =
  | (TextSpan & { readonly kind: 'value'; readonly value: Value })
  /** Reads a variable. */
  | (TextSpan & { readonly kind: 'name'; readonly name: string })
  /** Asks whether a variable is there: `has(board.x)`, `"x" in board`. */
  | (TextSpan & { readonly kind: 'given'; readonly name: string })
  /** All variables as a map. */
  | (TextSpan & { readonly kind: 'whole' })
  | (TextSpan & { readonly kind: 'local'; readonly slot: number; readonly name: string })
  | (TextSpan & { readonly kind: 'field'; readonly of: Term; readonly field: string })
  | (TextSpan & { readonly kind: 'has'; readonly of: Term; readonly field: string })
  | (TextSpan & { readonly kind: 'index'; readonly of: Term; readonly at: Term })
  | (TextSpan & { readonly kind: 'and' | 'or'; readonly terms: readonly Term[] })
  | (TextSpan & { readonly kind: 'if'; readonly test: Term; readonly yes: Term; readonly no: Term })
  | (TextSpan & { readonly kind: 'list'; readonly terms: readonly Term[] })
  | (TextSpan & { readonly kind: 'map'; readonly entries: readonly (readonly [Term, Term])[] })
  | Call
  | Loop

/** The terms directly inside a term, in the order of evaluation. */
export function subterms(term: Term): readonly Term[] {
  switch (term.kind) {
    case 'field':
    case 'has':
      return [term.of]
    case 'index':
      return [term.of, term.at]
    case 'if':
      return [term.test, term.yes, term.no]
    case 'map':
      return term.entries.flat()
    case 'loop':
      return [term.range, term.test, term.value].filter((inner) => inner !== undefined)
    case 'and':
    case 'or':
    case 'list':
    case 'call':
      return term.terms
    default:
      return []
  }
}

/** How many terms there are, and how deep they stand in each other; a chain of one operator is one level. */
export function measure(term: Term): { readonly terms: number; readonly depth: number } {
  let terms = 1
  let depth = 0
  for (const inner of subterms(term)) {
    const measured = measure(inner)
    terms += measured.terms
    depth = Math.max(depth, measured.depth - (sameChain(term, inner) ? 1 : 0))
  }
  return { terms, depth: depth + 1 }
}

function sameChain(term: Term, inner: Term): boolean {
  if (term.kind === 'call') return inner.kind === 'call' && inner.name === term.name && inner === term.terms[0]
  if (term.kind === 'if') return inner.kind === 'if' && inner === term.no
  return (term.kind === 'field' || term.kind === 'index') && (inner.kind === 'field' || inner.kind === 'index') && inner === term.of
}
