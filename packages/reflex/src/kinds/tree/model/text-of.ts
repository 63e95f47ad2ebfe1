import type { Json } from '../../../kernel/index.ts'

/** Returns a parameter as text: its own text, else its JSON. */
export function textOf(value: Json | undefined): string {
  if (typeof value === 'string') return value
  return value === undefined ? '' : JSON.stringify(value)
}
