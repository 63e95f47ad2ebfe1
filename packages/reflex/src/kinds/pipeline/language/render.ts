import type { Json } from '../../../kernel/index.ts'

/**
 * Returns a value as text, as conditions compare it and prompts show it: text unchanged, numbers and booleans plain (2.0 is
 * `2`), lists and objects as JSON, `null` and undefined as empty text (reference pipeline 6.1, 8.4).
 */
export function renderText(value: Json | undefined): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
