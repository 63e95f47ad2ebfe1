import { escapeActive } from '../text/index.ts'

/** JSON that is exact and that a terminal can be shown: what could act on it stands as `\uXXXX`. */
export function jsonText(value: unknown, indent?: number): string {
  return escapeActive(JSON.stringify(value, null, indent))
}
