import type { Json } from '../../../kernel/journal/json.ts'

/**
 * A value as text, as conditions compare it and prompts show it: text as it is, numbers and booleans plain (2.0 is
 * `2`), lists and objects as JSON, `null` and what is not there as nothing (reference pipeline 6.1, 8.4).
 */
export function renderText(value: Json | undefined): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
