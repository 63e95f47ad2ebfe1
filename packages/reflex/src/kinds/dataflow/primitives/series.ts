import type { Primitive } from '../model/primitive.ts'
import { finite } from './arithmetic.ts'
import { builtin, errors, inputs, MAY_ERROR, NO_PARAMETERS, PURE, result } from './builtin.ts'

const COMPUTE = { ...PURE, kind: 'compute', parameters: NO_PARAMETERS, inputs: inputs('Series', 'series') } as const

/** The operations on series. Sums go from left to right. */
export const SERIES: readonly Primitive[] = [
  builtin(
    {
      ...COMPUTE,
      id: 'append',
      about: 'Emits a new series with the value at its end.',
      inputs: [...inputs('Series', 'series'), ...inputs('Number', 'value')],
      outputs: result('Series'),
    },
    ({ series, value }) => ({ result: [...series, value] }),
  ),
  builtin(
    {
      ...COMPUTE,
      id: 'window',
      about:
        'Emits the last values, or all of a shorter series. The error is `InvalidParameter` if the size is not a whole number above 0.',
      outputs: result('Series'),
      parameters: [{ name: 'size', type: 'Number', default: 5, bounds: 'a whole number above 0' }],
      execution: MAY_ERROR,
      errors: errors('InvalidParameter'),
    },
    ({ series }, { size }) => (isSize(size) ? { result: series.slice(-size) } : { error: 'InvalidParameter', about: 'size' }),
  ),
  builtin(
    {
      ...COMPUTE,
      id: 'mean',
      about:
        'Emits the sum divided by the number of values; 0 for an empty series. The error is `NonFiniteResult` if the sum is too large.',
      outputs: result('Number'),
      execution: MAY_ERROR,
      errors: errors('NonFiniteResult'),
    },
    ({ series }) => finite(series.length === 0 ? 0 : sumOf(series) / series.length),
  ),
  builtin(
    {
      ...COMPUTE,
      id: 'sum',
      about: 'Emits the sum; 0 for an empty series. The error is `NonFiniteResult` if it is too large.',
      outputs: result('Number'),
      execution: MAY_ERROR,
      errors: errors('NonFiniteResult'),
    },
    ({ series }) => finite(sumOf(series)),
  ),
  builtin({ ...COMPUTE, id: 'len', about: 'Emits the number of values.', outputs: result('Number') }, ({ series }) => ({
    result: series.length,
  })),
]

/** True for the size of a window. */
export function isSize(size: number): boolean {
  return Number.isInteger(size) && size > 0
}

/** Returns the sum of numbers from left to right. */
export function sumOf(series: readonly number[]): number {
  let sum = 0
  for (const value of series) sum += value
  return sum
}
