import type { Json } from '../../../kernel/index.ts'

/** The types of slots and outputs (reference skill 1.3). */
export const SLOT_TYPES = [
  'string',
  'integer',
  'number',
  'boolean',
  'url',
  'path',
  'hostname_label',
  'hostname',
  'email',
  'semver',
  'image_ref',
  'uuid',
  'datetime',
  'enum',
  'json',
  'secret_ref',
] as const

export type SlotType = (typeof SLOT_TYPES)[number]

/** An input of a skill as its manifest declares it, with all defaults in place. */
export interface Slot {
  readonly name: string
  readonly type: SlotType
  readonly required: boolean
  readonly default?: Json
  /** A linear pattern (RE2 syntax) that the whole text of the value must match. */
  readonly pattern?: string
  readonly enum?: readonly string[]
  readonly min?: number
  readonly max?: number
  readonly minLength?: number
  /** In UTF-16 units. */
  readonly maxLength: number
  readonly description: string
  /** True if its value is masked before any record. Always true for a `secret_ref`. */
  readonly sensitive: boolean
}

/** An output of a skill as its manifest declares it. */
export interface SlotOutput {
  readonly name: string
  readonly type: SlotType
  readonly sensitive: boolean
}
