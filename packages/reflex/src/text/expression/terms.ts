import type { TextSpan } from '../place.ts'
import type { Value } from './values.ts'

export type LoopName = 'all' | 'exists' | 'exists_one' | 'map' | 'filter'

/** A loop with one variable over the elements of a list or the keys of a map. */
export interface Loop extends TextSpan {
  readonly kind: 'loop'
  readonly loop: LoopName
  readonly range: Term
  /** The slot of the loop variable among the variables of the enclosing loops. */
  readonly slot: number
  /** The condition; optional only for `map`. */
  readonly test?: Term | undefined
  /** The value that `map` computes for an element. */
  readonly value?: Term | undefined
}

export interface Call extends TextSpan {
  readonly kind: 'call'
  /** The name of the function; an operator has its name in CEL, such as `_+_`. */
  readonly name: string
  /** The span of the name. */
  readonly nameSpan: TextSpan
  /** True if it is called on a value; the value is then the first of `terms`. */
  readonly method: boolean
  readonly terms: readonly Term[]
}

/** A part of an expression, with its span of the text. */
export type Term =
  | (TextSpan & { readonly kind: 'value'; readonly value: Value })
  /** Reads a variable. */
  | (TextSpan & { readonly kind: 'name'; readonly name: string })
  /** Tests if a variable exists: `has(board.x)`, `"x" in board`. */
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

/** Returns the direct subterms of a term, in the order of evaluation. */
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

/** Returns the number of terms and their nesting depth; a chain of one operator is one level. */
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
