import { ANY_NUMBER, type Domain, hull } from './domain.ts'
import type { Numbers } from './numbers.ts'
import { rangeOf, rangeOfOne } from './ranges.ts'
import { type TruthTable, valueAt, type Variable, type Work } from './truth-table.ts'

/** The most numbers whose order is judged together. */
const MOST_TERMS = 24

/** The numbers that a term can have in a row. An open end is not one of them. */
interface Span {
  readonly low: number
  readonly high: number
  readonly isLowOpen: boolean
  readonly isHighOpen: boolean
}

/** The span of each term. */
type Spans = Map<number, Span>

/** The order of two terms: the first is smaller, or smaller or equal. */
interface Order {
  readonly least: number
  readonly most: number
  readonly isStrict: boolean
}

/**
 * Returns a function that is false for a row whose conditions exclude each other although each of them is possible: an order of numbers that
 * runs in a circle, or a result that does not fit its operands. It is true where this takes too much work.
 */
export function possibleRows(table: TruthTable, numbers: Numbers, work: Work): (row: number) => boolean {
  const compared = table.variables.flatMap((variable) => (variable.term === undefined ? [] : [{ variable, term: variable.term }]))
  const terms = termsOf(
    compared.map(({ term }) => term),
    numbers,
  )
  if (compared.length === 0 || terms.length > MOST_TERMS) return () => true
  return (row) => {
    work.left -= terms.length ** 3
    if (work.left < 0) return true
    const spans: Spans = new Map(terms.map((term) => [term, spanOf(numbers.domains[term] ?? ANY_NUMBER)]))
    const orders: Order[] = terms.flatMap((term) => ordersOfOperation(term, numbers))
    for (const { variable, term } of compared) {
      const value = Number(valueAt(variable, row))
      const pair = numbers.pairs.get(term)
      const span = spans.get(term)
      if (pair === undefined && span !== undefined) spans.set(term, partAt(span, variable, value))
      if (pair !== undefined) orders.push(...ordersOf(pair, value))
    }
    return isOrder(orders) && areSpansPossible(terms, spans, orders, numbers)
  }
}

/** Returns the terms of a table and the operands that they are made of, operands first. */
function termsOf(compared: readonly number[], numbers: Numbers): number[] {
  const found = new Set(compared)
  for (const term of found) {
    const operation = numbers.operations.get(term)
    for (const operand of numbers.pairs.get(term) ?? (operation === undefined ? [] : [operation.a, operation.b])) found.add(operand)
  }
  return [...found].filter((term) => !numbers.pairs.has(term)).sort((a, b) => a - b)
}

function spanOf(domain: Domain): Span {
  const [low, high] = hull(domain)
  return { low, high, isLowOpen: false, isHighOpen: false }
}

/** Returns the part of a range in which a value lies: it is one of the limits, or lies between two of them. */
function partAt(span: Span, { limits }: Variable, value: number): Span {
  if (limits.includes(value)) return { low: value, high: value, isLowOpen: false, isHighOpen: false }
  const above = Math.max(...limits.filter((limit) => limit < value), Number.NEGATIVE_INFINITY)
  const below = Math.min(...limits.filter((limit) => limit > value), Number.POSITIVE_INFINITY)
  return {
    low: Math.max(span.low, above),
    high: Math.min(span.high, below),
    isLowOpen: above >= span.low && Number.isFinite(above),
    isHighOpen: below <= span.high && Number.isFinite(below),
  }
}

function ordersOf([a, b]: readonly [number, number], difference: number): Order[] {
  if (difference > 0) return [{ least: b, most: a, isStrict: true }]
  const order = { least: a, most: b, isStrict: difference < 0 }
  return difference < 0 ? [order] : [order, { least: b, most: a, isStrict: false }]
}

function ordersOfOperation(term: number, { operations }: Numbers): Order[] {
  const operation = operations.get(term)
  if (operation === undefined) return []
  const operands = [operation.a, operation.b]
  if (operation.op === 'min') return operands.map((most) => ({ least: term, most, isStrict: false }))
  return operation.op === 'max' || operation.op === 'abs' ? operands.map((least) => ({ least, most: term, isStrict: false })) : []
}

/** True unless a number would have to be smaller than itself. */
function isOrder(orders: readonly Order[]): boolean {
  return orders.every(({ least, most, isStrict }) => {
    if (!isStrict) return true
    const above = new Set([most])
    for (const at of above) for (const order of orders) if (order.least === at) above.add(order.most)
    return !above.has(least)
  })
}

/** True unless a term has no value left once each range is cut to what its operands and the order leave. */
function areSpansPossible(terms: readonly number[], spans: Spans, orders: readonly Order[], numbers: Numbers): boolean {
  for (let round = 0; round < 2; round++) {
    for (const { least, most, isStrict } of orders) {
      const [a, b] = [spans.get(least), spans.get(most)]
      if (a === undefined || b === undefined) continue
      spans.set(most, cut(b, { ...a, high: Number.POSITIVE_INFINITY, isHighOpen: false, isLowOpen: a.isLowOpen || isStrict }))
      spans.set(least, cut(a, { ...b, low: Number.NEGATIVE_INFINITY, isLowOpen: false, isHighOpen: b.isHighOpen || isStrict }))
    }
    for (const term of terms) {
      const [span, result] = [spans.get(term), resultOf(term, spans, numbers)]
      if (span !== undefined && result !== undefined) spans.set(term, cut(span, result))
    }
  }
  return [...spans.values()].every(hasNumber)
}

/** Returns the range of a result from those of its operands. Ends count as closed: rounding can reach them. */
function resultOf(term: number, spans: Spans, { operations }: Numbers): Span | undefined {
  const operation = operations.get(term)
  const [a, b] = [
    operation === undefined ? undefined : spans.get(operation.a),
    operation === undefined ? undefined : spans.get(operation.b),
  ]
  if (operation === undefined || a === undefined || b === undefined || !hasNumber(a) || !hasNumber(b)) return undefined
  const { op } = operation
  if (op === 'safe_divide') return undefined
  return spanOf(op === 'abs' || op === 'negate' ? rangeOfOne(op, a) : rangeOf(op, a, b).domain)
}

function cut(a: Span, b: Span): Span {
  return {
    low: Math.max(a.low, b.low),
    high: Math.min(a.high, b.high),
    isLowOpen: (a.isLowOpen && a.low >= b.low) || (b.isLowOpen && b.low >= a.low),
    isHighOpen: (a.isHighOpen && a.high <= b.high) || (b.isHighOpen && b.high <= a.high),
  }
}

function hasNumber({ low, high, isLowOpen, isHighOpen }: Span): boolean {
  return low < high || (low === high && !isLowOpen && !isHighOpen)
}
