/** The orders that a comparison can state. */
export type Comparison = 'gt' | 'gte' | 'lt' | 'lte' | 'eq' | 'neq'

/** A condition. Operands are indexes of other formulas. `atom`: a number compared with a constant. */
export type Formula =
  | { readonly kind: 'constant'; readonly value: boolean }
  | { readonly kind: 'bit'; readonly name: string }
  | { readonly kind: 'atom'; readonly term: number; readonly by: Comparison; readonly limit: number }
  | { readonly kind: 'not'; readonly a: number }
  | { readonly kind: 'and' | 'or'; readonly a: number; readonly b: number }

const FLIPPED: Readonly<Record<Comparison, Comparison>> = { gt: 'lt', gte: 'lte', lt: 'gt', lte: 'gte', eq: 'eq', neq: 'neq' }
export const FALSE = 0
export const TRUE = 1

/** True for the name of a comparison. */
export function isComparison(op: string): op is Comparison {
  return Object.hasOwn(FLIPPED, op)
}

/** True if two numbers compare so. */
export function compares(by: Comparison, a: number, b: number): boolean {
  switch (by) {
    case 'gt':
      return a > b
    case 'gte':
      return a >= b
    case 'lt':
      return a < b
    case 'lte':
      return a <= b
    case 'eq':
      return a === b
    default:
      return a !== b
  }
}

/** Returns the comparison with its operands exchanged. */
export function flipped(by: Comparison): Comparison {
  return FLIPPED[by]
}

/** The conditions of a graph, each once: equal conditions have equal indexes. */
export class Formulas {
  readonly list: Formula[] = []
  readonly #known = new Map<string, number>()

  constructor() {
    this.#add({ kind: 'constant', value: false })
    this.#add({ kind: 'constant', value: true })
  }

  constant(value: boolean): number {
    return value ? TRUE : FALSE
  }

  bit(name: string): number {
    return this.#add({ kind: 'bit', name })
  }

  atom(term: number, by: Comparison, limit: number): number {
    return this.#add({ kind: 'atom', term, by, limit })
  }

  not(a: number): number {
    if (a === TRUE || a === FALSE) return 1 - a
    const of = this.list[a]
    return of?.kind === 'not' ? of.a : this.#add({ kind: 'not', a })
  }

  and(a: number, b: number): number {
    if (a === FALSE || b === FALSE || a === this.not(b)) return FALSE
    if (a === TRUE || a === b) return b
    return b === TRUE ? a : this.#add({ kind: 'and', a: Math.min(a, b), b: Math.max(a, b) })
  }

  or(a: number, b: number): number {
    if (a === TRUE || b === TRUE || a === this.not(b)) return TRUE
    if (a === FALSE || a === b) return b
    return b === FALSE ? a : this.#add({ kind: 'or', a: Math.min(a, b), b: Math.max(a, b) })
  }

  choose(condition: number, yes: number, no: number): number {
    if (yes === no) return yes
    return this.or(this.and(condition, yes), this.and(this.not(condition), no))
  }

  /** Returns the formulas that others are made of, themselves included: operands come before what uses them. */
  partsOf(roots: Iterable<number>): number[] {
    const seen = new Set<number>()
    const open = [...roots]
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      if (seen.has(at)) continue
      seen.add(at)
      const formula = this.list[at]
      if (formula !== undefined && 'a' in formula) open.push(formula.a, ...('b' in formula ? [formula.b] : []))
    }
    return [...seen].sort((a, b) => a - b)
  }

  #add(formula: Formula): number {
    const text = Object.values(formula).join(' ')
    const known = this.#known.get(text)
    if (known !== undefined) return known
    this.#known.set(text, this.list.length)
    return this.list.push(formula) - 1
  }
}
