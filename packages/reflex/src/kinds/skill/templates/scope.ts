import type { Json, JsonObject } from '../../../kernel/index.ts'
import type { Slot } from '../model/slot.ts'

/** The roots of references that are no slots. */
export const ROOTS = ['ctx', 'env', 'work', 'steps', 'exec'] as const
export type Root = (typeof ROOTS)[number]

/** What a template can read of its execution: no other clock and no other id exists for it (reference skill 1.5). */
export const EXECUTION_FIELDS = ['id', 'trace_id', 'started_at', 'attempt'] as const

/** Names that are no segment of a path: objects of JavaScript have them without being given them. */
export const UNSAFE_NAMES: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

/** The names that a template can refer to at its place in the manifest. */
export interface TemplateScope {
  readonly slots: ReadonlyMap<string, Slot>
  /** The steps that run before it. */
  readonly steps: ReadonlySet<string>
  /** The roots that it can read. An idempotence key reads neither steps nor the execution, because it is fixed before the run. */
  readonly roots: ReadonlySet<Root>
}

/** The values that templates read. Only own properties count. */
export interface TemplateValues {
  /** The validated slots. A `secret_ref` has its name. */
  readonly slots: Readonly<Record<string, Json>>
  readonly ctx: JsonObject
  readonly env: JsonObject
  readonly work: JsonObject
  readonly steps: Readonly<Record<string, { readonly result: Json }>>
  readonly exec: JsonObject
}
