/** The types of values that can be stored, in the order of the reference. */
export const SCALAR_TYPES = ['Number', 'Series', 'Bool', 'String'] as const
export type ScalarType = (typeof SCALAR_TYPES)[number]
/** The type of a port. Events exist only inside a pass. */
export type PortType = ScalarType | 'Event'
export const PORT_TYPES: readonly PortType[] = [...SCALAR_TYPES, 'Event']

/** A value of a port: a finite number that is not −0, a list of such numbers, true or false, or well-formed Unicode. */
export type Scalar = number | readonly number[] | boolean | string
export type TriggerEvent = 'Emitted' | 'NotEmitted'

/** The outcomes of an action (seed dataflow 6.2). `Skipped`: a gate of it did not emit. */
export const OUTCOMES = ['Attempted', 'Completed', 'Rejected', 'Cancelled', 'Failed', 'Skipped'] as const
export type Outcome = (typeof OUTCOMES)[number]
/** A value inside a pass. Events and outcomes are texts. */
export type PassValue = Scalar

/** A value with its type, as effects state it. */
export type Tagged =
  | { readonly Number: number }
  | { readonly Series: readonly number[] }
  | { readonly Bool: boolean }
  | { readonly String: string }

/** The value of a type for a key that has none. */
export const ZERO = { Number: 0, Series: Object.freeze([]) as readonly number[], Bool: false, String: '' } as const

/** Returns the type of a value; undefined for what no port can hold, such as NaN, an object or text with half a surrogate pair. */
export function typeOf(value: unknown): ScalarType | undefined {
  switch (typeof value) {
    case 'number':
      return Number.isFinite(value) ? 'Number' : undefined
    case 'boolean':
      return 'Bool'
    case 'string':
      return value.isWellFormed() ? 'String' : undefined
    default:
      return Array.isArray(value) && value.every((item) => typeof item === 'number' && Number.isFinite(item)) ? 'Series' : undefined
  }
}

/** Returns a value with 0 in place of each −0. */
export function normal<T extends Scalar>(value: T): T
export function normal(value: Scalar): Scalar {
  if (typeof value === 'number') return value + 0
  return typeof value === 'object' && value.some((item) => Object.is(item, -0)) ? value.map((item) => item + 0) : value
}

/** Returns a value with its type. */
export function tagged(type: ScalarType, value: Scalar): Tagged {
  return { [type]: value } as unknown as Tagged
}

/** Returns the value of a tagged value. */
export function untagged(value: Tagged): Scalar {
  return Object.values(value)[0] as Scalar
}
