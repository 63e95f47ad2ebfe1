import { escapeActive } from '../text/index.ts'

/**
 * Returns exact JSON that is safe to show in a terminal: characters that a terminal could act on are written as
 * `\uXXXX`.
 */
export function jsonText(value: unknown, indent?: number): string {
  return escapeActive(JSON.stringify(value, null, indent))
}
