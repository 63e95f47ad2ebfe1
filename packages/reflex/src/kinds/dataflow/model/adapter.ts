import type { JsonObject } from '../../../kernel/index.ts'
import type { ScalarType } from './value.ts'

export interface ContextKey {
  readonly name: string
  readonly type: ScalarType
  readonly required: boolean
  readonly writable: boolean
  readonly description?: string
}

/** The contract between a graph and the world around it, as in a `*.adapter.json` (reference 6). */
export interface Adapter {
  readonly kind: 'adapter'
  readonly id: string
  readonly version: string
  /** The oldest version of the runtime that has what it needs. */
  readonly runtime_compatibility: string
  readonly about?: string
  readonly context_keys: readonly ContextKey[]
  readonly event_kinds: readonly { readonly name: string; readonly payload_schema: JsonObject }[]
  readonly accepts?: { readonly effects: readonly { readonly name: string; readonly payload_schema: JsonObject }[] }
  readonly capture: { readonly format_version: string; readonly fields: readonly string[] }
}
