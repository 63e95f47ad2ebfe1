import type { PortType, ScalarType } from './value.ts'

/** The four causal roles (seed dataflow 3). */
export const PRIMITIVE_KINDS = ['source', 'compute', 'trigger', 'action'] as const
export type PrimitiveKind = (typeof PRIMITIVE_KINDS)[number]

/** An input of a primitive. */
export interface InputPort {
  readonly name: string
  readonly type: PortType
  /** Default: true. */
  readonly required?: boolean
  /** `multiple` is reserved: a manifest with it is refused. */
  readonly cardinality?: 'single' | 'multiple'
}

export interface OutputPort {
  readonly name: string
  readonly type: PortType
}

export const PARAMETER_TYPES = ['Int', 'Number', 'Bool', 'String', 'Enum'] as const
export type ParameterType = (typeof PARAMETER_TYPES)[number]
export type ParameterValue = number | boolean | string

/** A parameter of a primitive or a cluster. Without a default it is required. */
export interface ParameterDeclaration {
  readonly name: string
  readonly type: ParameterType
  readonly default?: ParameterValue
  readonly required?: boolean
  /** For readers only. */
  readonly bounds?: string
  /** The values of an `Enum`. */
  readonly values?: readonly string[]
}

/** A key of the context that a source reads. `$name`: the key that its parameter `name` holds. */
export interface ContextRequirement {
  readonly name: string
  readonly type: ScalarType
  readonly required: boolean
}

/** A key that an action writes, and the input with its value. `$name`: the key that its parameter `name` holds. */
export interface WriteDeclaration {
  readonly name: string
  readonly type: ScalarType
  readonly from_input: string
}

/** A field of an intent. It has exactly one origin. */
export interface IntentField {
  readonly name: string
  readonly type: ScalarType
  readonly from_input?: string
  readonly from_param?: string
}

/** A key that an intent writes besides, with the value of one of its fields. */
export interface MirrorWrite {
  readonly name: string
  readonly type: ScalarType
  readonly from_field: string
}

/** An external effect that an action asks for. `name` is its kind. */
export interface IntentDeclaration {
  readonly name: string
  readonly fields: readonly IntentField[]
  readonly mirror_writes?: readonly MirrorWrite[]
}

/** The declaration of a primitive, as in a `*.primitive.json`. Effects follow from it, never from the function. */
export interface Manifest {
  readonly kind: PrimitiveKind
  readonly id: string
  /** A semantic version with three parts. */
  readonly version: string
  /** One sentence: what it does. */
  readonly about?: string
  readonly inputs: readonly InputPort[]
  readonly outputs: readonly OutputPort[]
  readonly parameters: readonly ParameterDeclaration[]
  readonly execution: {
    readonly deterministic: boolean
    readonly cadence?: 'continuous' | 'event'
    readonly may_error?: boolean
    readonly retryable?: boolean
  }
  readonly state: { readonly allowed: boolean; readonly resettable?: boolean }
  readonly side_effects: boolean
  readonly requires?: { readonly context: readonly ContextRequirement[] }
  readonly errors?: { readonly allowed: boolean; readonly types: readonly string[]; readonly deterministic: boolean }
  readonly effects?: { readonly writes?: readonly WriteDeclaration[]; readonly intents?: readonly IntentDeclaration[] }
}
