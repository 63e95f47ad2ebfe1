import type { ComputeError, Primitive } from '../model/primitive.ts'
import { builtin, errors, inputs, MAY_ERROR, NO_PARAMETERS, PURE, result } from './builtin.ts'

const COMPUTE = { ...PURE, kind: 'compute' } as const
const BINARY = { ...COMPUTE, inputs: inputs('Number', 'a', 'b'), outputs: result('Number'), parameters: NO_PARAMETERS } as const
const UNARY = { ...COMPUTE, inputs: inputs('Number', 'value'), outputs: result('Number'), parameters: NO_PARAMETERS } as const

/** Constants and the operations on numbers. A result that is not finite ends the pass. */
export const ARITHMETIC: readonly Primitive[] = [
  constant('const_number', 'Number', 'Emits the number of its parameter.'),
  constant('const_bool', 'Bool', 'Emits the Bool of its parameter.'),
  unary('abs', 'Emits the number without its sign.', Math.abs),
  unary('negate', 'Emits the number with the opposite sign.', (value) => -value),
  binary('add', 'Emits `a + b`.', (a, b) => a + b),
  binary('subtract', 'Emits `a - b`.', (a, b) => a - b),
  binary('multiply', 'Emits `a * b`.', (a, b) => a * b),
  builtin(
    {
      ...BINARY,
      id: 'divide',
      version: '0.2.0',
      about: 'Emits `a / b`. The error is `DivisionByZero` for b = 0, and `NonFiniteResult` for a quotient that is too large.',
      execution: MAY_ERROR,
      errors: errors('DivisionByZero', 'NonFiniteResult'),
    },
    ({ a, b }) => (b === 0 ? { error: 'DivisionByZero' } : finite(a / b)),
  ),
  builtin(
    {
      ...BINARY,
      id: 'safe_divide',
      about: 'Emits `a / b`, or the fallback where `divide` has an error.',
      parameters: [{ name: 'fallback', type: 'Number' }],
    },
    ({ a, b }, { fallback }) => ({ result: b !== 0 && Number.isFinite(a / b) ? a / b : fallback }),
  ),
  binary('min', 'Emits the smaller number.', Math.min),
  binary('max', 'Emits the larger number.', Math.max),
]

/** Returns a result, or the error of one that is not finite. */
export function finite(value: number): { readonly result: number } | (ComputeError & { readonly error: 'NonFiniteResult' }) {
  return Number.isFinite(value) ? { result: value } : { error: 'NonFiniteResult' }
}

function constant(id: string, type: 'Number' | 'Bool', about: string): Primitive {
  return builtin(
    {
      ...COMPUTE,
      id,
      about: `${about} The input is never read: a compute has one.`,
      inputs: [{ name: 'unit', type, required: false }],
      outputs: [{ name: 'value', type }],
      parameters: [{ name: 'value', type }],
    },
    (_, { value }) => ({ value }),
  )
}

function unary(id: string, about: string, apply: (value: number) => number): Primitive {
  return builtin({ ...UNARY, id, about }, ({ value }) => ({ result: apply(value) }))
}

function binary(id: string, about: string, apply: (a: number, b: number) => number): Primitive {
  return builtin({ ...BINARY, id, about }, ({ a, b }) => ({ result: apply(a, b) }))
}
