import type { Primitive } from '../model/primitive.ts'
import { builtin, inputs, NO_PARAMETERS, PURE, result } from './builtin.ts'

/** The comparisons of numbers. They are exact. */
export const COMPARISONS: readonly Primitive[] = [
  comparison('gt', 'True if a is greater than b.', (a, b) => a > b),
  comparison('gte', 'True if a is b or greater.', (a, b) => a >= b),
  comparison('lt', 'True if a is less than b.', (a, b) => a < b),
  comparison('lte', 'True if a is b or less.', (a, b) => a <= b),
  comparison('eq', 'True if a and b are equal.', (a, b) => a === b),
  comparison('neq', 'True if a and b differ.', (a, b) => a !== b),
]

function comparison(id: string, about: string, holds: (a: number, b: number) => boolean): Primitive {
  const ports = { inputs: inputs('Number', 'a', 'b'), outputs: result('Bool'), parameters: NO_PARAMETERS }
  return builtin({ ...PURE, kind: 'compute', id, about, ...ports }, ({ a, b }) => ({ result: holds(a, b) }))
}
