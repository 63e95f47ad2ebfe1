import type { Banks } from './banks.ts'

/** The slots of a row: the result, then up to three operands. */
export const ROW = 4

/**
 * A built-in primitive as the compiled passes compute it. Its operands are its inputs in the order of the manifest, then the parameter.
 *
 * Both forms give the bits of the function of the primitive, without −0. They test nothing: an operation that can leave the finite numbers
 * adds `result - result` to a sum, which is then NaN.
 */
export interface Operation {
  /** A parameter of type Number that is an operand. */
  readonly parameter?: string
  /** True if the result can be a number that is not finite. */
  readonly canPoison?: true
  /** Computes rows of slots. The result is NaN if a number is not finite, and 0 otherwise. */
  readonly loop: (banks: Banks, rows: Int32Array) => number
  /** Returns the expression of the result, of operands that are names or numbers. */
  readonly code: (a: string, b: string, c: string) => string
}

/** Returns an operand of a row. There is one function for each bank, so that each sees one type of array. */
export function numberAt(f: Float64Array, rows: Int32Array, at: number): number {
  return f[rows[at] as number] as number
}

/** Returns an operand of a row: 0 or 1. */
export function bitAt(g: Uint8Array, rows: Int32Array, at: number): number {
  return g[rows[at] as number] as number
}

/** Returns an operand of a row. */
export function seriesAt(x: Banks['x'], rows: Int32Array, at: number): readonly number[] {
  return x[rows[at] as number] as readonly number[]
}
