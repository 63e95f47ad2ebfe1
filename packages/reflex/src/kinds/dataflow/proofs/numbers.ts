import { ANY_NUMBER, type Domain, exactly, hull, representatives } from './domain.ts'
import { compares, type Comparison, flipped, type Formulas } from './formulas.ts'
import { joined, rangeOf, rangeOfOne } from './ranges.ts'
import type { SymbolicNumber } from './symbolic-value.ts'

/** A comparison looks into choices that are nested no deeper. */
const DEEPEST_CHOICE = 6
const NONE: ReadonlySet<string> = new Set()

/** The calculation that failed. */
export interface Failing {
  readonly what: 'zero' | 'overflow'
  readonly isCertain: boolean
}

interface Calculated {
  readonly number: SymbolicNumber
  readonly suspect?: Failing
}

/** An operation on terms; `b` is `a` for one with a single operand. */
export interface Operation {
  readonly op: string
  readonly a: number
  readonly b: number
}

/** The numbers of the passes of one kind of event: equal calculations have equal terms. */
export class Numbers {
  /** The values of each term. */
  readonly domains: Domain[] = []
  /** The two numbers whose difference a term is. */
  readonly pairs = new Map<number, readonly [a: number, b: number]>()
  /** The operation that a term is the result of. */
  readonly operations = new Map<number, Operation>()
  readonly #formulas: Formulas
  readonly #terms = new Map<string, number>()
  readonly #atoms = new Map<number, ReadonlySet<string>>()

  constructor(formulas: Formulas) {
    this.#formulas = formulas
  }

  /** Returns the term of a name. */
  termOf(name: string, domain: Domain): number {
    const known = this.#terms.get(name)
    if (known !== undefined) return known
    this.#terms.set(name, this.domains.length)
    return this.domains.push(domain) - 1
  }

  /** Returns the keys of the memory on which a term depends. */
  memoryOf(term: number): ReadonlySet<string> {
    return this.#atoms.get(term) ?? NONE
  }

  /** Returns a few values of a term. */
  valuesOf(term: number): readonly number[] {
    return representatives(this.domains[term] ?? ANY_NUMBER, [0])
  }

  constant(value: number): SymbolicNumber {
    return { term: this.termOf(`constant ${value}`, exactly(value)), domain: exactly(value), constant: value, memory: NONE }
  }

  named(name: string, domain: Domain): SymbolicNumber {
    return { term: this.termOf(name, domain), domain, memory: NONE }
  }

  choose(condition: number, yes: SymbolicNumber, no: SymbolicNumber): SymbolicNumber {
    if (yes.term === no.term) return yes
    if (condition === this.#formulas.constant(true)) return yes
    if (condition === this.#formulas.constant(false)) return no
    const domain = joined(yes.domain, no.domain)
    const depth = 1 + Math.max(yes.choice?.depth ?? 0, no.choice?.depth ?? 0)
    return {
      term: this.termOf(`choose ${condition} ${yes.term} ${no.term}`, domain),
      domain,
      memory: union(yes.memory, no.memory),
      ...(depth > DEEPEST_CHOICE ? {} : { choice: { condition, yes, no, depth } }),
    }
  }

  /** Returns the formula of a comparison. */
  compare(by: Comparison, a: SymbolicNumber, b: SymbolicNumber): number {
    if (a.choice !== undefined) {
      const { condition, yes, no } = a.choice
      return this.#formulas.choose(condition, this.compare(by, yes, b), this.compare(by, no, b))
    }
    if (b.choice !== undefined) return this.compare(flipped(by), b, a)
    if (a.constant !== undefined && b.constant !== undefined) return this.#formulas.constant(compares(by, a.constant, b.constant))
    if (a.term === b.term) return this.#formulas.constant(compares(by, 0, 0))
    if (b.constant !== undefined) return this.#atom(by, a, b.constant)
    if (a.constant !== undefined) return this.#atom(flipped(by), b, a.constant)
    if (a.term > b.term) return this.compare(flipped(by), b, a)
    const { domain } = rangeOf('subtract', a.domain, b.domain)
    const difference = { term: this.termOf(`compare ${a.term} ${b.term}`, domain), domain, memory: union(a.memory, b.memory) }
    this.pairs.set(difference.term, [a.term, b.term])
    return this.#atom(by, difference, 0)
  }

  /** Returns the result of an operation on numbers, and the reason why it can fail. */
  calculate(op: string, operands: readonly SymbolicNumber[], fallback: number): Calculated {
    const [a, b = a] = operands
    if (a === undefined || b === undefined) return { number: this.constant(0) }
    const calculated = this.#calculated(op, [a, b], operands, fallback)
    this.operations.set(calculated.number.term, { op, a: a.term, b: b.term })
    return calculated
  }

  #calculated(
    op: string,
    [a, b]: readonly [SymbolicNumber, SymbolicNumber],
    operands: readonly SymbolicNumber[],
    fallback: number,
  ): Calculated {
    const memory = operands.reduce((all, operand) => union(all, operand.memory), NONE)
    const name = `${op} ${operands.map(({ term }) => term).join(' ')}`
    const result = (domain: Domain): SymbolicNumber => ({
      term: this.termOf(name, domain),
      domain,
      memory,
      ...(domain.low === domain.high && Number.isFinite(domain.low) && domain.hasZero !== true ? { constant: domain.low } : {}),
    })
    if (op === 'abs' || op === 'negate') return { number: result(rangeOfOne(op, a.domain)) }
    if (op === 'safe_divide') return { number: { term: this.termOf(`${name} ${fallback}`, ANY_NUMBER), domain: ANY_NUMBER, memory } }
    const divisor = hull(b.domain)
    if (op === 'divide' && divisor[0] <= 0 && divisor[1] >= 0) {
      const isCertain = divisor[0] === 0 && divisor[1] === 0
      return { number: result(ANY_NUMBER), suspect: { what: 'zero', isCertain } }
    }
    const { domain, overflows } = rangeOf(op, a.domain, b.domain)
    const isCertain = !(Number.isFinite(domain.low) || Number.isFinite(domain.high)) && domain.low === domain.high
    return { number: result(domain), ...(overflows ? { suspect: { what: 'overflow', isCertain } } : {}) }
  }

  #atom(by: Comparison, { term, domain, memory }: SymbolicNumber, limit: number): number {
    this.#atoms.set(term, memory)
    const [low, high] = hull(domain)
    const atLow = compares(by, low, limit)
    const isSettled = low > limit || high < limit || (low === limit && high === limit)
    return isSettled ? this.#formulas.constant(atLow) : this.#formulas.atom(term, by, limit)
  }
}

function union(a: ReadonlySet<string>, b: ReadonlySet<string>): ReadonlySet<string> {
  return a.size === 0 ? b : b.size === 0 ? a : new Set([...a, ...b])
}
