import type { Primitive } from '../model/primitive.ts'
import { builtin, inputs, NO_PARAMETERS, PURE, result } from './builtin.ts'

const SELECT = { ...PURE, kind: 'compute', parameters: NO_PARAMETERS } as const

/** The choices between two values. Both are computed in every pass. */
export const SELECTION: readonly Primitive[] = [
  builtin(
    {
      ...SELECT,
      id: 'select',
      about: 'Emits one of two numbers.',
      inputs: [...inputs('Bool', 'cond'), ...inputs('Number', 'when_true', 'when_false')],
      outputs: result('Number'),
    },
    ({ cond, when_true: yes, when_false: no }) => ({ result: cond ? yes : no }),
  ),
  builtin(
    {
      ...SELECT,
      id: 'select_bool',
      about: 'Emits one of two Bools.',
      inputs: inputs('Bool', 'cond', 'when_true', 'when_false'),
      outputs: result('Bool'),
    },
    ({ cond, when_true: yes, when_false: no }) => ({ result: cond ? yes : no }),
  ),
]
