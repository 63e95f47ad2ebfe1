import type { Json } from '../../../kernel/index.ts'

/** Parses JSON text. Undefined if the text is not JSON. */
export function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}
