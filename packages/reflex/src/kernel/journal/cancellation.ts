import { isObject, type Json } from './json.ts'
import type { Input } from './record.ts'

/** Returns the input that cancels a run: the reason, and who cancelled it. */
export function cancelInput(reason: Json, by?: string): Input {
  return ['kernel', 'cancel', by === undefined ? reason : { reason, by }]
}

/** Reads such an input. */
export function readCancel(detail: Json | undefined): { readonly reason: string; readonly by?: string } {
  const reason = isObject(detail) ? detail.reason : detail
  const by = isObject(detail) ? detail.by : undefined
  return { reason: typeof reason === 'string' ? reason : 'cancelled', ...(typeof by === 'string' ? { by } : {}) }
}
