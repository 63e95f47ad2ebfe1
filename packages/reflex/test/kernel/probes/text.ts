import type { Json } from '../../../src/kernel/journal/json.ts'

/** A text as it is, anything else as JSON. */
export function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? '')
}
