import type { Primitive } from '../model/primitive.ts'
import { builtin, inputs, NO_PARAMETERS, PURE, result } from './builtin.ts'

const LOGIC = { ...PURE, kind: 'compute', outputs: result('Bool'), parameters: NO_PARAMETERS } as const
const PAIR = { ...LOGIC, inputs: inputs('Bool', 'a', 'b') } as const

/** The operations on Bools. */
export const LOGIC_OPERATORS: readonly Primitive[] = [
  builtin({ ...PAIR, id: 'and', about: 'True if both are true.' }, ({ a, b }) => ({ result: a && b })),
  builtin({ ...PAIR, id: 'or', about: 'True if one or both are true.' }, ({ a, b }) => ({ result: a || b })),
  builtin({ ...LOGIC, id: 'not', about: 'True if the value is false.', inputs: inputs('Bool', 'value') }, ({ value }) => ({
    result: !value,
  })),
]
