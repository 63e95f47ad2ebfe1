import { compares, type Formulas } from './formulas.ts'
import { type Domain, representatives } from './domain.ts'

/** The most assignments of one table: 20 conditions. */
const MOST_ROWS = 2 ** 20

/** The work that the proofs of a graph may take, in steps. Beyond it, nothing is known. */
export interface Work {
  left: number
}

/** A part of an assignment: a bit, or a number in one of its ranges. */
export interface Variable {
  readonly name: string
  /** The index of the number; absent for a bit. */
  readonly term?: number
  readonly values: readonly (number | boolean)[]
  /** The numbers that it is compared with. */
  readonly limits: readonly number[]
  /** The number of rows after which its value changes. */
  readonly stride: number
}

/** Formulas for every assignment of what they depend on. */
export interface TruthTable {
  readonly rows: number
  readonly variables: readonly Variable[]
  /** 1 for each row in which a formula is true. */
  readonly columns: ReadonlyMap<number, Uint8Array>
}

/** Returns the table of formulas; undefined if it takes too much work. `bits`: further bits of its assignments. */
export function truthTable(
  formulas: Formulas,
  terms: readonly Domain[],
  roots: readonly number[],
  work: Work,
  bits: readonly string[] = [],
): TruthTable | undefined {
  const parts = formulas.partsOf(roots)
  const variables = variablesOf(formulas, terms, parts, bits)
  const rows = variables.reduce((product, { values }) => product * values.length, 1)
  if (rows > MOST_ROWS) return undefined
  work.left -= rows * (parts.length + 1)
  if (work.left < 0) return undefined
  const columns = new Map<number, Uint8Array>()
  for (const part of parts) columns.set(part, columnOf(formulas, part, { rows, variables, columns }))
  return { rows, variables, columns }
}

/** Returns the value of a variable in a row. */
export function valueAt({ values, stride }: Variable, row: number): number | boolean {
  return values[Math.floor(row / stride) % values.length] ?? false
}

function variablesOf(formulas: Formulas, terms: readonly Domain[], parts: readonly number[], more: readonly string[]): Variable[] {
  const bits = new Set(more)
  const limits = new Map<number, number[]>()
  for (const part of parts) {
    const formula = formulas.list[part]
    if (formula?.kind === 'bit') bits.add(formula.name)
    if (formula?.kind === 'atom') limits.set(formula.term, [...(limits.get(formula.term) ?? []), formula.limit])
  }
  let stride = 1
  const next = (name: string, values: readonly (number | boolean)[], term?: number, limits: readonly number[] = []): Variable => {
    const variable = { name, values, stride, limits, ...(term === undefined ? {} : { term }) }
    stride *= values.length
    return variable
  }
  return [
    ...[...bits].sort().map((name) => next(name, [false, true])),
    ...[...limits].map(([term, numbers]) => next(`#${term}`, representatives(terms[term] ?? { low: 0, high: 0 }, numbers), term, numbers)),
  ]
}

function columnOf(formulas: Formulas, part: number, { rows, variables, columns }: TruthTable): Uint8Array {
  const column = new Uint8Array(rows)
  const formula = formulas.list[part]
  const of = (index: number): Uint8Array => columns.get(index) ?? column
  const fill = (variable: Variable | undefined, holds: (value: number | boolean) => boolean): void => {
    if (variable === undefined) return
    const { values, stride } = variable
    const truths = values.map((value) => (holds(value) ? 1 : 0))
    for (let row = 0; row < rows; row++) column[row] = truths[Math.floor(row / stride) % truths.length] ?? 0
  }
  switch (formula?.kind) {
    case 'constant':
      column.fill(formula.value ? 1 : 0)
      break
    case 'bit':
      fill(
        variables.find(({ name, term }) => term === undefined && name === formula.name),
        (value) => value === true,
      )
      break
    case 'atom':
      fill(
        variables.find(({ term }) => term === formula.term),
        (value) => compares(formula.by, value as number, formula.limit),
      )
      break
    case 'not': {
      const a = of(formula.a)
      for (let row = 0; row < rows; row++) column[row] = 1 - (a[row] ?? 0)
      break
    }
    case 'and':
    case 'or': {
      const [a, b] = [of(formula.a), of(formula.b)]
      const isAnd = formula.kind === 'and'
      for (let row = 0; row < rows; row++) column[row] = isAnd ? (a[row] ?? 0) & (b[row] ?? 0) : (a[row] ?? 0) | (b[row] ?? 0)
      break
    }
    default:
  }
  return column
}
