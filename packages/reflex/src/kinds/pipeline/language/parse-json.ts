import type { Json } from '../../../kernel/journal/json.ts'

/** What a text says as JSON; nothing for one that is none. */
export function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}
