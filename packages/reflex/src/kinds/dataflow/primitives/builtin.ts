import type { FunctionOf } from '../manifests/function-types.ts'
import type { InputPort, Manifest, ParameterDeclaration } from '../model/manifest.ts'
import type { Primitive } from '../model/primitive.ts'
import type { ScalarType } from '../model/value.ts'

/** The version of the built-in primitives; `divide` has another. */
export const VERSION = '0.1.0'

/** The fields that the manifests of all built-in primitives share. */
export const PURE = {
  version: VERSION,
  execution: { deterministic: true, cadence: 'continuous' },
  state: { allowed: false },
  side_effects: false,
} as const

/** Returns a built-in primitive. Its operation is named after it. */
export function builtin<const M extends Manifest>(manifest: M, run: FunctionOf<M>): Primitive {
  return Object.freeze({ manifest, kind: manifest.kind, run, op: manifest.id }) as unknown as Primitive
}

/** Returns inputs of one type. */
export function inputs<const Name extends string, Type extends ScalarType>(
  type: Type,
  ...names: readonly Name[]
): readonly (InputPort & { readonly name: Name; readonly type: Type })[] {
  return names.map((name) => ({ name, type }))
}

/** Returns the one output of a compute. */
export function result<Type extends ScalarType>(type: Type): readonly [{ readonly name: 'result'; readonly type: Type }] {
  return [{ name: 'result', type }]
}

export const NO_PARAMETERS: readonly (ParameterDeclaration & { readonly name: never })[] = []

/** The errors of a compute. */
export function errors<const Name extends string>(
  ...types: readonly Name[]
): { readonly allowed: true; readonly types: readonly Name[]; readonly deterministic: true } {
  return { allowed: true, types, deterministic: true }
}

/** The execution of a compute that can return an error. */
export const MAY_ERROR = { deterministic: true, cadence: 'continuous', may_error: true } as const
